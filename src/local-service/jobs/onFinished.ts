import { exec } from 'node:child_process';
import type { Disposable } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import type { WireJob } from '../../protocol/job';
import type { JobStore, TurnOutline } from '../store/jobStore';
import { sanitize } from '../text';

/** How long the user's command may take, in milliseconds. */
const COMMAND_MS = 60_000;

/** Whether a turn has ended, and neither the user nor a newer message stopped it. */
export function isFinished(turn: Pick<TurnOutline, 'state'> | undefined): boolean {
  return turn?.state === 'done' || turn?.state === 'failed';
}

/**
 * Runs a command of the user's in a shell each time that a job completes or fails from now on, with the job as JSON on
 * its standard input. Nothing waits for it. It comes from the command line only, never from the settings of a project.
 */
export function onFinished(
  store: Pick<JobStore, 'jobWithTurns' | 'onJob'>,
  {
    command,
    log,
    describe,
  }: { command: string; log: Logger; describe: (jobId: string) => Promise<WireJob | undefined> },
): Disposable {
  const startedAt = Date.now();
  const told = new Set<number>();
  const tell = async (jobId: string): Promise<void> => {
    const newest = (await store.jobWithTurns(jobId))?.turns.at(-1);
    if (newest === undefined || !isFinished(newest) || (newest.endedAt ?? 0) < startedAt || told.has(newest.id)) {
      return;
    }
    told.add(newest.id);
    const json = JSON.stringify(await describe(jobId));
    const child = exec(command, { timeout: COMMAND_MS, windowsHide: true }, (error, _, stderr) => {
      if (error !== null) {
        const why = error.killed === true ? 'was ended' : `ended with code ${error.code ?? 'none'}`;
        log.warn(`job ${jobId}: the command of --on-finished ${why}: ${sanitize(stderr)}`);
      }
    });
    // A command that doesn't read it hasn't failed.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${json}\n`);
  };
  return store.onJob((jobId) => {
    void tell(jobId ?? '').catch((error: unknown) => log.warn('couldn’t run the command of --on-finished', error));
  });
}
