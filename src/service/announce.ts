import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { processStartTime } from '../shared/util/processStartTime';
import type { ServeOptions } from './commandLine';
import { removeStateFile, writeStateFile } from './stateFile';

/** Writes the state file, if one is wanted. Returns what takes it away again. */
export async function announce(
  { stateFile, release }: Pick<ServeOptions, 'stateFile' | 'release'>,
  program: string,
  port: number,
): Promise<() => Promise<void>> {
  if (stateFile === undefined) {
    return () => Promise.resolve();
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
  return () => removeStateFile(stateFile, state);
}

/** Of the first file alone: it names the others, and these have their contents' hashes in their names. */
async function buildOf(program: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(program))
    .digest('hex')
    .slice(0, 12);
}
