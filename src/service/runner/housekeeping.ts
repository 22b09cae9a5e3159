import type { Logger } from '../../shared/util/logger';
import type { JobArchive } from './jobArchive';

const HOUR_MS = 3_600_000;

/** Removes folders that have had their time, now and each hour. Returns what ends that. */
export function keepHouse(archive: Pick<JobArchive, 'sweep'>, keepDays: number, log: Logger): () => void {
  let isBusy = false;
  const sweep = (): void => {
    if (isBusy) {
      return;
    }
    isBusy = true;
    archive
      .sweep(keepDays)
      .catch((error: unknown) => log.warn('old folders could not be removed', error))
      .finally(() => (isBusy = false));
  };
  const timer = setInterval(sweep, HOUR_MS);
  timer.unref();
  sweep();
  return () => clearInterval(timer);
}
