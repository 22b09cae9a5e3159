import { deepStrictEqual, rejects } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import '../../../support/fakeEditor';
import { findOverwritten, TooManyChanges } from '../../../../src/extension/features/pull-requests/checkoutObstacles';
import { Git } from '../../../../src/git/git';
import { notOnWindows } from '../../../support/notOnWindows';
import { git, sampleRepository } from '../../../support/temporaryRepository';

describe('findOverwritten', function () {
  notOnWindows();

  it('finds the last of many files that a branch adds', async () => {
    const folder = await sampleRepository();
    const script = `git switch -qc job; mkdir many; seq -f many/%.0f.md 3000 | xargs touch; echo x >z.md
      git add .; git commit -qm Job; git switch -q main`;
    await git(folder, '-c', `alias.x=!set -e; ${script}`, 'x');
    const head = (await git(folder, 'rev-parse', 'HEAD')).trim();
    const job = (await git(folder, 'rev-parse', 'job')).trim();
    await writeFile(join(folder, 'z.md'), 'Mine\n');
    const repository = { rootUri: { fsPath: folder }, state: { HEAD: { commit: head }, indexChanges: [] } };
    deepStrictEqual(await findOverwritten(new Git(process.env), repository as never, job), {
      path: 'z.md',
      why: 'overwritten',
    });
  });

  // Reused folders, so that few objects make many paths.
  const [few, ten, letters] = ['$(seq -f %.0f 20)', '$(seq -f %.0f 10)', '$(printf x%.0s $(seq 250))'];
  const kinds = {
    'too many files': `for level in 1 2 3 4; do tree=$(for i in ${ten}; do printf "040000 tree $tree\\td$i\\n"; done | git mktree); done`,
    'paths that are too long altogether': `for level in ${few}; do tree=$(printf "040000 tree $tree\\t${letters}\\n" | git mktree); done
      tree=$(for i in $(seq -f %.0f 300); do printf "040000 tree $tree\\td$i\\n"; done | git mktree)`,
  };
  for (const [what, script] of Object.entries(kinds)) {
    it(`refuses a branch with ${what}`, async () => {
      const folder = await sampleRepository();
      const start = 'blob=$(echo x | git hash-object -w --stdin)';
      const leaf = `tree=$(for i in ${few}; do printf "100644 blob $blob\\tf$i.md\\n"; done | git mktree)`;
      const end = 'git update-ref refs/heads/job $(git commit-tree -p HEAD -m Job $tree)';
      await git(folder, '-c', `alias.x=!set -e; ${[start, leaf, script, end].join('\n')}`, 'x');
      const [head = '', job = ''] = (await git(folder, 'rev-parse', 'HEAD', 'job')).split('\n');
      const repository = { rootUri: { fsPath: folder }, state: { HEAD: { commit: head }, indexChanges: [] } };
      await rejects(findOverwritten(new Git(process.env), repository as never, job), TooManyChanges);
    });
  }
});
