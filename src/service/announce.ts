import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { processStartTime } from '../shared/util/processStartTime';
import type { ServeOptions } from './commandLine';
import { markEnding, removeStateFile, writeStateFile } from './stateFile';

/** What others are told of the end of this service. */
export interface Announcement {
  /** Tells that the end has begun. */
  ends: () => Promise<void>;
  /** Takes the state file away; while this process holds the database, so that no other has written its own there yet. */
  forget: () => Promise<void>;
}

/** Writes the state file, if one is wanted. */
export async function announce(
  { stateFile, release }: Pick<ServeOptions, 'stateFile' | 'release'>,
  program: string,
  port: number,
): Promise<Announcement> {
  if (stateFile === undefined) {
    return { ends: () => Promise.resolve(), forget: () => Promise.resolve() };
  }
  const state = {
    version: 1 as const,
    pid: process.pid,
    startTime: (await processStartTime(process.pid)) ?? '',
    port,
    build: await buildOf(program),
    ...(release === undefined ? {} : { release }),
  };
  await writeStateFile(stateFile, state);
  return { ends: () => markEnding(stateFile, state), forget: () => removeStateFile(stateFile, state) };
}

/** Of the first file alone: it names the others, and these have their contents' hashes in their names. */
async function buildOf(program: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(program))
    .digest('hex')
    .slice(0, 12);
}
