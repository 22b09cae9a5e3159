import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalTarget } from '../client/localServiceClient';
import { KEY_FILE, STATE_FILE } from './dataFolder';
import { UsageError } from './options';
import { readRunningState } from './stateFile';

/** Finds the service that is running with the data folder; undefined if there is none. Throws UsageError. */
export async function findService(data: string): Promise<LocalTarget | undefined> {
  const state = await readRunningState(join(data, STATE_FILE));
  if (state === undefined) {
    return undefined;
  }
  const apiKey = (await readFile(join(data, KEY_FILE), 'utf8').catch(() => '')).trim();
  if (apiKey === '') {
    throw new UsageError('This service was started by VS Code. Work with its jobs there.');
  }
  return { baseUrl: `http://127.0.0.1:${state.port}`, apiKey };
}
