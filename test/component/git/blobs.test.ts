import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlob, readBlobs } from '../../../src/git/blobs';
import { Git } from '../../../src/git/git';
import { git, sampleRepository } from '../../support/temporaryRepository';

describe('reading files of commits', () => {
  let where: Parameters<typeof readBlobs>[0];
  let commit: string;
  let started: number;

  class CountingGit extends Git {
    override async *stream(...args: Parameters<Git['stream']>): AsyncGenerator<Uint8Array, void> {
      started += 1;
      yield* super.stream(...args);
    }
  }

  beforeEach(async () => {
    const folder = await sampleRepository();
    await writeFile(join(folder, 'a.png'), Buffer.from([0, 255, 10, 1]));
    await writeFile(join(folder, 'odd\nname “x”.md'), 'odd\n');
    await writeFile(join(folder, 'empty.md'), '');
    await writeFile(join(folder, 'big.md'), 'x'.repeat(300_000));
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', 'Add');
    commit = (await git(folder, 'rev-parse', 'HEAD')).trim();
    started = 0;
    where = { git: new CountingGit(process.env), place: { folder }, signal: AbortSignal.timeout(30_000) };
  });

  const read = async (paths: readonly string[], max = 10_000): Promise<(string | undefined)[]> => {
    const names = paths.map((path) => `${commit}:${path}`);
    return (await readBlobs(where, names, max)).map((content) => content?.toString('latin1'));
  };

  it('takes one process for all, whatever their names and contents are', async () => {
    const paths = ['empty.md', 'docs', 'none.md', 'a.png', 'odd\nname “x”.md', 'empty.md'];
    deepStrictEqual(await read(paths), ['', undefined, undefined, '\0\xff\n\x01', 'odd\n', '']);
    strictEqual(started, 1);
  });

  it('leaves out what exceeds the limit, and what comes after a name that git repeats in several lines', async () => {
    deepStrictEqual(await read(['a.png', 'big.md', 'a.png'], 1000), ['\0\xff\n\x01', undefined, undefined]);
    deepStrictEqual(await read(['a.png', 'no\nne.md', 'a.png']), ['\0\xff\n\x01', undefined, undefined]);
  });

  it('is undefined for all if git fails', async () => {
    where = { ...where, place: { folder: '/' } };
    deepStrictEqual(await read(['a.png', 'none.md']), [undefined, undefined]);
  });

  it('reads one file only up to a maximum size, and only of a commit', async () => {
    const one = (path: string, maxBytes: number, from = commit) => readBlob(where, { commit: from, path }, maxBytes);
    deepStrictEqual(await one('a.png', 4), Buffer.from([0, 255, 10, 1]));
    strictEqual(await one('a.png', 3), undefined);
    strictEqual(await one('none.png', 9), undefined);
    strictEqual(await one('a\0.png', 9), undefined);
    strictEqual(await one('a.png', 9, 'HEAD'), undefined);
    strictEqual(await one('a.png', 9, '--help'), undefined);
  });
});
