import { open, readFile } from 'node:fs/promises';
import { type ServiceState, serviceStateSchema } from '../shared/protocol/localService';
import { move, removeFile } from '../shared/util/durability';
import { PRIVATE_FILE } from '../shared/util/fileModes';
import { processStartTime } from '../shared/util/processStartTime';

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
