import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { move } from './durability';
import { PRIVATE_FILE, makePrivateFolder } from './fileModes';

/**
 * Writes a private file so that readers see the one before or the new one, whole. A crash of the machine may cost the new
 * one.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  await makePrivateFolder(dirname(file));
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(unfinished, text, { mode: PRIVATE_FILE });
    await move(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
