import assert from 'node:assert/strict';
import { Git } from '../../../../../src/git/git';
import { mergeOutlook } from '../../../../../src/service/review/merge/mergeOutlook';
import { MergeRefusal } from '../../../../../src/service/review/merge/mergeRefusal';
import { BRANCH, mergeBench, type MergeBench, shownOf, wholeState } from '../../../../support/mergeBench';
import { git } from '../../../../support/temporaryRepository';

const EDIT = 'echo more >> docs/index.md';

describe('what a merge goes into', function () {
  this.timeout(30_000);

  async function refused(bench: MergeBench, says: RegExp, shown = shownOf(bench.repo)): Promise<void> {
    const [state, page] = [await wholeState(bench.repo), await shown];
    await assert.rejects(bench.merge(bench.repo, undefined, page), (error) => {
      assert.ok(error instanceof MergeRefusal, String(error));
      assert.match(error.message, says);
      return true;
    });
    assert.deepEqual(await wholeState(bench.repo), state);
  }

  it('is a branch that holds what the work was made from, and else is refused with what to do', async () => {
    const bench = await mergeBench();
    await bench.shell('git branch old; echo x > foreign.md; git add .; git commit --quiet -m Foreign');
    const base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work(EDIT);
    await bench.shell('git checkout --quiet old');
    const alone = `git cherry-pick ${base.slice(0, 10)}..${BRANCH}`;
    const says = new RegExp(`made on “main”.*is on “old”.*“git switch main” and reload.*“${alone}”`);
    await refused(bench, says);
    const work = { commit, branch: BRANCH, base: { commit: base, branch: 'main' } };
    const outlook = await mergeOutlook(new Git(process.env), bench.repo, work);
    assert.match(outlook.words, says);
    assert.equal(outlook.into, 'old');
    // The advice is good.
    await bench.shell(alone);
    assert.equal((await bench.shell('ls')).includes('foreign.md'), false);
    await bench.shell('git checkout --quiet main');
    assert.deepEqual(await bench.merge(), { kind: 'fast-forward', branch: 'main' });
  });

  it('is refused also when the branch itself was rewritten', async () => {
    const bench = await mergeBench();
    await bench.shell('echo secret > secret.md; git add .; git commit --quiet -m Secret');
    await bench.work(EDIT);
    await bench.shell('git rm --quiet secret.md; git commit --quiet --amend --allow-empty -m Amended');
    await refused(bench, /Your branch “main” does not hold the commit .* “git cherry-pick/);
  });

  it('is the branch that the page named, at the commit that it had', async () => {
    const bench = await mergeBench();
    await bench.work(EDIT);
    const shown = await shownOf(bench.repo);
    await bench.shell('git checkout --quiet -b other');
    await refused(
      bench,
      /is on “other” now, and this page was opened while it was on “main”\. Reload/,
      Promise.resolve(shown),
    );
    await bench.shell('git checkout --quiet main; git commit --quiet --allow-empty -m Mine');
    await refused(bench, /Your branch “main” has changed since this page was opened\. Reload/, Promise.resolve(shown));
    await refused(bench, /is on “main” now\. Reload/, Promise.resolve({ into: '', head: '' }));
    assert.deepEqual(await bench.merge(), { kind: 'merge', branch: 'main' });
    // The answer was lost, and the button is used again.
    assert.deepEqual(await bench.merge(bench.repo, undefined, shown), { kind: 'already', branch: 'main' });
  });
});
