import { open, readFile, rename, rm } from 'node:fs/promises';
import { type ServiceState, serviceStateSchema } from '../shared/protocol/localService';

/** Writes the state file whole or not at all, readable for its owner alone. */
export async function writeStateFile(file: string, state: ServiceState): Promise<void> {
  const unfinished = `${file}.${state.pid}.new`;
  const handle = await open(unfinished, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(state)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
}

/** Removes the state file, unless another service has written its own there meanwhile. */
export async function removeStateFile(file: string, own: ServiceState): Promise<void> {
  try {
    const found = serviceStateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    if (found.pid === own.pid && found.startTime === own.startTime) {
      await rm(file);
    }
  } catch {
    // Gone or not ours: nothing to remove.
  }
}
