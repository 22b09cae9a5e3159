import type { Clock } from '../base/async';
import { type Disposable, DisposableStore } from '../base/disposable';
import type { Logger } from '../base/logger';
import { EndedJobs } from './endedJobs';
import { LOCAL_SERVICE } from './events';
import { JobStore } from './jobStore';
import { LeaderElection } from './leaderElection';
import { NewsListener } from './newsListener';
import { Notices, type Notifier } from './notices';
import { Outbox } from './outbox';
import { Poller } from './poller';
import type { JobApi, JobNews, LeaderFile, LeaderRecord, QuotaLedger, RecordFiles, UiProbe } from './ports';
import { SendLoop } from './sendLoop';

export interface JobEngineOptions {
  files: RecordFiles;
  budget: QuotaLedger;
  leader: LeaderFile;
  api: JobApi;
  news: JobNews;
  uiProbe: UiProbe;
  notifier: Notifier;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  /** Generates a unique id of lowercase letters and digits. */
  newId: () => string;
  log: Logger;
}

/** How long closing a window waits for answers, in milliseconds. The editor itself waits five seconds. */
const ANSWER_LIMIT_MS = 4000;

/** Wires up the domain of one window: intent → outbox → service → record → views. */
export class JobEngine implements Disposable {
  readonly store: JobStore;
  readonly outbox: Outbox;
  readonly loop: SendLoop;
  readonly poller: Poller;
  readonly listener: NewsListener;
  private readonly ended: EndedJobs;
  private readonly owned = new DisposableStore();
  private caughtUp: () => void = () => undefined;

  constructor(private readonly options: JobEngineOptions) {
    const { files, budget, leader, api, news, uiProbe, notifier, clock, random, newId, log } = options;
    const store = new JobStore({ files, clock, newId, log });
    const failing = (): LeaderRecord['failing'] => this.poller.failing;
    const onHeard = (heard: LeaderRecord['failing']): void => this.poller.applyLeaderHealth(heard);
    const election = this.owned.add(
      new LeaderElection({ file: leader, uiProbe, clock, window: newId(), failing, onHeard, log }),
    );
    const loop = this.owned.add(new SendLoop({ store, api, budget, leadership: election, clock, random, log }));
    const poller = this.owned.add(new Poller({ store, api, leadership: election, clock, random, log }));
    const caughtUp = new Promise<void>((resolve) => (this.caughtUp = resolve));
    this.owned.add(new Notices({ store, clock, log, uiProbe, notifier, caughtUp }));
    const ended = this.owned.add(new EndedJobs({ store, news, clock, log }));
    const listener = this.owned.add(
      new NewsListener({ store, poller, ended, news, leadership: election, clock, random, log }),
    );
    const updateParticipation = (): void =>
      election.setParticipating(poller.isFollowing || !loop.isIdle || listener.isWanted);
    this.owned.add(loop.onDidChange(updateParticipation));
    this.owned.add(listener.onDidChange(updateParticipation));
    this.owned.add(
      store.onDidChange(({ job, event }) => {
        poller.follow(job);
        loop.follow(job);
        updateParticipation();
        if (event?.type === 'created' || event?.type === 'tracked') {
          this.poller.noteAnswer(job.location.service);
          // The service accepted this key, so any earlier rejection no longer applies.
          loop.keyChanged(job.location.service);
        }
      }),
    );
    this.owned.add(
      poller.onDidAnswer((service) => {
        loop.noteAnswer(service);
        if (service === LOCAL_SERVICE) {
          listener.wake();
        }
      }),
    );
    this.store = store;
    this.listener = listener;
    this.ended = ended;
    this.loop = loop;
    this.poller = poller;
    this.outbox = new Outbox({ store, loop, clock, newId });
  }

  /**
   * Reads the records and polls each running job once. Notices about jobs that ended in the meantime are shown after
   * that.
   */
  async open(onLoaded: () => void = () => undefined): Promise<void> {
    try {
      await this.store.load();
      onLoaded();
      await this.lookNow();
    } finally {
      this.caughtUp();
    }
  }

  /**
   * Polls each running job and, if the local service runs, checks its ended jobs: the user has returned, or wants the
   * list to be up to date. Never rejects.
   */
  async lookNow(): Promise<void> {
    this.listener.wake();
    await Promise.all([this.poller.pollNow(), this.ended.checkAll()]);
  }

  /** Called when there is a new key for a service. */
  keyChanged(service: string): void {
    this.loop.keyChanged(service);
    void this.poller.pollNow(service);
  }

  /**
   * Starts nothing new, and resolves when everything in progress has been written or the time limit for answers has
   * passed. Never rejects.
   */
  async end(): Promise<void> {
    this.dispose();
    await new Promise<void>((resolve) => {
      const limit = this.options.clock.after(ANSWER_LIMIT_MS, resolve);
      void this.loop.end().then(() => {
        limit.dispose();
        resolve();
      });
    });
    await this.store.settle();
  }

  dispose(): void {
    this.owned.dispose();
  }
}
