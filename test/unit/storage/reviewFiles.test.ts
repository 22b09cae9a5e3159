import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReviewFiles } from '../../../src/storage/reviewFiles';
import type { KeptComment } from '../../../src/storage/reviewSchema';
import { temporaryFolder } from '../../support/temporaryRepository';

const comment = (id: string, text: string, at = 1): KeptComment => ({
  id,
  jobKey: 'k1',
  uri: 'file:///a.md',
  path: 'a.md',
  side: 'new',
  from: 1,
  to: 2,
  quoted: 'one\ntwo',
  languageId: 'markdown',
  outdated: false,
  text,
  composed: false,
  at,
});

describe('comments on disk', () => {
  let root: string;
  const warnings: string[] = [];
  let ids = 0;
  const log = { info: () => undefined, warn: (text: string) => void warnings.push(text), error: () => undefined };
  const open = (): ReviewFiles => new ReviewFiles({ root, newId: () => `w${++ids}`, log });
  const texts = async (): Promise<string[]> => (await open().all()).map(({ text }) => text);

  beforeEach(async () => {
    root = join(await temporaryFolder(), 'review');
    warnings.length = 0;
  });

  it('are none where there is no folder, and come back in the order in which they were made', async () => {
    deepStrictEqual(await texts(), []);
    await open().write(comment('b', 'second', 2));
    await open().write(comment('a', 'first', 1));
    deepStrictEqual(await texts(), ['first', 'second']);
  });

  it('have their last text, of whichever window, and one file each', async () => {
    const [one, other] = [open(), open()];
    await one.write(comment('a', 'first'));
    await other.write(comment('a', 'changed'));
    await one.write(comment('a', 'changed again'));
    deepStrictEqual(await texts(), ['changed again']);
    strictEqual((await readdir(root)).length, 1);
  });

  it('are gone when they are removed, and the others stay', async () => {
    await open().write(comment('a', 'first'));
    await open().write(comment('ab', 'second', 2));
    await open().remove('a');
    deepStrictEqual(await texts(), ['second']);
  });

  it('are read although one of them is damaged or newer, which stays as it is', async () => {
    await open().write(comment('a', 'first'));
    await writeFile(join(root, 'b-000000001-w.json'), '{"version":1,"id":');
    await writeFile(join(root, 'c-000000001-w.json'), JSON.stringify({ ...comment('c', 'newer'), version: 2 }));
    deepStrictEqual(await texts(), ['first']);
    strictEqual(warnings.length, 2);
    strictEqual((await readdir(root)).length, 3);
  });
});
