import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { MergeRefusal } from '../../../../../src/service/review/merge/mergeRefusal';
import { mergeBench, wholeState } from '../../../../support/mergeBench';

const EDIT = 'echo more >> docs/index.md';

interface Refused {
  name: string;
  /** What the job did. */
  work?: string;
  /** What the user did before the job began, and after. */
  before?: string;
  after?: string;
  says: RegExp;
}

const lfs = "printf '*.png filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes";

/** What git would find in the middle of something: a file or a folder of its directory. */
const unfinished = (path: string, what: string): Refused => ({
  name: `a ${what} that is not finished (${path})`,
  after: path.startsWith('rebase') ? `mkdir .git/${path}` : `git rev-parse HEAD > .git/${path}`,
  says: new RegExp(`A ${what} is not finished`),
});

const refused: readonly Refused[] = [
  { name: 'a detached checkout', after: 'git checkout --quiet --detach', says: /not on a branch/ },
  { name: 'a branch without a commit', after: 'git checkout --quiet --orphan new', says: /no commit yet/ },
  unfinished('MERGE_HEAD', 'merge'),
  unfinished('rebase-merge', 'rebase'),
  unfinished('rebase-apply', 'rebase'),
  unfinished('CHERRY_PICK_HEAD', 'cherry-pick'),
  unfinished('REVERT_HEAD', 'revert'),
  unfinished('BISECT_LOG', 'bisect'),
  {
    name: 'conflicts that are not resolved',
    after: `git checkout --quiet -b other; echo a > README.md; git commit --quiet -am A; git checkout --quiet main
echo b > README.md; git commit --quiet -am B; git merge --quiet other || true; rm .git/MERGE_HEAD`,
    says: /unresolved conflicts/,
  },
  {
    name: 'an index of nonsense',
    after: 'echo nonsense > .git/index',
    says: /^git can’t read the index of your checkout: /,
  },
  { name: 'a sparse checkout', after: 'git sparse-checkout set docs', says: /is sparse/ },
  {
    name: 'a conflict in a line',
    after: 'echo other >> docs/index.md; git commit --quiet -am Other',
    says: /conflicts in “docs\/index\.md”/,
  },
  {
    name: 'a conflict of a change and a deletion',
    after: 'git rm --quiet docs/index.md; git commit --quiet -m Delete',
    says: /conflicts in “docs\/index\.md”/,
  },
  {
    name: 'a conflict of two new files',
    work: 'echo one > docs/new.md',
    after: 'echo two > docs/new.md; git add .; git commit --quiet -m New',
    says: /conflicts in “docs\/new\.md”/,
  },
  {
    name: 'uncommitted changes in a file',
    after: 'echo mine >> docs/index.md',
    says: /uncommitted changes in “docs\/index\.md”/,
  },
  {
    name: 'staged changes in a file',
    after: 'echo mine >> docs/index.md; git add .',
    says: /uncommitted changes in “docs/,
  },
  {
    name: 'staged changes in a file that was put back',
    after: 'cp docs/index.md ../kept; echo mine >> docs/index.md; git add .; cp ../kept docs/index.md',
    says: /uncommitted changes in “docs/,
  },
  { name: 'a deleted file', after: 'rm docs/index.md', says: /uncommitted changes in “docs/ },
  {
    name: 'a file that is a link now',
    after: 'rm docs/index.md; ln -s ../README.md docs/index.md',
    says: /uncommitted/,
  },
  { name: 'a folder that is a link now', after: 'mv docs ../docs; ln -s ../docs docs', says: /uncommitted changes/ },
  {
    name: 'a new file that is added with nothing in it',
    work: 'echo x > docs/new.md',
    after: 'echo y > docs/new.md; git add -N docs/new.md',
    says: /uncommitted|overwritten/,
  },
  {
    name: 'an untracked file in the way',
    work: 'echo x > docs/new.md',
    after: 'echo y > docs/new.md',
    says: /“docs\/new\.md” would be overwritten/,
  },
  {
    name: 'an ignored file in the way',
    work: 'echo x > docs/new.md; git add -f docs/new.md',
    before: "echo 'docs/new*' > .gitignore; git add .; git commit --quiet -m Ignore",
    after: 'echo y > docs/new.md',
    says: /“docs\/new\.md” would be overwritten/,
  },
  {
    name: 'an untracked folder in the way',
    work: 'echo x > new',
    after: 'mkdir new; echo y > new/file',
    says: /“new\/file” would be overwritten/,
  },
  {
    name: 'an untracked file in a folder that goes',
    work: 'git rm --quiet -r docs; echo x > docs',
    after: 'echo y > docs/mine.md',
    says: /“docs\/mine\.md” would be overwritten/,
  },
  {
    name: 'an untracked file in the way of a folder',
    work: 'mkdir new; echo x > new/file',
    after: 'echo y > new',
    says: /“new” would be overwritten/,
  },
  {
    name: 'an untracked link in the way of a folder',
    work: 'mkdir new; echo x > new/file',
    after: 'ln -s docs new',
    says: /“new” would be overwritten/,
  },
  {
    name: 'a submodule',
    work: 'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; mkdir sub',
    says: /Submodules would change: “sub”/,
  },
  {
    name: 'a link that leads out',
    work: 'ln -s ../../outside docs/link',
    says: /“docs\/link” is a link that leads out/,
  },
  { name: 'a link into the git directory', work: 'ln -s .git/config link', says: /is a link that leads out/ },
  {
    name: 'a file of Git LFS',
    before: `${lfs}; echo version > a.png; git add .; git commit --quiet -m LFS`,
    work: 'echo other > a.png',
    says: /A filter such as Git LFS keeps “a\.png”/,
  },
  {
    name: 'a first file of Git LFS',
    work: `${lfs}; echo version > a.png`,
    says: /A filter such as Git LFS keeps “a\.png”/,
  },
  {
    name: 'a filter that only this clone knows',
    after: "echo '*.md filter=x' > .git/info/attributes",
    says: /A filter such as Git LFS keeps “docs\/index\.md”/,
  },
  {
    name: 'a merge driver',
    before: "echo '*.md merge=x' > .gitattributes; git add .; git commit --quiet -m Driver",
    after:
      "git config merge.x.driver 'touch ../driven'; (echo first; cat docs/index.md) > ../x; cp ../x docs/index.md; git commit --quiet -am First",
    says: /can’t be merged here/,
  },
  { name: 'a lock on the index', after: 'touch .git/index.lock', says: /Another git command is working/ },
  {
    name: 'a work tree elsewhere',
    after: 'mkdir ../elsewhere; git config core.worktree ../../elsewhere; cd .git',
    says: /is elsewhere now/,
  },
  { name: 'no git directory', after: 'mv .git ../gone', says: /git said|can’t be read/ },
  {
    name: 'work that is not there any more',
    after: 'git branch --quiet -D docs-agent/j1; git reflog expire --expire=now --all; git prune --expire=now',
    says: /not in your repository any more/,
  },
];

describe('a merge that is refused', function () {
  this.timeout(30_000);

  for (const { name, work = EDIT, before, after, says } of refused) {
    it(`changes nothing and says why: ${name}`, async () => {
      const bench = await mergeBench();
      await bench.shell(before ?? 'true');
      await bench.work(work);
      await bench.shell(after ?? 'true');
      const state = await wholeState(bench.repo);
      await assert.rejects(bench.merge(), (error) => {
        assert.ok(error instanceof MergeRefusal, String(error));
        assert.match(error.message, says);
        return true;
      });
      assert.deepEqual(await wholeState(bench.repo), state);
      await assert.rejects(stat(bench.directory), /ENOENT/);
      await assert.rejects(stat(`${bench.repo}/../driven`), /ENOENT/);
    });
  }
});
