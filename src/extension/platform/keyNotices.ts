import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/async';
import { type Disposable, DisposableStore } from '../../base/disposable';
import { makePrivateFolder } from '../../base/files';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { claimFile } from '../../jobs/store/writeDurably';
import { isListed, type TrackedJob, waitsForKey } from '../../jobs/trackedJob';
import { COMMANDS } from '../ids';
import { type ApiKeys, serviceName } from './apiKeys';
import { toNotice } from './sanitize';

export interface KeyNoticesOptions {
  store: Pick<JobStore, 'jobs' | 'get' | 'onDidChange'>;
  poller: Pick<Poller, 'health' | 'onDidChangeHealth' | 'onDidReach'>;
  keys: Pick<ApiKeys, 'get' | 'onDidChange'>;
  /** Where all windows note which keys they told of. */
  folder: string;
  /** Resolves after a round trip to the user interface. */
  reached: () => Promise<void>;
  isInFront: () => boolean;
  onDidComeToFront: (listener: () => void) => Disposable;
  /** Shows that the key of a service is missing or was rejected, until the promise resolves; resolves when it is gone. */
  show: (service: string, isMissing: boolean, until: Promise<void>) => PromiseLike<void>;
  clock: Clock;
  log: Logger;
}

/** How long whoever sends in the foreground has to ask for another key themselves, in milliseconds. */
const SETTLE_MS = 1500;

/**
 * Tells that a service rejected its key, or that there is none: once for each key until it works again, over all windows,
 * in the one that the user looks at. The notice goes when there is another key, or nothing needs it any more. One that a window takes with it
 * when it closes comes again in the next.
 */
export class KeyNotices implements Disposable {
  /** Services that may have rejected their keys, or have none. */
  private readonly suspects = new Set<string>();
  /** Services that took their keys, whose claims are to go as soon as nothing is refused there. */
  private readonly worked = new Set<string>();
  /** Services of which no claim can be left, so that not every poll has to look. */
  private readonly unclaimed = new Set<string>();
  /** The claim of each service that this window made or met last. */
  private readonly claims = new Map<string, string>();
  private readonly shown = new Map<string, () => void>();
  private timer: Disposable | undefined;
  private readonly owned = new DisposableStore();

  constructor(private readonly options: KeyNoticesOptions) {
    const { store, poller, keys, onDidComeToFront } = options;
    this.owned.add(
      store.onDidChange(({ job, event }) => {
        this.look(job);
        if (event?.type === 'created' || event?.type === 'tracked') {
          this.onReached(job.home.service);
        }
      }),
    );
    this.owned.add(poller.onDidReach((service) => this.onReached(service)));
    this.owned.add(poller.onDidChangeHealth((key) => this.look(store.get(key))));
    this.owned.add(onDidComeToFront(() => this.lookSoon()));
    this.owned.add(
      keys.onDidChange((service) => {
        this.suspects.delete(service);
        this.close(service);
        this.forgetMissing(service);
      }),
    );
  }

  /** True for the one, over all windows, who is to tell that the key of a service was rejected, or is missing. */
  async claim(service: string): Promise<boolean> {
    const { folder, keys } = this.options;
    return this.claimFor(service, await keys.get(service), folder);
  }

  private async claimFor(service: string, key: string | undefined, folder: string): Promise<boolean> {
    const name = claimName(service, key);
    this.unclaimed.delete(service);
    this.claims.set(service, join(folder, name));
    await makePrivateFolder(folder);
    return claimFile(folder, name);
  }

  /** Shows the notice, whoever told before: the user has just been asked for a key and gave none. */
  show(service: string, isMissing: boolean): void {
    this.close(service);
    let close = (): void => undefined;
    const until = new Promise<void>((resolve) => (close = resolve));
    this.shown.set(service, close);
    void this.options.show(service, isMissing, until).then(() => {
      // The user closed it, and is not to see it again after a reload.
      if (this.shown.get(service) === close) {
        this.shown.delete(service);
      }
    });
  }

  dispose(): void {
    this.owned.dispose();
    this.timer?.dispose();
    for (const service of [...this.shown.keys()]) {
      const claim = this.claims.get(service);
      try {
        if (claim !== undefined) {
          // Nothing waits for a window that closes.
          rmSync(claim, { force: true });
        }
      } catch (error) {
        this.options.log.warn('a notice about a key will not come again', error);
      }
      this.close(service);
    }
  }

  /** A service took its key. */
  private onReached(service: string): void {
    if (service !== LOCAL_SERVICE && !this.unclaimed.has(service) && !this.worked.has(service)) {
      this.worked.add(service);
      this.lookSoon();
    }
  }

  private look(job: TrackedJob | undefined): void {
    const isSuspect = job !== undefined && (isRefused(job, this.options.poller) || job.sends.some(waitsForKey));
    if (isSuspect && job.home.service !== LOCAL_SERVICE) {
      this.suspects.add(job.home.service);
      this.worked.delete(job.home.service);
      this.unclaimed.delete(job.home.service);
    }
    this.lookSoon();
  }

  private lookSoon(): void {
    if (this.suspects.size > 0 || this.shown.size > 0 || this.worked.size > 0) {
      this.timer ??= this.options.clock.after(SETTLE_MS, () => {
        this.tell()
          .catch((error: unknown) => this.options.log.warn('that a key was rejected could not be told', error))
          .finally(() => (this.timer = undefined));
      });
    }
  }

  private async tell(): Promise<void> {
    const { store, poller, keys, folder, reached, isInFront } = this.options;
    const listed = store.jobs.filter(isListed);
    const refused = new Set(listed.filter((job) => isRefused(job, poller)).map(({ home }) => home.service));
    const waiting = new Set(listed.filter(({ sends }) => sends.some(waitsForKey)).map(({ home }) => home.service));
    [...this.shown.keys()]
      .filter((service) => !refused.has(service) && !waiting.has(service))
      .forEach((service) => this.close(service));
    // A key that one job is refused with, and others are not, would else be told of again and again.
    for (const service of [...this.worked].filter((each) => !refused.has(each))) {
      await this.unclaim(service);
    }
    await reached();
    for (const service of isInFront() ? [...this.suspects] : []) {
      const key = await keys.get(service);
      // A prompt that waited for a key still does so for a moment when there is one.
      const isNeeded = refused.has(service) || (key === undefined && waiting.has(service));
      const isFirst = isNeeded && (await this.claimFor(service, key, folder));
      // Where the disk refused the claim, it is tried again.
      this.suspects.delete(service);
      if (isFirst) {
        this.show(service, key === undefined);
      }
    }
  }

  /** From now on it is told again when the present key is rejected. */
  private async unclaim(service: string): Promise<void> {
    const name = claimName(service, await this.options.keys.get(service));
    // A refusal meanwhile asks for it anew.
    if (this.worked.delete(service)) {
      this.unclaimed.add(service);
      await rm(join(this.options.folder, name), { force: true });
    }
  }

  /** From now on it is told again when there is no key. */
  private forgetMissing(service: string): void {
    const { folder, log } = this.options;
    rm(join(folder, claimName(service, undefined)), { force: true }).catch((error: unknown) =>
      log.warn('that a key is missing will not be told again', error),
    );
  }

  private close(service: string): void {
    this.shown.get(service)?.();
    this.shown.delete(service);
  }
}

/** Says nothing about the key, which is random and long. */
function claimName(service: string, key: string | undefined): string {
  const name = createHash('sha256').update(key === undefined ? service : `${service}\n${key}`);
  return `${key === undefined ? 'missing-' : ''}${name.digest('hex').slice(0, 16)}`;
}

/** True where the service rejected the key: the job can't be checked, or a prompt of it waits for another one. */
export function isRefused(job: TrackedJob, poller: Pick<Poller, 'health'>): boolean {
  const isUnsent = job.sends.some(({ waiting }) => waiting?.for === 'apiKey' && !waiting.isMissing);
  return isUnsent || poller.health(job.key)?.failure === 'unauthorized';
}

/**
 * Tells that the key of a service is missing or was rejected. It is shown as progress, because that is the only notice
 * which an extension can take back: it goes by itself when there is another key. Resolves when it is gone.
 */
export function showKeyNotice(service: string, isMissing: boolean, until: Promise<void>): Thenable<void> {
  const host = serviceName(service);
  const text = isMissing
    ? vscode.l10n.t('There is no API key for {0}. Enter one: until then nothing is sent or checked there.', host)
    : vscode.l10n.t(
        '{0} rejected the API key: it is wrong or has expired. Enter another one: until then nothing is sent or checked there.',
        host,
      );
  const title = `${toNotice(text, 400)} [${vscode.l10n.t('Enter key')}](command:${COMMANDS.setApiKey})`;
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
    // So that the bar does not move: nothing is being done.
    progress.report({ increment: 0 });
    return Promise.race([until, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]);
  });
}
