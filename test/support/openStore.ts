import { systemClock } from '../../src/base/async';
import { openDatabase } from '../../src/local-service/store/openDatabase';
import { SqlJobStore } from '../../src/local-service/store/sqlJobStore';

/** Opens the local service's store in a file, as a service does that isn't waiting for another one to end. */
export async function openStore(file: string, now = Date.now): Promise<SqlJobStore> {
  const onSetAside = (): never => {
    throw new Error('the file is damaged');
  };
  const isStaying = async (): Promise<boolean> => true;
  return SqlJobStore.open(await openDatabase(file, { clock: { ...systemClock, now }, isStaying, onSetAside }));
}
