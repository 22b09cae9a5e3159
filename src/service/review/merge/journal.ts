import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { move, removeFile, syncFolder } from '../../../shared/util/durability';
import { PRIVATE_FILE, makePrivateFolder } from '../../../shared/util/fileModes';

const journalSchema = z.object({
  version: z.literal(1),
  folder: z.string(),
  ref: z.string(),
  from: z.string(),
  /** Null while nothing but git's lock on the index was taken. */
  to: z.nullable(z.string()),
});

/** A merge that is going on: which branch of which work tree goes from where to where. */
export type Journal = z.infer<typeof journalSchema>;

/** It is on disk when the call returns. */
export async function writeJournal(directory: string, journal: Journal): Promise<void> {
  await makePrivateFolder(directory);
  const file = await open(`${fileOf(directory)}.new`, 'w', PRIVATE_FILE);
  try {
    await file.writeFile(JSON.stringify(journal));
    await file.sync();
  } finally {
    await file.close();
  }
  await move(`${fileOf(directory)}.new`, fileOf(directory));
  await syncFolder(directory);
}

/** Returns undefined when no merge of this job was cut off. */
export async function readJournal(directory: string): Promise<Journal | undefined> {
  const text = await readFile(fileOf(directory), 'utf8').catch(() => undefined);
  try {
    return text === undefined ? undefined : journalSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function removeJournal(directory: string): Promise<void> {
  await removeFile(fileOf(directory));
}

function fileOf(directory: string): string {
  return join(directory, 'merge.json');
}
