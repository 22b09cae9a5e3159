import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { move, PRIVATE_FILE, removeFile } from '../base/files';
import { processStartTime } from '../base/process';
import { type ServiceState, serviceStateSchema } from '../protocol/localService';
import type { ServeOptions } from './commandLine';

/** Writes the state file whole or not at all, readable for its owner alone. */
export async function writeStateFile(file: string, state: ServiceState): Promise<void> {
  const unfinished = `${file}.${state.pid}.new`;
  const handle = await open(unfinished, 'w', PRIVATE_FILE);
  try {
    await handle.writeFile(`${JSON.stringify(state)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await move(unfinished, file);
}

/** Notes in the state file that its service ends, unless the file is another's. */
export async function markEnding(file: string, own: ServiceState): Promise<void> {
  if (await isOwn(file, own)) {
    await writeStateFile(file, { ...own, ending: true });
  }
}

/** Removes the state file, unless another service has written its own there meanwhile. */
export async function removeStateFile(file: string, own: ServiceState): Promise<void> {
  if (await isOwn(file, own)) {
    await removeFile(file);
  }
}

/** Whether the file names a service that lives and does not end: one that is started beside it has nothing to wait for. */
export async function namesStayingService(file: string): Promise<boolean> {
  const state = await readStateFile(file);
  return state !== undefined && state.ending !== true && (await processStartTime(state.pid)) === state.startTime;
}

async function isOwn(file: string, own: ServiceState): Promise<boolean> {
  const found = await readStateFile(file);
  return found?.pid === own.pid && found.startTime === own.startTime;
}

/** Undefined when there is none, or none that can be read. */
async function readStateFile(file: string): Promise<ServiceState | undefined> {
  try {
    return serviceStateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

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
