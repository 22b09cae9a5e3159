import { readFile } from 'node:fs/promises';
import { removeFile, replaceFile } from '../base/files';
import { processStartTime } from '../base/process';
import { type ServiceState, serviceStateSchema } from '../protocol/localService';

/**
 * Returns the state of a service that is running and not shutting down; undefined if the file names none. Such a service
 * will not release the data folder, so waiting for it is pointless.
 */
export async function readRunningState(file: string): Promise<ServiceState | undefined> {
  try {
    const state = serviceStateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return state.ending !== true && state.startTime === (await processStartTime(state.pid)) ? state : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the state file, for as long as this process holds the database: no other service can write there before that.
 * Returns how to mark that the shutdown has begun, and how to remove the file.
 */
export async function createStateFile(file: string, release: string | undefined, port: number) {
  const startTime = (await processStartTime(process.pid)) ?? '';
  const state: ServiceState = { version: 1, pid: process.pid, startTime, port, release };
  await replaceFile(file, JSON.stringify(state));
  return {
    ends: () => replaceFile(file, JSON.stringify({ ...state, ending: true })),
    forget: () => removeFile(file),
  };
}
