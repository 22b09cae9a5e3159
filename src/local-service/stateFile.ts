import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { move, PRIVATE_FILE, removeFile } from '../base/files';
import { processStartTime } from '../base/process';
import { type ServiceState, serviceStateSchema } from '../protocol/localService';

/** Writes the state file atomically, readable only by its owner. */
async function writeStateFile(file: string, state: ServiceState): Promise<void> {
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

/** Marks in the state file that its service is shutting down, unless the file belongs to another service. */
async function markEnding(file: string, own: ServiceState): Promise<void> {
  if (await isOwn(file, own)) {
    await writeStateFile(file, { ...own, ending: true });
  }
}

/** Removes the state file, unless another service has written its own there in the meantime. */
async function removeStateFile(file: string, own: ServiceState): Promise<void> {
  if (await isOwn(file, own)) {
    await removeFile(file);
  }
}

/**
 * Returns the state of a service that is running and not shutting down; undefined if the file names none. Such a service
 * will not release the data folder, so waiting for it is pointless.
 */
export async function readRunningState(file: string): Promise<ServiceState | undefined> {
  const state = await readStateFile(file);
  const isRunning = state?.ending !== true && state?.startTime === (await processStartTime(state?.pid ?? 0));
  return isRunning ? state : undefined;
}

async function isOwn(file: string, own: ServiceState): Promise<boolean> {
  const found = await readStateFile(file);
  return found?.pid === own.pid && found.startTime === own.startTime;
}

/** Returns undefined when the file is missing or can't be read. */
async function readStateFile(file: string): Promise<ServiceState | undefined> {
  try {
    return serviceStateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Tells others about the shutdown of this service. */
export interface StateFileHandle {
  /** Marks that the shutdown has begun. */
  ends: () => Promise<void>;
  /**
   * Removes the state file. Call it while this process still holds the database, so that no other service can have
   * written its own file yet.
   */
  forget: () => Promise<void>;
}

/** Writes the state file. */
export async function createStateFile(
  stateFile: string,
  release: string | undefined,
  program: string,
  port: number,
): Promise<StateFileHandle> {
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

/** Hashes only the entry file: it names the other files, whose names contain the hashes of their contents. */
async function buildOf(program: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(program))
    .digest('hex')
    .slice(0, 12);
}
