import { JobStore } from '../../../src/jobs/jobStore';
import { Notices } from '../../../src/jobs/notices';
import { Outbox, type Sent } from '../../../src/jobs/outbox';
import { Poller } from '../../../src/jobs/poller';
import type { Home } from '../../../src/jobs/events';
import type { Send, TrackedJob } from '../../../src/jobs/trackedJob';
import type { WireJob } from '../../../src/shared/protocol/job';
import { ManualClock } from '../../support/manualClock';
import { MemoryRecords } from '../../support/memoryRecords';
import { ScriptedJobApi } from '../../support/scriptedJobApi';

export const home: Home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };

export function wireJob(status: string, more: Partial<WireJob> = {}): WireJob {
  return { id: 'j1', status, prLink: null, ...more };
}

export interface Shared {
  clock: ManualClock;
  records: MemoryRecords;
  api: ScriptedJobApi;
}

export function shared(): Shared {
  return { clock: new ManualClock(), records: new MemoryRecords(), api: new ScriptedJobApi() };
}

/** The domain as one editor window puts it together, without an editor. */
export class WindowOfJobs {
  private static made = 0;
  readonly told: string[][] = [];
  readonly warnings: string[] = [];
  readonly store: JobStore;
  readonly outbox: Outbox;
  readonly poller: Poller;
  readonly notices: Notices;
  private caughtUp: () => void = () => undefined;
  private readonly clock: ManualClock;

  constructor({ clock, records, api }: Shared) {
    this.clock = clock;
    let ids = 0;
    const prefix = `w${WindowOfJobs.made++}n`;
    const newId = (): string => `${prefix}${String(ids++).padStart(16, '0')}`;
    const warn = (message: string): void => void this.warnings.push(message);
    const log = { info: () => undefined, warn, error: warn };
    this.store = new JobStore({ files: records, clock, newId, log });
    this.outbox = new Outbox({ store: this.store, api, clock, newId, log });
    this.poller = new Poller({ store: this.store, api, clock, random: () => 0.5, log });
    const present = (jobs: readonly TrackedJob[]): void => void this.told.push(jobs.map((job) => job.key));
    const caughtUp = new Promise<void>((resolve) => (this.caughtUp = resolve));
    this.notices = new Notices({ store: this.store, clock, log, present, caughtUp });
    this.store.onDidChange(({ job, event }) => {
      if (event?.type === 'created') {
        this.poller.reached(job.home.service);
      }
      this.poller.follow(job);
      this.outbox.adopt(job);
    });
  }

  /** Reads the records and asks once for each running job, as a window does when it opens. */
  async open(): Promise<this> {
    await this.store.load();
    await this.poller.pollNow();
    this.caughtUp();
    await this.clock.advance(0);
    return this;
  }

  async create(at: Home, prompt: string): Promise<Sent> {
    return (await this.outbox.create(at, prompt)).sent;
  }

  async followUp(job: TrackedJob, prompt: string): Promise<Sent> {
    return (await this.outbox.followUp(job, prompt)).sent;
  }

  async sendAgain(job: TrackedJob, send: Send, prompt?: string): Promise<Sent> {
    return (await this.outbox.sendAgain(job, send, prompt)).sent;
  }

  /** Ends as a window does that is closed. */
  close(): void {
    this.notices.dispose();
    this.poller.dispose();
    this.outbox.dispose();
  }

  /** The only job. */
  get job(): TrackedJob {
    const [job] = this.store.jobs;
    if (job === undefined) {
      throw new Error('there is no job');
    }
    return job;
  }
}
