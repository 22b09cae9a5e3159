import { deepStrictEqual } from 'node:assert/strict';
import { diffSummary } from '../../../src/git/diff';
import { Git } from '../../../src/git/git';
import { git, sampleRepository } from '../../support/temporaryRepository';

describe('a diff of many files', function () {
  let where: Parameters<typeof diffSummary>[0];

  before(async () => {
    const folder = await sampleRepository();
    // Folders that are reused, so that few objects make many files.
    const script = `set -e
      tree=$(printf "100644 blob $(echo x | git hash-object -w --stdin)\\t*.md\\n" | git mktree)
      for level in 1 2 3; do tree=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf "040000 tree $tree\\td$i\\n"; done | git mktree); done
      git update-ref refs/heads/job $(git commit-tree -p HEAD -m Job $tree); git tag none $(git mktree </dev/null)`;
    await git(folder, '-c', `alias.x=!${script}`, 'x');
    where = { git: new Git(process.env), place: { folder }, signal: AbortSignal.timeout(30_000) };
  });

  it('finds one of them by its path, which is not treated as a pattern', async () => {
    const summary = await diffSummary(where, ['none', 'job'], undefined, ['d7/d8/d9/*.md']);
    deepStrictEqual(summary.files, [{ path: 'd7/d8/d9/*.md', status: 'A', added: 1, deleted: 0 }]);
  });
});
