import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processStartTime } from '../../../src/base/process';
import { serviceStateSchema } from '../../../src/protocol/localService';

/** How long a service may take to exit by itself, in milliseconds. */
const GRACE = 5_000;

/**
 * Ends the local services whose state files are below `folder`. They are designed to outlive a window, so they would
 * also outlive an aborted test. Like the extension, this compares the start time before it ends a process.
 */
export async function endLocalServices(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('state.json')).map((name) => join(folder, name));
  await Promise.all(files.map(endService));
}

async function endService(stateFile: string): Promise<void> {
  const state = serviceStateSchema.safeParse(await readJson(stateFile));
  if (!state.success) {
    return;
  }
  const { pid, startTime } = state.data;
  const runs = async (): Promise<boolean> => (await processStartTime(pid)) === startTime;
  if (await runs()) {
    process.kill(pid, 'SIGTERM');
  }
  for (const end = Date.now() + GRACE; Date.now() < end && (await runs());) {
    await delay(50);
  }
  if (await runs()) {
    process.kill(pid, 'SIGKILL');
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
