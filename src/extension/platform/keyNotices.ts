import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../base/async';
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
import { pingUserInterface } from './contextKeys';
import { toNotice } from './sanitize';

export interface KeyNoticesOptions {
  store: Pick<JobStore, 'jobs' | 'get' | 'onDidChange'>;
  poller: Pick<Poller, 'health' | 'onDidChangeHealth' | 'onDidReach'>;
  keys: Pick<ApiKeys, 'get' | 'onDidChange'>;
  /** The folder of the claims, which all windows share. */
  folder: string;
  /** Resolves after a round trip to the user interface. */
  reached: () => Promise<void>;
  isInFront: () => boolean;
  onDidComeToFront: (listener: () => void) => Disposable;
  /**
   * Shows until `until` resolves that the key of a service is missing or was rejected. Resolves when the notification
   * is gone.
   */
  show: (service: string, isMissing: boolean, until: Promise<void>) => PromiseLike<void>;
  clock: Clock;
  log: Logger;
}

/** Time that a foreground send has to prompt for a key itself before a notification is shown, in milliseconds. */
const SETTLE_MS = 1500;

/**
 * Shows that a service rejected its key, or that the key is missing: once per key across all windows, until the key
 * works again, in the window that has the focus. The notification closes when there is another key or when no job needs
 * it anymore. If the window closes while showing it, the next window shows it again.
 */
export class KeyNotices implements Disposable {
  /** Services whose key may be missing or rejected. */
  private readonly suspects = new Set<string>();
  /** Services that accepted their key; their claims are removed as soon as no job is rejected there. */
  private readonly worked = new Set<string>();
  /** Services that are known to have no claim, so that not every poll has to check. */
  private readonly unclaimed = new Set<string>();
  /** The path of the last claim for each service that this window made or found. */
  private readonly claims = new Map<string, string>();
  private readonly shown = new Map<string, () => void>();
  private timer: Disposable | undefined;
  /** The last update, after which the next one begins. */
  private updated: Promise<void> = Promise.resolve();
  private readonly owned = new DisposableStore();

  constructor(private readonly options: KeyNoticesOptions) {
    const { store, poller, keys, onDidComeToFront } = options;
    this.owned.add(
      store.onDidChange(({ job, event }) => {
        this.checkJob(job);
        if (event?.type === 'created' || event?.type === 'tracked') {
          this.onReached(job.home.service);
        }
      }),
    );
    this.owned.add(poller.onDidReach((service) => this.onReached(service)));
    this.owned.add(poller.onDidChangeHealth((key) => this.checkJob(store.get(key))));
    this.owned.add(onDidComeToFront(() => this.scheduleUpdate()));
    this.owned.add(
      keys.onDidChange((service) => {
        this.suspects.delete(service);
        this.close(service);
        this.forgetMissing(service);
      }),
    );
  }

  /**
   * Returns true for exactly one caller across all windows: that one shows that the key of a service was rejected or is
   * missing.
   */
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

  /**
   * Shows the notification even if another window has shown it: the user has just been asked for a key and gave none.
   */
  show(service: string, isMissing: boolean): void {
    this.close(service);
    let close = (): void => undefined;
    const until = new Promise<void>((resolve) => (close = resolve));
    this.shown.set(service, close);
    void this.options.show(service, isMissing, until).then(() => {
      // The user closed it. Without its entry here, the claim survives this window and nothing is shown after a reload.
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
          // Synchronous, because a closing window waits for nothing.
          rmSync(claim, { force: true });
        }
      } catch (error) {
        this.options.log.warn('couldn’t schedule another notification about a key', error);
      }
      this.close(service);
    }
  }

  /** Called when a service has accepted its key. */
  private onReached(service: string): void {
    if (service !== LOCAL_SERVICE && !this.unclaimed.has(service) && !this.worked.has(service)) {
      this.worked.add(service);
      this.scheduleUpdate();
    }
  }

  private checkJob(job: TrackedJob | undefined): void {
    const isSuspect = job !== undefined && (isRefused(job, this.options.poller) || job.sends.some(waitsForKey));
    if (isSuspect && job.home.service !== LOCAL_SERVICE) {
      this.suspects.add(job.home.service);
      this.worked.delete(job.home.service);
      this.unclaimed.delete(job.home.service);
    }
    this.scheduleUpdate();
  }

  private scheduleUpdate(): void {
    if (this.suspects.size > 0 || this.shown.size > 0 || this.worked.size > 0) {
      this.timer ??= this.options.clock.after(SETTLE_MS, () => {
        // What comes from now on may come too late for this update.
        this.timer = undefined;
        this.updated = this.updated
          .then(() => this.update())
          .catch((error: unknown) => this.options.log.warn('couldn’t show that a key was rejected', error));
      });
    }
  }

  private async update(): Promise<void> {
    const { keys, folder, reached, isInFront } = this.options;
    const { refused, waiting } = this.servicesInNeed();
    [...this.shown.keys()]
      .filter((service) => !refused.has(service) && !waiting.has(service))
      .forEach((service) => this.close(service));
    // Without this check, a key that is rejected for one job only would be reported again and again.
    for (const service of [...this.worked].filter((each) => !refused.has(each))) {
      await this.unclaim(service);
    }
    await reached();
    for (const service of isInFront() ? [...this.suspects] : []) {
      const key = await keys.get(service);
      const { refused, waiting } = this.servicesInNeed();
      // When a key has just been set, a prompt may still be marked as waiting for one.
      const isNeeded = refused.has(service) || (key === undefined && waiting.has(service));
      const isFirst = isNeeded && (await this.claimFor(service, key, folder));
      // If the claim could not be written, the service stays suspect and is retried.
      this.suspects.delete(service);
      if (isFirst) {
        this.show(service, key === undefined);
      }
    }
  }

  /** The services that refused the key, and those for whose key a prompt waits. */
  private servicesInNeed(): { refused: Set<string>; waiting: Set<string> } {
    const { store, poller } = this.options;
    const listed = store.jobs.filter(isListed);
    return {
      refused: new Set(listed.filter((job) => isRefused(job, poller)).map(({ home }) => home.service)),
      waiting: new Set(listed.filter(({ sends }) => sends.some(waitsForKey)).map(({ home }) => home.service)),
    };
  }

  /** Allows the next rejection of the current key to be shown. */
  private async unclaim(service: string): Promise<void> {
    const name = claimName(service, await this.options.keys.get(service));
    // If the key was rejected in the meantime, the claim is still needed.
    if (this.worked.delete(service)) {
      this.unclaimed.add(service);
      await rm(join(this.options.folder, name), { force: true });
    }
  }

  /** Allows a missing key to be shown again. */
  private forgetMissing(service: string): void {
    const { folder, log } = this.options;
    rm(join(folder, claimName(service, undefined)), { force: true }).catch((error: unknown) =>
      log.warn('couldn’t save that a key is missing', error),
    );
  }

  private close(service: string): void {
    this.shown.get(service)?.();
    this.shown.delete(service);
  }
}

/** Reveals nothing about the key, which is random and long. */
function claimName(service: string, key: string | undefined): string {
  const name = createHash('sha256').update(key === undefined ? service : `${service}\n${key}`);
  return `${key === undefined ? 'missing-' : ''}${name.digest('hex').slice(0, 16)}`;
}

/** Returns true if the service rejected the key: polling the job fails, or one of its prompts waits for another key. */
export function isRefused(job: TrackedJob, poller: Pick<Poller, 'health'>): boolean {
  const isUnsent = job.sends.some(({ waiting }) => waiting?.for === 'apiKey' && !waiting.isMissing);
  return isUnsent || poller.health(job.key)?.failure === 'unauthorized';
}

/** Key notices in the editor's user interface. */
export function startKeyNotices(
  options: Pick<KeyNoticesOptions, 'store' | 'poller' | 'keys' | 'folder' | 'log'>,
): KeyNotices {
  return new KeyNotices({
    ...options,
    reached: pingUserInterface,
    isInFront: () => vscode.window.state.focused,
    onDidComeToFront: (listener) => vscode.window.onDidChangeWindowState(({ focused }) => focused && listener()),
    show: showKeyNotice,
    clock: systemClock,
  });
}

/**
 * Shows that the key of a service is missing or was rejected. Uses a progress notification, the only kind that an
 * extension can close again. Resolves when it is gone.
 */
function showKeyNotice(service: string, isMissing: boolean, until: Promise<void>): Thenable<void> {
  const host = serviceName(service);
  const text = isMissing
    ? vscode.l10n.t('There is no API key for {0}. Nothing is sent or updated there until you set one.', host)
    : vscode.l10n.t(
        '{0} rejected the API key. It may be wrong or expired. Nothing is sent or updated there until you set another one.',
        host,
      );
  const title = `${toNotice(text, 400)} [${vscode.l10n.t('Set API Key')}](command:${COMMANDS.setApiKey})`;
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
    // Stops the animation of the bar, because nothing is in progress.
    progress.report({ increment: 0 });
    return Promise.race([until, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]);
  });
}
