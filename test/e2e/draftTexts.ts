import { deepStrictEqual } from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns the unsent drafts on disk below the extension's global storage that have text, sorted. */
export async function draftTexts(storage: string): Promise<string[]> {
  const folder = join(storage, 'drafts');
  // A file that is still being written has another extension.
  const names = (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.md'));
  // A draft may have been deleted in the meantime.
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '').toSorted();
}

/** Waits until the drafts on disk are exactly these. */
export async function untilDrafts(storage: string, ...wanted: string[]): Promise<void> {
  for (let tries = 0; tries < 400 && (await draftTexts(storage)).join() !== wanted.join(); tries++) {
    await delay(50);
  }
  deepStrictEqual(await draftTexts(storage), wanted);
}
