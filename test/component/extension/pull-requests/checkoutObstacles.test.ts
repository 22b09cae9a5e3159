import { deepStrictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import '../../../support/fakeEditor';
import { findOverwritten } from '../../../../src/extension/features/pull-requests/checkoutObstacles';
import { Git } from '../../../../src/git/git';
import { notOnWindows } from '../../../support/notOnWindows';
import { git, sampleRepository } from '../../../support/temporaryRepository';

describe('findOverwritten', function () {
  notOnWindows();
  this.timeout(30_000);

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
});
