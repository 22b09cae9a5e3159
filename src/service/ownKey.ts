import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { LOCAL_KEY, LOCAL_KEY_PREFIX } from '../shared/protocol/localKey';
import { PRIVATE_FILE, keepPrivate } from '../shared/util/fileModes';

/**
 * The key of a service that was started by hand: read from its file (mode 0600), or made and kept there. Throws when the
 * file holds something else, so that nothing of the user's is written over.
 */
export async function ownKey(file: string): Promise<string> {
  await makeIfMissing(file);
  keepPrivate(file);
  const key = (await readFile(file, 'utf8')).trim();
  if (!LOCAL_KEY.test(key)) {
    throw new Error(`“${file}” does not hold a key. Remove it; a new one is made at the next start.`);
  }
  return key;
}

/** The file comes into being with the whole key in it, and never over one that is there. */
async function makeIfMissing(file: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.new`;
  await writeFile(unfinished, `${LOCAL_KEY_PREFIX}${randomBytes(32).toString('hex')}\n`, { mode: PRIVATE_FILE });
  try {
    await link(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    await rm(unfinished, { force: true });
  }
}
