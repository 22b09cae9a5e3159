import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SharedJson } from '../../../src/base/sharedJson';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('SharedJson', () => {
  let file: string;
  let lines: string[];

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'shared', 'names.json');
    lines = [];
  });

  const open = (): SharedJson<readonly string[]> => {
    const say = (text: string): void => void lines.push(text);
    const parse = (value: unknown): string[] | undefined => (Array.isArray(value) ? value : undefined);
    return new SharedJson<readonly string[]>({ file, parse, empty: [], log: { warn: say, error: say } });
  };
  const add =
    (name: string) =>
    (names: readonly string[]): readonly string[] => [...names, name];

  it('has the changes of all windows', async () => {
    const [one, other] = [open(), open()];
    const seen: (readonly string[])[] = [];
    one.onDidChange((names) => seen.push(names));
    await one.update(add('a'));
    await other.update(add('b'));
    deepStrictEqual([one.value, await one.read(), other.value], [['a'], ['a', 'b'], ['a', 'b']]);
    await one.read();
    deepStrictEqual(seen, [['a'], ['a', 'b']]);
    await Promise.all(['c', 'd', 'e'].map((name) => one.update(add(name))));
    deepStrictEqual(await other.read(), ['a', 'b', 'c', 'd', 'e']);
  });

  it('writes nothing when nothing changes', async () => {
    deepStrictEqual(await open().update((names) => names), []);
    await mkdir(dirname(file));
    await writeFile(file, '[ "a" ]');
    deepStrictEqual(await open().update((names) => names), ['a']);
    strictEqual(await readFile(file, 'utf8'), '[ "a" ]');
  });

  it('is empty when the file is damaged or removed', async () => {
    const shared = open();
    await shared.update(add('a'));
    await writeFile(file, '["a"');
    deepStrictEqual(await shared.read(), []);
    await shared.update(add('b'));
    await rm(file);
    deepStrictEqual(await shared.read(), []);
    deepStrictEqual(lines, []);
  });

  it('keeps what could not be written, says so once, and writes it with the next change', async () => {
    await writeFile(dirname(file), 'a file in the way');
    const shared = open();
    await shared.update(add('a'));
    await shared.update(add('b'));
    deepStrictEqual(await shared.read(), ['a', 'b']);
    strictEqual(lines.filter((line) => line.startsWith('couldn’t write')).length, 1);
    await rm(dirname(file));
    await shared.update(add('c'));
    deepStrictEqual(await open().read(), ['a', 'b', 'c']);
  });
});
