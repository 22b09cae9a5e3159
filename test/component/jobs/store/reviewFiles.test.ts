import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readReviewName, ReviewFiles } from '../../../../src/jobs/store/reviewFiles';
import type { SavedComment } from '../../../../src/jobs/store/reviewSchema';
import { temporaryFolder } from '../../../support/temporaryRepository';

const comment = (id: string, text: string, at = 1): SavedComment => ({
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
  at,
});

describe('ReviewFiles', () => {
  let root: string;
  const warnings: string[] = [];
  let ids = 0;
  const warn = (text: string): void => void warnings.push(text);
  const log = { info: () => undefined, warn, error: warn };
  const open = (): ReviewFiles => new ReviewFiles({ root, newId: () => `w${++ids}`, log });
  const texts = async (): Promise<string[]> => (await open().all()).comments.map(({ text }) => text);

  beforeEach(async () => {
    root = join(await temporaryFolder(), 'review');
    warnings.length = 0;
  });

  it('returns no comments without a folder and otherwise returns them in creation order', async () => {
    deepStrictEqual(await texts(), []);
    await open().write(comment('b', 'second', 2));
    await open().write(comment('a', 'first', 1));
    deepStrictEqual(await texts(), ['first', 'second']);
  });

  it('keeps only the newest text of each comment, from any window, in one file', async () => {
    const [one, other] = [open(), open()];
    await one.write(comment('a', 'first'));
    await other.all();
    await other.write(comment('a', 'changed'));
    await one.all();
    await one.write(comment('a', 'changed again'));
    deepStrictEqual(await texts(), ['changed again']);
    strictEqual((await readdir(root)).length, 1);
  });

  it('removes a comment and keeps the others', async () => {
    const files = open();
    await files.write(comment('a', 'first'));
    await files.write(comment('ab', 'second', 2));
    await files.remove('a');
    deepStrictEqual(await texts(), ['second']);
  });

  it('keeps a changed comment when a window with outdated text composes or removes it', async () => {
    const [one, other] = [open(), open()];
    await one.write(comment('a', 'first'));
    await other.all();
    await one.write(comment('a', 'changed'));
    await other.compose({ id: 'a', jobKey: 'k1', title: 'In `a.md`, line 1:', text: '> first', at: 2 });
    await other.remove('a');
    deepStrictEqual(await texts(), ['changed']);
    deepStrictEqual(
      (await one.all()).composed.map(({ text }) => text),
      ['> first'],
    );
  });

  it('reads the other comments when one is damaged and set aside or from a newer version', async () => {
    await open().write(comment('a', 'first'));
    await writeFile(join(root, 'b-000000001-w.json'), '{"version":1,"id":');
    await writeFile(join(root, 'c-000000001-w.json'), JSON.stringify({ ...comment('c', 'newer'), version: 2 }));
    deepStrictEqual(await texts(), ['first']);
    strictEqual(warnings.length, 2);
    const files = await readdir(root);
    strictEqual(files.length, 3);
    deepStrictEqual(
      files.filter((file) => readReviewName(file) === undefined),
      ['b-000000001-w.json.damaged'],
    );
  });

  it('deletes leftover temporary files and notes on removed comments after a while', async () => {
    const files = open();
    await files.write(comment('a', 'first'));
    await files.compose({ id: 'gone', jobKey: 'k1', title: 'In `a.md`, line 1:', text: '> first', at: 2 });
    await writeFile(join(root, 'a-000000001-w.json.tmp'), '{');
    await files.all();
    strictEqual((await readdir(root)).length, 3);
    for (const file of await readdir(root)) {
      await utimes(join(root, file), 1, 1);
    }
    await files.all();
    const [left, ...others] = await readdir(root);
    deepStrictEqual(others, []);
    ok(left?.startsWith('a-'));
  });
});
