import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CacheStore } from '../../../src/checks/ports';
import { checkPages } from '../../support/runCheck';
import { seed, seededRandom } from '../../support/scale';
import { git, temporaryFolder } from '../../support/temporaryRepository';

/** Keeps what was saved as a file would. */
class Store implements CacheStore {
  text: string | undefined;
  load = async (): Promise<unknown> => (this.text === undefined ? undefined : JSON.parse(this.text));
  save = async (value: unknown): Promise<void> => {
    this.text = JSON.stringify(value);
  };
}

async function repository(): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet');
  return folder;
}

async function commit(folder: string, files: Record<string, string | undefined>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await (text === undefined ? rm(join(folder, path), { force: true }) : writeFile(join(folder, path), text));
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Change');
}

describe('the cache of a check', () => {
  it('changes nothing about what is found, after any commits', async function () {
    this.timeout(60_000);
    const dice = seededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(dice() * from.length)]!;
    const some = <T>(from: readonly T[]): T[] => from.filter(() => dice() < 0.5);
    const names = ['retryLimit', 'flushBatch', 'SHARD_QUOTA', 'mergeTicket'];
    const folder = await repository();
    const store = new Store();
    let count = 0;
    for (let round = 0; round < 14; round++) {
      const code = some(names).map((name) => `export const ${name} = ${pick([10, 20])};`);
      const text = some(names).map(
        (name) =>
          `Set \`${name}\`, which is ${pick([10, 20])} by default, in [it](${name}.ts). Run \`npm run ${name}\`.`,
      );
      await commit(folder, {
        [`src/${pick(['a', 'b'])}.ts`]: dice() < 0.2 ? undefined : `${code.join('\n')}\n`,
        ...(dice() < 0.5 ? { [`docs/${pick(['a', 'b'])}.md`]: `# Page\n\n${text.join('\n\n')}\n` } : {}),
        [`docs/${pick(names)}.ts`]: pick([undefined, 'x\n']),
        'package.json': JSON.stringify({ scripts: Object.fromEntries(some(names).map((name) => [name, 'x'])) }),
      });
      const without = await checkPages([folder]);
      deepStrictEqual(await checkPages([folder], {}, {}, store), without, `seed ${seed}, round ${round}`);
      deepStrictEqual(await checkPages([folder], {}, {}, store), without, `seed ${seed}, round ${round}, unchanged`);
      count += without.findings.length;
    }
    ok(count > 0, 'nothing was found in any round');
  });

  it('is ignored after a change of the settings, and if another version wrote it', async () => {
    const folder = await repository();
    await commit(folder, { 'src/a.ts': 'export const retryLimit = 1;\n', 'a.md': 'Set `retryLimit`.\n' });
    await commit(folder, { 'src/a.ts': 'export const other = 1;\n' });
    const store = new Store();
    const all = await checkPages([folder], {}, {}, store);
    strictEqual(all.findings.length, 1);
    const ignore = [{ name: 'retryLimit', reason: '' }];
    const saved = store.text;
    deepStrictEqual((await checkPages([folder], { ignore }, {}, store)).findings, []);
    notStrictEqual(store.text, saved);
    for (const other of ['{"key":"x","pages":[]}', '[]', 'null', '"x"']) {
      store.text = other;
      deepStrictEqual(await checkPages([folder], {}, {}, store), all, other);
    }
  });

  it('leaves out what it knows, and reads new versions only', async () => {
    const folder = await repository();
    await commit(folder, { 'src/a.ts': 'export const retryLimit = 1;\n', 'a.md': 'Set `retryLimit`.\n' });
    await commit(folder, { 'src/a.ts': 'export const other = 1;\n' });
    const store = new Store();
    await checkPages([folder], {}, {}, store);
    // Were the page and the versions read again, the name would be found.
    store.text = store.text?.replaceAll('retryLimit', 'limitRetry');
    deepStrictEqual((await checkPages([folder], {}, {}, store)).findings, []);
  });
});
