import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PullRequestAnswer } from '../../client';
import { ServiceError } from '../../shared/protocol/serviceError';
import type { Clock } from '../../shared/util/clock';
import { decodeJson } from '../../shared/util/decodeJson';
import type { Disposable } from '../../shared/util/disposable';
import { Emitter } from '../../shared/util/emitter';
import type { Logger } from '../../shared/util/logger';

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
   * How the work stands of which the local service knows, by the names of `localWork`. It costs nothing but that the
   * service does not end meanwhile for want of anything to do.
   */
  near: () => Promise<ReadonlyMap<string, PullRequestState>>;
  clock: Pick<Clock, 'now' | 'after'>;
  log: Logger;
}

/** A pull request is asked for at most so often, in milliseconds. */
export const EACH_MS = 120_000;
/** So many at most in one go, and the pause before the next, in milliseconds. */
export const AT_ONCE = 4;
export const PAUSE_MS = 60_000;
/** How long nothing is asked where GitHub wants less and does not say for how long, in milliseconds. */
export const BACK_OFF_MS = 3_600_000;
const MOST_REMEMBERED = 5_000;

/**
 * Whether pull requests, and the work of local jobs, are merged or closed: asked when the user comes to see the list, and
 * remembered. Once all were asked no timer is left.
 */
export class PullRequestStates implements Disposable {
  private known: ReadonlyMap<string, Known> = new Map();
  private loaded: Promise<void> | undefined;
  private notBefore = 0;
  private timer: Disposable | undefined;
  private going: Promise<void> | undefined;
  private isShown = false;
  private isNearDue = false;
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

  /** The user looks, or comes back from where something was merged: all is asked that was not a moment ago. */
  look(): void {
    if (this.isShown) {
      this.asked.clear();
      this.isNearDue = true;
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
    let isAnyLeft = false;
    try {
      await this.load();
      await this.askNear();
      isAnyLeft = await this.askDue();
    } catch (error) {
      this.options.log.warn('how pull requests stand could not be read', error);
      this.notBefore = this.options.clock.now() + EACH_MS;
    }
    if (this.isShown && this.isNearDue) {
      await this.goOn();
    } else if (this.isShown && isAnyLeft) {
      this.timer = this.options.clock.after(PAUSE_MS, () => this.begin());
    }
  }

  /** What is open and was never known otherwise needs no place in the file. */
  private async askNear(): Promise<void> {
    if (!this.isNearDue) {
      return;
    }
    this.isNearDue = false;
    const { near, clock, log } = this.options;
    const states = await near().catch((error: unknown) => {
      log.warn('how the work of local jobs stands could not be read', error);
      return new Map<string, PullRequestState>();
    });
    const at = clock.now();
    const news = [...states].filter(([name, state]) => state !== (this.of(name) ?? 'open'));
    if (news.length > 0) {
      await this.remember(news.map(([name, state]) => [name, { state, at }]));
    }
  }

  /** True when there are more to be asked for after a pause. */
  private async askDue(): Promise<boolean> {
    const { links, ask, clock } = this.options;
    const now = clock.now();
    const askedAt = (link: string): number => this.known.get(link)?.at ?? -Infinity;
    if (now < this.notBefore) {
      return false;
    }
    const due = [...new Set(links())]
      .filter((link) => !this.asked.has(link) && this.isDue(link, now))
      .toSorted((a, b) => (askedAt(a) < askedAt(b) ? -1 : Number(askedAt(a) > askedAt(b))));
    for (const link of due.slice(0, AT_ONCE)) {
      this.asked.add(link);
      const before = this.known.get(link);
      const answer = await ask(link, before?.etag).catch((error: unknown) => this.failed(link, error));
      if (answer === undefined) {
        return false;
      }
      if (answer.is === 'limited') {
        this.notBefore = now + Math.max(answer.waitMs ?? BACK_OFF_MS, EACH_MS);
        return false;
      }
      const state = answer.is === 'known' ? answer : { state: before?.state, etag: before?.etag };
      await this.remember([[link, { state: state.state, etag: state.etag, at: now }]]);
    }
    return due.length > AT_ONCE;
  }

  /** What GitHub answered for one tells nothing of the others; where nobody answered, none can be asked. */
  private failed(link: string, error: unknown): PullRequestAnswer {
    if (!(error instanceof ServiceError) || error.status === undefined) {
      throw error;
    }
    this.options.log.warn(`how the pull request ${link} stands could not be read`, error);
    return { is: 'hidden' };
  }

  /** What is merged stays so. A clock that was set back makes nothing wait for ever. */
  private isDue(link: string, now: number): boolean {
    const known = this.known.get(link);
    return known === undefined || (known.state !== 'merged' && Math.abs(now - known.at) >= EACH_MS);
  }

  private async remember(news: readonly (readonly [string, Known])[]): Promise<void> {
    const before = this.known;
    const fresh = new Map(news);
    const others = [...before].filter(([each]) => !fresh.has(each));
    this.known = new Map([...others, ...news].slice(-MOST_REMEMBERED));
    if (news.some(([name, { state }]) => state !== before.get(name)?.state)) {
      this.changed.fire();
    }
    await this.save();
  }

  private async save(): Promise<void> {
    const { file, log } = this.options;
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const temporary = `${file}.${randomBytes(4).toString('hex')}`;
      await writeFile(temporary, JSON.stringify(Object.fromEntries(this.known)));
      await rename(temporary, file);
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
