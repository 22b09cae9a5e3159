import { createHash } from 'node:crypto';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { type TrackedJob, isListed, waitsForKey } from '../../jobs/trackedJob';
import type { Clock } from '../../shared/util/clock';
import { type Disposable, DisposableStore } from '../../shared/util/disposable';
import { makePrivateFolder } from '../../shared/util/fileModes';
import type { Logger } from '../../shared/util/logger';
import { claimFile } from '../../storage/writeDurably';
import type { ApiKeys } from './apiKeys';

export interface KeyNoticesOptions {
  store: Pick<JobStore, 'jobs' | 'get' | 'onDidChange'>;
  poller: Pick<Poller, 'health' | 'onDidChangeHealth'>;
  keys: Pick<ApiKeys, 'get' | 'onDidChange'>;
  /** Where all windows note which keys they told of. */
  folder: string;
  /** Resolves after a round trip to the user interface. */
  reached: () => Promise<void>;
  isInFront: () => boolean;
  onDidComeToFront: (listener: () => void) => Disposable;
  /** Shows that the key of a service is missing or was rejected, until the promise resolves. */
  show: (service: string, isMissing: boolean, until: Promise<void>) => void;
  clock: Clock;
  log: Logger;
}

/** How long whoever sends in the foreground has to ask for another key themselves, in milliseconds. */
const SETTLE_MS = 1500;

/**
 * Tells that a service rejected its key: once for each key, over all windows, in the one that the user looks at. The
 * notice goes when there is another key, or nothing needs it any more.
 */
export class KeyNotices implements Disposable {
  /** Services that may have rejected their keys. */
  private readonly suspects = new Set<string>();
  private readonly shown = new Map<string, () => void>();
  private timer: Disposable | undefined;
  private readonly owned = new DisposableStore();

  constructor(private readonly options: KeyNoticesOptions) {
    const { store, poller, keys, onDidComeToFront } = options;
    this.owned.add(store.onDidChange(({ job }) => this.look(job)));
    this.owned.add(poller.onDidChangeHealth((key) => this.look(store.get(key))));
    this.owned.add(onDidComeToFront(() => this.lookSoon()));
    this.owned.add(
      keys.onDidChange((service) => {
        this.suspects.delete(service);
        this.close(service);
      }),
    );
  }

  /** True for the one, over all windows, who is to tell that the present key of a service was rejected. */
  async claim(service: string): Promise<boolean> {
    const key = await this.options.keys.get(service);
    if (key === undefined) {
      return false;
    }
    const { folder } = this.options;
    await makePrivateFolder(folder);
    // The name says nothing about the key, which is random and long.
    return claimFile(folder, createHash('sha256').update(`${service}\n${key}`).digest('hex').slice(0, 16));
  }

  /** Shows the notice, whoever told before: the user has just been asked for a key and gave none. */
  show(service: string, isMissing: boolean): void {
    this.close(service);
    this.options.show(service, isMissing, new Promise((resolve) => this.shown.set(service, resolve)));
  }

  dispose(): void {
    this.owned.dispose();
    this.timer?.dispose();
    [...this.shown.keys()].forEach((service) => this.close(service));
  }

  private look(job: TrackedJob | undefined): void {
    if (job !== undefined && job.home.service !== LOCAL_SERVICE && isRefused(job, this.options.poller)) {
      this.suspects.add(job.home.service);
    }
    this.lookSoon();
  }

  private lookSoon(): void {
    if (this.suspects.size > 0 || this.shown.size > 0) {
      this.timer ??= this.options.clock.after(SETTLE_MS, () => {
        this.tell()
          .catch((error: unknown) => this.options.log.warn('that a key was rejected could not be told', error))
          .finally(() => (this.timer = undefined));
      });
    }
  }

  private async tell(): Promise<void> {
    const { store, poller, reached, isInFront } = this.options;
    const listed = store.jobs.filter(isListed);
    const refused = new Set(listed.filter((job) => isRefused(job, poller)).map(({ home }) => home.service));
    const waiting = new Set(listed.filter(({ sends }) => sends.some(waitsForKey)).map(({ home }) => home.service));
    [...this.shown.keys()]
      .filter((service) => !refused.has(service) && !waiting.has(service))
      .forEach((service) => this.close(service));
    await reached();
    for (const service of isInFront() ? [...this.suspects] : []) {
      this.suspects.delete(service);
      if (refused.has(service) && (await this.claim(service))) {
        this.show(service, false);
      }
    }
  }

  private close(service: string): void {
    this.shown.get(service)?.();
    this.shown.delete(service);
  }
}

/** True where the service rejected the key: the job can't be checked, or a prompt of it waits for another one. */
export function isRefused(job: TrackedJob, poller: Pick<Poller, 'health'>): boolean {
  const isUnsent = job.sends.some((send) => waitsForKey(send) && send.reason?.code !== 'NO_KEY');
  return isUnsent || poller.health(job.key)?.failure === 'unauthorized';
}
