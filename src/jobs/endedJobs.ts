import type { Clock } from '../base/async';
import type { Logger } from '../base/logger';
import type { WireJob } from '../protocol/job';
import type { Snapshot } from './events';
import type { JobStore } from './jobStore';
import type { JobNews } from './ports';
import { detectChangeAfterEnd, toSnapshot } from './snapshot';
import { isListed, isRunning, type TrackedJob } from './trackedJob';

export interface EndedJobsOptions {
  store: JobStore;
  news: JobNews;
  clock: Clock;
  log: Logger;
}

/**
 * Checks ended jobs of the services that list theirs; they are not polled: another client can start another run, the
 * command line can merge or close the work, and others can change what is around it.
 */
export class EndedJobs {
  private checking: Promise<void> | undefined;
  private readonly ending = new AbortController();

  constructor(private readonly options: EndedJobsOptions) {}

  /** Checks all ended jobs once, if the service runs. Calls made in the meantime share the result. Never rejects. */
  checkAll(): Promise<void> {
    return (this.checking ??= this.listAll().finally(() => (this.checking = undefined)));
  }

  /** Checks one ended job. Never rejects. */
  async check(job: TrackedJob): Promise<void> {
    const { news } = this.options;
    if (job.snapshot === undefined || !isEndedHere(job)) {
      return;
    }
    try {
      const answer = await news.find(job.location, job.snapshot.id, this.ending.signal);
      if (answer !== undefined) {
        await this.apply(job, toSnapshot(answer));
      }
    } catch (error) {
      this.warn(`couldn’t check job ${job.key}`, error);
    }
  }

  dispose(): void {
    this.ending.abort();
  }

  private async listAll(): Promise<void> {
    const { store, news } = this.options;
    const projectOf = ({ location }: TrackedJob): string => `${location.service} ${location.projectId}`;
    for (const own of Map.groupBy(store.jobs.filter(isEndedHere), projectOf).values()) {
      const [{ location } = {}] = own;
      if (location === undefined) {
        continue;
      }
      try {
        await this.applyAll(news.list(location), new Map(own.map((job) => [job.snapshot?.id ?? '', job])));
      } catch (error) {
        this.warn('couldn’t check the jobs that have ended', error);
      }
    }
  }

  private async applyAll(answers: AsyncIterable<WireJob>, wanted: Map<string, TrackedJob>): Promise<void> {
    const oldest = Math.min(...[...wanted.values()].map(serviceTime));
    for await (const answer of answers) {
      const job = wanted.get(answer.id);
      wanted.delete(answer.id);
      if (job !== undefined) {
        await this.apply(job, toSnapshot(answer));
      }
      const isPast = answer.createdAt != null && Date.parse(answer.createdAt) < oldest;
      if (wanted.size === 0 || isPast || this.ending.signal.aborted) {
        return;
      }
    }
  }

  /** @param asked the job as known when the request was sent: the answer says nothing about anything later */
  private async apply(asked: TrackedJob, answer: Snapshot): Promise<void> {
    const { store, clock } = this.options;
    const change = () => {
      const job = store.get(asked.key);
      const isSame = job?.run === asked.run && job.endedAt === asked.endedAt;
      return isSame && !isPosting(job) && !this.ending.signal.aborted
        ? detectChangeAfterEnd(job, answer, clock.now())
        : undefined;
    };
    if (change() === undefined) {
      return;
    }
    // The follow-up may be one of ours that another window is sending; its intent is on disk by now.
    await store.reload(asked.key);
    const event = change();
    if (event !== undefined) {
      await store.record(asked.key, event);
    }
  }

  private warn(text: string, error: unknown): void {
    if (!this.ending.signal.aborted) {
      this.options.log.warn(text, error);
    }
  }
}

function isEndedHere(job: TrackedJob): boolean {
  return job.snapshot !== undefined && isListed(job) && !isRunning(job);
}

/** True while one of our own follow-ups is being sent: the service may just have received it. */
function isPosting({ prompts }: TrackedJob): boolean {
  return prompts.some(({ kind, state }) => kind === 'followUp' && (state === 'queued' || state === 'sending'));
}

/** When the service created the job: wall time in milliseconds, or -Infinity if unknown. */
function serviceTime({ snapshot }: TrackedJob): number {
  const made = Date.parse(snapshot?.createdAt ?? '');
  return Number.isNaN(made) ? -Infinity : made;
}
