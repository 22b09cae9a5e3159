import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** An unfinished install that is older than this is considered interrupted, in milliseconds. */
const ABANDONED_AFTER = 30 * 60_000;

/** How often a long download shows that it is still running, in milliseconds. */
const SIGN_OF_LIFE_MS = 5_000;

/** The installs of this process that are under way, by folder. */
const running = new Map<string, Promise<void>>();

/**
 * Fills `folder` with `fill` unless that has been done. Works in a temporary folder and renames it when complete, so
 * that an interrupted run leaves nothing that looks finished. Callers in one process share an install. If two
 * processes compete, either one may win.
 *
 * @param what what is fetched, for the line that says so
 */
export async function installOnce(
  folder: string,
  what: string,
  fill: (into: string) => Promise<void>,
  say: (text: string) => void = (text) => void process.stderr.write(text),
): Promise<void> {
  const shared = running.get(folder);
  if (shared !== undefined) {
    return shared;
  }
  if (existsSync(folder)) {
    return;
  }
  const install = fillAndRename(folder, what, fill, say).finally(() => running.delete(folder));
  running.set(folder, install);
  return install;
}

async function fillAndRename(
  folder: string,
  what: string,
  fill: (into: string) => Promise<void>,
  say: (text: string) => void,
): Promise<void> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  await sweepAbandoned(parent);
  const unfinished = join(parent, `unfinished-${basename(folder)}-${randomUUID()}`);
  await mkdir(unfinished);
  const begun = Date.now();
  say(`Fetching ${what}, only this once ...\n`);
  const signs = setInterval(() => say(`  ... ${Math.round((Date.now() - begun) / 1000)} s\n`), SIGN_OF_LIFE_MS);
  try {
    await fill(unfinished);
    await rename(unfinished, folder).catch((error: unknown) => {
      if (!existsSync(folder)) {
        throw error;
      }
    });
  } finally {
    clearInterval(signs);
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function sweepAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (name.startsWith('unfinished-') && Date.now() - (await stat(path)).mtimeMs > ABANDONED_AFTER) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
