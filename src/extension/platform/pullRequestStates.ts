import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/async';
import { type Disposable, Emitter } from '../../base/disposable';
import { replaceFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { PullRequestAnswer } from '../../client';
import { ServiceError } from '../../protocol/errors';

const STATES = ['open', 'merged', 'closed'] as const;

/** How a pull request stands. */
export type PullRequestState = (typeof STATES)[number];

interface Known {
  state?: PullRequestState | undefined;
  etag?: string | undefined;
  /** When it was asked for last: wall time in milliseconds. */
  at: number;
}

export interface PullRequestStatesOptions {
  /** Where the states are remembered. */
  file: string;
  /** Asks how the pull request at a link of github.com stands; undefined when nobody may be asked. */
  ask: (link: string, etag: string | undefined) => Promise<PullRequestAnswer | undefined>;
  /** The links of the jobs in the list. */
  links: () => Iterable<string>;
  /**
   * How the work stands of which the local service knows, by the names of `localWork`.
   *
   * @param failed is told what keeps a part of it unknown
   */
  near: (failed: (error: unknown) => void) => Promise<ReadonlyMap<string, PullRequestState>>;
  clock: Clock;
  log: Logger;
}

/** A pull request is asked for at most so often, in milliseconds. */
export const EACH_MS = 120_000;
/** So many at most in one go, and the pause before the next, in milliseconds. */
export const AT_ONCE = 4;
export const PAUSE_MS = 60_000;
/** The local service is asked at most so often, in milliseconds. */
export const NEAR_MS = 3_000;
/** How long nothing is asked where GitHub wants less and does not say for how long, in milliseconds. */
export const BACK_OFF_MS = 3_600_000;
const MAX_REMEMBERED = 5_000;

/**
 * Whether pull requests, and the work of local jobs, are merged or closed: asked when the user comes to see the list, and
 * remembered. Each is asked for once a look: what was asked for a moment ago, as soon as it is due again, and after a
 * failure there is one more try. Once all were asked no timer is left.
 */
export class PullRequestStates implements Disposable {
  private known: ReadonlyMap<string, Known> = new Map();
  private loaded: Promise<void> | undefined;
  /** Until when GitHub is left alone after a failure, and after a few were asked for, in monotonic time. */
  private notBefore = 0;
  private pausedUntil = 0;
  private nearNotBefore = 0;
  private timer: Disposable | undefined;
  private going: Promise<void> | undefined;
  private isShown = false;
  private isNearDue = false;
  /** How often the user came. */
  private looks = 0;
  private isLastTry = false;
  private readonly toldOfNear = new Set<string>();
  /** The links that were asked for since the user came. */
  private readonly asked = new Set<string>();
  private readonly changed: Emitter<void>;

  constructor(private readonly options: PullRequestStatesOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of pull requests failed', error));
  }

  /** Fires when a pull request stands otherwise than was known before. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** As the one of this link or name stood when it was asked for last; undefined where that is not known. */
  of(link: string): PullRequestState | undefined {
    return this.known.get(link)?.state;
  }

  dispose(): void {
    this.show(false);
  }

  /** Resolves when nothing is being asked. */
  async idle(): Promise<void> {
    await this.going;
  }

  /** Reads what is remembered. */
  load(): Promise<void> {
    return (this.loaded ??= this.read());
  }

  /** Only what can be seen is kept up to date. */
  show(isShown: boolean): void {
    if (isShown !== this.isShown) {
      this.isShown = isShown;
      this.timer?.dispose();
      this.timer = undefined;
      if (isShown) {
        this.look();
      }
    }
  }

  /** The user looks, or comes back from where something was merged: all is asked, and soon what was so a moment ago. */
  look(): void {
    if (this.isShown) {
      this.asked.clear();
      this.isNearDue = true;
      this.looks += 1;
      this.isLastTry = false;
      this.begin();
    }
  }

  /** One go at a time, also where the list is hidden and shown again meanwhile. */
  private begin(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.going ??= this.goOn().finally(() => {
      this.going = undefined;
    });
  }

  private async goOn(): Promise<void> {
    const { clock, log } = this.options;
    const { looks } = this;
    let next = Infinity;
    try {
      await this.load();
      next = await this.askNear();
      next = Math.min(next, await this.askDue());
    } catch (error) {
      log.warn('how pull requests stand could not be read', error);
      this.notBefore = clock.monotonic() + EACH_MS;
      next = Math.min(next, this.onceMore());
    }
    if (this.isShown && looks !== this.looks) {
      await this.goOn();
    } else if (this.isShown && next < Infinity) {
      this.timer = clock.after(next - clock.monotonic(), () => this.begin());
    }
  }

  /** What is open and was never known otherwise needs no place in the file. Resolves to when there is more to ask. */
  private async askNear(): Promise<number> {
    const { near, clock } = this.options;
    if (!this.isNearDue) {
      return Infinity;
    }
    if (clock.monotonic() < this.nearNotBefore) {
      return this.nearNotBefore;
    }
    this.isNearDue = false;
    this.nearNotBefore = clock.monotonic() + NEAR_MS;
    const states = await near((error) => this.nearFailed(error)).catch((error: unknown) => {
      this.nearFailed(error);
      return new Map<string, PullRequestState>();
    });
    const at = clock.now();
    const news = [...states].filter(([name, state]) => state !== (this.of(name) ?? 'open'));
    if (news.length > 0) {
      await this.remember(news.map(([name, state]) => [name, { state, at }]));
    }
    return Infinity;
  }

  /** A look is often taken: each kind of failure is told once. */
  private nearFailed(error: unknown): void {
    const kind = error instanceof ServiceError ? `${error.kind} ${error.status ?? ''}` : String(error);
    if (!this.toldOfNear.has(kind)) {
      this.toldOfNear.add(kind);
      this.options.log.warn('how the work of local jobs stands could not be read', error);
    }
  }

  /** Resolves to when there are more to be asked for. */
  private async askDue(): Promise<number> {
    const { links, clock } = this.options;
    const start = clock.monotonic();
    const now = clock.now();
    const left = [...new Set(links())]
      .filter((link) => !this.asked.has(link) && this.known.get(link)?.state !== 'merged')
      .map((link) => ({ link, wait: this.waitFor(link, now), at: this.known.get(link)?.at ?? -Infinity }))
      .toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
    if (left.length === 0) {
      return Infinity;
    }
    if (start < this.notBefore) {
      return this.onceMore();
    }
    if (start < this.pausedUntil) {
      return this.pausedUntil;
    }
    const due = left.filter(({ wait }) => wait <= 0);
    for (const { link } of due.slice(0, AT_ONCE)) {
      this.asked.add(link);
      if (!(await this.askOne(link))) {
        return this.notBefore > start ? this.onceMore() : Infinity;
      }
    }
    if (due.length > AT_ONCE) {
      this.pausedUntil = start + PAUSE_MS;
      return this.pausedUntil;
    }
    const waits = left.map(({ wait }) => wait).filter((wait) => wait > 0);
    return start + Math.min(...waits, Infinity);
  }

  /** False where none can be asked now. */
  private async askOne(link: string): Promise<boolean> {
    const { ask, clock } = this.options;
    const at = clock.now();
    const before = this.known.get(link);
    const answer = await ask(link, before?.etag).catch((error: unknown) => this.failed(link, error));
    if (answer?.is === 'limited') {
      this.asked.delete(link);
      this.notBefore = clock.monotonic() + Math.max(answer.waitMs ?? BACK_OFF_MS, EACH_MS);
    }
    if (answer === undefined || answer.is === 'limited') {
      return false;
    }
    const { state, etag } = answer.is === 'known' ? answer : { state: before?.state, etag: before?.etag };
    await this.remember([[link, { state, etag, at }]]);
    return true;
  }

  /** When GitHub may be asked again: once a look, so that a failure which lasts leaves no timer, and not in days. */
  private onceMore(): number {
    const isFar = this.notBefore - this.options.clock.monotonic() > BACK_OFF_MS;
    const next = this.isLastTry || isFar ? Infinity : this.notBefore;
    this.isLastTry = true;
    return next;
  }

  /** What GitHub answered for one tells nothing of the others; where nobody answered, none can be asked. */
  private failed(link: string, error: unknown): PullRequestAnswer {
    if (!(error instanceof ServiceError) || error.status === undefined) {
      this.asked.delete(link);
      throw error;
    }
    this.options.log.warn(`how the pull request ${link} stands could not be read`, error);
    return { is: 'hidden' };
  }

  /** How long it is until a link may be asked for again. A clock that was set back makes nothing wait for ever. */
  private waitFor(link: string, now: number): number {
    const at = this.known.get(link)?.at ?? -Infinity;
    return Math.abs(now - at) >= EACH_MS ? 0 : at + EACH_MS - now;
  }

  private async remember(news: readonly (readonly [string, Known])[]): Promise<void> {
    const before = this.known;
    const fresh = new Map(news);
    const others = [...before].filter(([each]) => !fresh.has(each));
    this.known = new Map([...others, ...news].slice(-MAX_REMEMBERED));
    if (news.some(([name, { state }]) => state !== before.get(name)?.state)) {
      this.changed.fire();
    }
    await this.save();
  }

  private async save(): Promise<void> {
    const { file, log } = this.options;
    try {
      await replaceFile(file, JSON.stringify(Object.fromEntries(this.known)));
    } catch (error) {
      log.warn('how pull requests stand could not be remembered', error);
    }
  }

  /** What another build left may have any shape. */
  private async read(): Promise<void> {
    const value = decodeJson(await readFile(this.options.file, 'utf8').catch(() => '{}'));
    const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
    const read = entries.flatMap<[string, Known]>(([link, known]) => {
      const { state, etag, at } = (known ?? {}) as Record<string, unknown>;
      const found = STATES.find((each) => each === state);
      return typeof at === 'number'
        ? [[link, { state: found, at, etag: typeof etag === 'string' ? etag : undefined }]]
        : [];
    });
    this.known = new Map([...read, ...this.known]);
    this.changed.fire();
  }
}
