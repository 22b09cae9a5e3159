import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';

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
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = await open(`${fileOf(directory)}.new`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(journal));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${fileOf(directory)}.new`, fileOf(directory));
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
  await rm(fileOf(directory), { force: true });
}

function fileOf(directory: string): string {
  return join(directory, 'merge.json');
}
