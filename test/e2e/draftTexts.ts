import { deepStrictEqual } from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The texts that were typed and not sent, as they stand on the disk below the extension's global storage, sorted. */
export async function draftTexts(storage: string): Promise<string[]> {
  const folder = join(storage, 'drafts');
  // One that is being written has another ending.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  // One that was dropped meanwhile has no text any more.
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)));
  return contents
    .filter((content) => content !== undefined)
    .map((content) => (JSON.parse(content) as { text: string }).text)
    .toSorted();
}

/** Waits until the drafts on the disk are these. */
export async function untilDrafts(storage: string, ...wanted: string[]): Promise<void> {
  for (let tries = 0; tries < 400 && (await draftTexts(storage)).join() !== wanted.join(); tries++) {
    await delay(50);
  }
  deepStrictEqual(await draftTexts(storage), wanted);
}
