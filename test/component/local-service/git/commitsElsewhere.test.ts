import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../../../../src/git/git';
import { commitsElsewhere } from '../../../../src/local-service/git/commitsElsewhere';
import { jobFolders } from '../../../../src/local-service/git/jobClone';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('commitsElsewhere', () => {
  it('reads only the beginning of a very long list of packed refs', async () => {
    const folders = jobFolders(await temporaryFolder());
    const git: Pick<Git, 'run'> = {
      run: async (_place, _args, options) => String(options?.input).replaceAll('\n', ' missing\n'),
    };
    const [first, last] = [`${'1'.repeat(40)} refs/heads/first\n`, `${'2'.repeat(40)} refs/heads/last\n`];
    await mkdir(join(folders.work, '.git'), { recursive: true });
    await writeFile(join(folders.work, '.git', 'packed-refs'), `${first}${'# text\n'.repeat(160_000)}${last}`);
    assert.equal(await commitsElsewhere(git as Git, folders), 'first');
  });
});
