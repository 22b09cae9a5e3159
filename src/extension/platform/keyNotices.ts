import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../base/async';
import { type Disposable, DisposableStore } from '../../base/disposable';
import { makePrivateFolder } from '../../base/files';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { claim } from '../../jobs/store/writeDurably';
import { isListed, type TrackedJob, waitsForKey } from '../../jobs/trackedJob';
import { type ApiKeys, serviceName } from './apiKeys';
import { pingUserInterface } from './contextKeys';
import { toNotice } from './sanitize';

export interface KeyNoticesOptions {
  store: Pick<JobStore, 'jobs' | 'get' | 'onDidChange'>;
  poller: Pick<Poller, 'health' | 'onDidChangeHealth'>;
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

/** A notice that this window shows, or that this or another window has shown before. */
interface Notice {
  /** The path of its claim; undefined if it was shown without one. */
  claim?: string;
  /** Set while this window shows it. */
  close?: () => void;
}

/**
 * Shows that a service rejected its key, or that the key is missing: once per key across all windows, in the window that
 * has the focus, until no job needs the key any longer. The notification closes when there is another key or when no job
 * needs it anymore. If the window closes while showing it, the next window shows it again.
 */
export class KeyNotices implements Disposable {
  /** Services whose key may be missing or rejected. */
  private readonly suspects = new Set<string>();
  private readonly notices = new Map<string, Notice>();
  private timer: Disposable | undefined;
  /** The last update, after which the next one begins. */
  private updated: Promise<void> = Promise.resolve();
  private readonly owned = new DisposableStore();

  constructor(private readonly options: KeyNoticesOptions) {
    const { store, poller, keys, onDidComeToFront } = options;
    this.owned.add(store.onDidChange(({ job }) => this.checkJob(job)));
    this.owned.add(poller.onDidChangeHealth((key) => this.checkJob(store.get(key))));
    this.owned.add(onDidComeToFront(() => this.scheduleUpdate()));
    this.owned.add(
      keys.onDidChange((service) => {
        this.suspects.delete(service);
        this.end(service);
      }),
    );
  }

  /**
   * Returns true for exactly one caller across all windows: that one shows that the key of a service was rejected or is
   * missing.
   */
  async claim(service: string): Promise<boolean> {
    return this.claimFor(service, await this.options.keys.get(service));
  }

  /** Shows the notification even if another window has shown it: the user was just asked for a key and gave none. */
  show(service: string, isMissing: boolean): void {
    const notice = this.notice(service);
    notice.close?.();
    let close = (): void => undefined;
    const until = new Promise<void>((resolve) => (close = resolve));
    notice.close = close;
    void this.options.show(service, isMissing, until).then(() => {
      // The user closed it. Its claim survives this window, so that nothing is shown after a reload.
      if (notice.close === close) {
        delete notice.close;
      }
    });
  }

  dispose(): void {
    this.owned.dispose();
    this.timer?.dispose();
    for (const [service, { close }] of this.notices) {
      if (close !== undefined) {
        this.end(service);
      }
    }
  }

  private checkJob(job: TrackedJob | undefined): void {
    const isSuspect = job !== undefined && (isRefused(job, this.options.poller) || job.prompts.some(waitsForKey));
    if (isSuspect && job.location.service !== LOCAL_SERVICE) {
      this.suspects.add(job.location.service);
    }
    this.scheduleUpdate();
  }

  private scheduleUpdate(): void {
    if (this.suspects.size > 0 || this.notices.size > 0) {
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
    const { keys, reached, isInFront } = this.options;
    for (const service of this.notices.keys()) {
      if (!this.isNeeded(service, undefined)) {
        this.end(service);
      }
    }
    await reached();
    for (const service of isInFront() ? this.suspects : []) {
      const key = await keys.get(service);
      const isFirst = this.isNeeded(service, key) && (await this.claimFor(service, key));
      // If the claim could not be written, the service stays suspect and is retried.
      this.suspects.delete(service);
      if (isFirst) {
        this.show(service, key === undefined);
      }
    }
  }

  /**
   * True if a job's key was rejected, or a prompt waits for one while there is none: when a key has just been set, a
   * prompt may still be marked as waiting for one.
   */
  private isNeeded(service: string, key: string | undefined): boolean {
    const { store, poller } = this.options;
    return store.jobs.some(
      (job) =>
        job.location.service === service &&
        isListed(job) &&
        (isRefused(job, poller) || (key === undefined && job.prompts.some(waitsForKey))),
    );
  }

  private async claimFor(service: string, key: string | undefined): Promise<boolean> {
    const { folder } = this.options;
    const name = claimName(service, key);
    this.notice(service).claim = join(folder, name);
    await makePrivateFolder(folder);
    return claim(folder, name);
  }

  private notice(service: string): Notice {
    const notice = this.notices.get(service) ?? {};
    this.notices.set(service, notice);
    return notice;
  }

  /** Closes the notification and allows the next one. Synchronous, because a closing window waits for nothing. */
  private end(service: string): void {
    const notice = this.notices.get(service);
    this.notices.delete(service);
    notice?.close?.();
    try {
      if (notice?.claim !== undefined) {
        rmSync(notice.claim, { force: true });
      }
    } catch (error) {
      this.options.log.warn('couldn’t schedule another notification about a key', error);
    }
  }
}

/** Reveals nothing about the key, which is random and long. */
function claimName(service: string, key: string | undefined): string {
  const name = createHash('sha256').update(key === undefined ? service : `${service}\n${key}`);
  return `${key === undefined ? 'missing-' : ''}${name.digest('hex').slice(0, 16)}`;
}

/** Returns true if the service rejected the key: polling the job fails, or one of its prompts waits for another key. */
export function isRefused(job: TrackedJob, poller: Pick<Poller, 'health'>): boolean {
  const isUnsent = job.prompts.some(({ waiting }) => waiting?.for === 'apiKey' && !waiting.isMissing);
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
  const title = `${toNotice(text, 400)} [${vscode.l10n.t('Set API Key')}](command:docsAgent.setApiKey)`;
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
    // Stops the animation of the bar, because nothing is in progress.
    progress.report({ increment: 0 });
    return Promise.race([until, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]);
  });
}
