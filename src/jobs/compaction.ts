import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { JobStore } from './jobStore';
import type { RecordFiles } from './ports';
import { isFinished, isRunning, type TrackedJob } from './trackedJob';

export interface CompactionOptions {
  store: Pick<JobStore, 'jobs' | 'onDidChange'>;
  files: Pick<RecordFiles, 'compact'>;
  log: Logger;
}

/** Compacts the event files of ended jobs into one file each, one job at a time. */
export class Compaction implements Disposable {
  private readonly waiting = new Set<string>();
  private readonly listening: Disposable;
  private working: Promise<void> = Promise.resolve();
  private isWorking = false;
  private isDisposed = false;

  constructor(private readonly options: CompactionOptions) {
    // Only the window that wrote the last event compacts; the others just read the result.
    this.listening = options.store.onDidChange(({ job, event }) => {
      if (event !== undefined) {
        this.add([job]);
      }
    });
  }

  /** Compacts what earlier sessions left. */
  packAll(): void {
    this.add(this.options.store.jobs);
  }

  /** Resolves when nothing is left to compact. */
  get idle(): Promise<void> {
    return this.working;
  }

  dispose(): void {
    this.isDisposed = true;
    this.listening.dispose();
  }

  private add(jobs: readonly TrackedJob[]): void {
    jobs.filter(hasEnded).forEach(({ key }) => this.waiting.add(key));
    if (!this.isWorking && this.waiting.size > 0) {
      this.isWorking = true;
      this.working = this.work().finally(() => (this.isWorking = false));
    }
  }

  private async work(): Promise<void> {
    for (const key of this.waiting) {
      if (this.isDisposed) {
        return;
      }
      this.waiting.delete(key);
      await this.options.files
        .compact(key)
        .catch((error: unknown) => this.options.log.warn(`couldn’t compact the records of job ${key}`, error));
    }
  }
}

function hasEnded(job: TrackedJob): boolean {
  return !isRunning(job) && job.sends.every(isFinished);
}
