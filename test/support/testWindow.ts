import { type Disposable, Emitter } from '../../src/base/disposable';
import type { ServiceLocation } from '../../src/jobs/events';
import { JobEngine } from '../../src/jobs/jobEngine';
import type { JobStore } from '../../src/jobs/jobStore';
import type { Outbox, SendResult } from '../../src/jobs/outbox';
import type { Poller } from '../../src/jobs/poller';
import type { JobApi } from '../../src/jobs/ports';
import type { OutgoingPrompt, TrackedJob } from '../../src/jobs/trackedJob';
import type { WireJob } from '../../src/protocol/job';
import { ManualClock } from './manualClock';
import { MemoryLeader, MemoryQuota, MemoryRecords } from './memoryStores';
import { ScriptedJobApi, ScriptedNews } from './scriptedJobApi';

export const location: ServiceLocation = {
  service: 'https://docs.example',
  baseUrl: 'https://docs.example',
  projectId: 'p1',
};

export function wireJob(status: string, more: Partial<WireJob> = {}): WireJob {
  return { id: 'j1', status, prLink: null, ...more };
}

export interface SharedPorts {
  clock: ManualClock;
  records: MemoryRecords;
  budget: MemoryQuota;
  leader: MemoryLeader;
  api: ScriptedJobApi;
  news: ScriptedNews;
  random: () => number;
}

export function createSharedPorts(): SharedPorts {
  const clock = new ManualClock();
  const [records, budget, api] = [new MemoryRecords(), new MemoryQuota(), new ScriptedJobApi()];
  return { clock, records, budget, leader: new MemoryLeader(), api, news: new ScriptedNews(), random: () => 0.5 };
}

/** What windows share, with any connection to the service. */
export type World = Omit<SharedPorts, 'api'> & { api: JobApi };

/** The job engine as one editor window assembles it, without an editor. */
export class TestWindow {
  private static made = 0;
  readonly told: string[][] = [];
  readonly warnings: string[] = [];
  isInFront = true;
  private readonly cameToFront = new Emitter<void>(rethrow);
  /** Delays each round trip to the user interface until it resolves. */
  userInterface: Promise<void> = Promise.resolve();
  readonly engine: JobEngine;
  readonly store: JobStore;
  readonly outbox: Outbox;
  readonly poller: Poller;
  private readonly clock: ManualClock;
  private readonly following: Disposable;

  constructor({ clock, records, budget, leader, api, news, random }: World) {
    this.clock = clock;
    let ids = 0;
    const prefix = `w${TestWindow.made++}n`;
    const newId = (): string => `${prefix}${String(ids++).padStart(16, '0')}`;
    const warn = (message: string): void => void this.warnings.push(message);
    const log = { info: () => undefined, warn, error: warn };
    const show = (jobs: readonly TrackedJob[]): void => void this.told.push(jobs.map((job) => job.key));
    const onDidComeToFront = this.cameToFront.event;
    const notifier = { shouldNotify: () => true, isInFront: () => this.isInFront, onDidComeToFront, show };
    const uiProbe = { ping: () => this.userInterface };
    const ports = { files: records, budget, leader, api, news, uiProbe, notifier };
    this.engine = new JobEngine({ ...ports, clock, random, newId, log });
    this.store = this.engine.store;
    this.following = records.changed.event((key) => void this.store.reload(key));
    this.outbox = this.engine.outbox;
    this.poller = this.engine.poller;
  }

  /** Reads the records and polls each running job once, as a window does when it opens. */
  async open(): Promise<this> {
    const progress = { isOpen: false };
    void this.engine.open().then(() => (progress.isOpen = true));
    for (let steps = 0; !progress.isOpen && steps < 1000; steps++) {
      await this.clock.advance(steps === 0 ? 0 : 250);
    }
    return this;
  }

  async create(at: ServiceLocation, prompt: string): Promise<SendResult> {
    return (await this.outbox.create(at, prompt)).sent;
  }

  async followUp(job: TrackedJob, prompt: string): Promise<SendResult> {
    return (await this.outbox.followUp(job, prompt)).sent;
  }

  async sendAgain(job: TrackedJob, send: OutgoingPrompt, prompt?: string): Promise<SendResult> {
    return (await this.outbox.sendAgain(job, send, prompt)).sent;
  }

  /** Gives this window the focus, or takes it away. */
  look(isInFront: boolean): void {
    this.isInFront = isInFront;
    if (isInFront) {
      this.cameToFront.fire();
    }
  }

  /** Shuts down as a window does when it is closed. */
  close(): void {
    this.following.dispose();
    this.engine.dispose();
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

function rethrow(error: unknown): never {
  throw error;
}
