import type { Clock } from '../../base/async';
import { type Disposable, Emitter } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import type { DraftFiles, TargetDraft } from '../../jobs/store/drafts';

export interface DraftsOptions {
  files: Pick<DraftFiles, 'newest' | 'all' | 'write' | 'remove'>;
  clock: Pick<Clock, 'after' | 'now'>;
  log: Logger;
  /** Tells the user that what is typed can’t be written down; once until the disk takes something again. */
  tell: (error: unknown) => void;
}

/** How long a text that is being typed may be in memory only, in milliseconds. */
export const SAVE_AFTER_MS = 300;

/** How long after a failed write the next one is tried, in milliseconds. */
export const RETRY_AFTER_MS = 5000;

/** What the text of a follow-up to a job is kept by until it is sent, in the box and on the job's page. */
export function followUpDraft(jobKey: string): string {
  return `follow-up ${jobKey}`;
}

/**
 * What was typed and is not kept elsewhere yet, by what it is for. It is written down while it is typed, so that it
 * comes back after a crash; should the disk not take it, it stays in memory, the user is told, and it is tried again.
 */
export class Drafts {
  private readonly targets = new Map<string, Draft>();
  private readonly changed: Emitter<{ target: string; text: string }>;
  private failing = false;

  constructor(private readonly options: DraftsOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of a draft failed', error));
  }

  /** The disk has refused the last write, and the user was told. */
  get isFailing(): boolean {
    return this.failing;
  }

  /**
   * Tells the text for a target whenever somebody in this window types, opens, leaves or drops one, the listener too:
   * who shows it takes it over, or the next key there would take the place of what was typed elsewhere.
   */
  onDidChange(target: string, listener: (text: string) => void): Disposable {
    return this.changed.event((change) => (change.target === target ? listener(change.text) : undefined));
  }

  /** The text to go on with: the last one that was left for this target, in whatever window. */
  async open(target: string): Promise<string | undefined> {
    const draft = this.at(target);
    await draft.flush().catch(inMemory);
    const text = await draft.restore();
    this.changed.fire({ target, text: text ?? '' });
    return text;
  }

  /** What `open` would give, without going on from it. */
  async peek(target: string): Promise<string | undefined> {
    return this.targets.get(target)?.inMemory ?? (await this.options.files.newest(target))?.text;
  }

  /** The text of each target that fits, the newest first; what this window has not written down yet counts as new. */
  async list(fits: (target: string) => boolean): Promise<TargetDraft[]> {
    const { files, clock } = this.options;
    const own = [...this.targets].filter(([target]) => fits(target));
    await Promise.all(own.map(([, draft]) => draft.flush().catch(inMemory)));
    const found = new Map((await files.all()).map((each) => [each.target, each]));
    for (const [target, { inMemory: text }] of own) {
      if (text !== undefined) {
        found.set(target, { target, text, at: clock.now() });
      }
    }
    const named = [...found.values()].filter(({ target, text }) => fits(target) && text.trim() !== '');
    return named.sort((a, b) => b.at - a.at);
  }

  /**
   * A text that came back by itself goes on from the last one that was left, should that be the same: then it goes with
   * it. Never rejects.
   */
  adopt(target: string, text: string): Promise<void> {
    return this.at(target).adopt(text);
  }

  /** Takes what was typed; written down soon. An empty text is none. */
  type(target: string, text: string): void {
    this.at(target).set(text);
    this.changed.fire({ target, text });
  }

  /** Writes down now what was typed. Rejects when the disk refuses it: the text stays here, and the caller tells the user. */
  async flush(target: string): Promise<void> {
    try {
      await this.at(target).flush();
    } catch (error) {
      this.begunToFail(error);
      throw error;
    }
  }

  /**
   * Keeps one more text for a target: it comes back before those that are there, and takes the place of none. For a text
   * that could not be sent, of which the user is told anyway: never rejects.
   */
  async leave(target: string, text: string): Promise<void> {
    const draft = this.at(target);
    await draft.flush().catch(inMemory);
    draft.begin();
    this.type(target, text);
    await this.flush(target).catch(inMemory);
  }

  /** The text is kept elsewhere: the drafts that it came from go. Never rejects. */
  async drop(target: string): Promise<void> {
    this.type(target, '');
    await this.at(target).flush().catch(inMemory);
  }

  /** Writes down now all that was typed. Never rejects. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.targets.values()].map((draft) => draft.flush().catch(inMemory)));
  }

  private at(target: string): Draft {
    let draft = this.targets.get(target);
    if (draft === undefined) {
      draft = new Draft(target, this.options, (error) => this.saved(error));
      this.targets.set(target, draft);
    }
    return draft;
  }

  /** @param error of a write that nobody waited for; undefined when one has worked */
  private saved(error?: unknown): void {
    if (error === undefined) {
      this.failing = false;
    } else if (!this.failing) {
      this.begunToFail(error);
      this.options.tell(error);
    }
  }

  private begunToFail(error: unknown): void {
    if (!this.failing) {
      this.failing = true;
      this.options.log.warn('what is being typed can’t be written down and is in memory only', error);
    }
  }
}

/** The text that could not be written down stays in memory, and is tried again. */
const inMemory = (): undefined => undefined;

/** The text for one target in this window. One write at a time; what was typed meanwhile is one more. */
class Draft {
  /** Undefined while this window has nothing that the disk does not have. */
  private unsaved: string | undefined;
  /** Texts before it that the disk did not take. */
  private older: string[] = [];
  /** Files whose text this one goes on from. */
  private origins = new Set<string>();
  private timer: Disposable | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly target: string,
    private readonly options: DraftsOptions,
    private readonly onSaved: (error?: unknown) => void,
  ) {}

  get inMemory(): string | undefined {
    return this.unsaved;
  }

  private hasText(): boolean {
    return this.unsaved !== undefined && this.unsaved !== '';
  }

  async restore(): Promise<string | undefined> {
    this.unsaved ??= this.older.pop();
    if (this.hasText()) {
      return this.unsaved;
    }
    const found = await this.options.files.newest(this.target);
    // Typed while the disk was read.
    if (this.hasText()) {
      return this.unsaved;
    }
    this.origins = new Set(found === undefined ? [] : [found.file]);
    return found?.text;
  }

  async adopt(text: string): Promise<void> {
    const found = await this.options.files.newest(this.target);
    if (found?.text === text && this.origins.size === 0) {
      this.origins = new Set([found.file]);
    }
  }

  set(text: string): void {
    this.unsaved = text;
    this.later(SAVE_AFTER_MS);
  }

  /** What follows is a text of its own. */
  begin(): void {
    if (this.unsaved !== undefined && this.hasText()) {
      this.older.push(this.unsaved);
    }
    this.unsaved = undefined;
    this.origins = new Set();
  }

  /** Rejects when the disk refuses it; then it is tried again later. */
  flush(): Promise<void> {
    this.cancelTimer();
    const saved = this.last.then(() => this.save());
    this.last = saved.catch(() => this.later(RETRY_AFTER_MS));
    return saved;
  }

  private later(ms: number): void {
    this.timer ??= this.options.clock.after(ms, () => void this.flush().catch(this.onSaved));
  }

  private cancelTimer(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }

  private async save(): Promise<void> {
    const text = this.unsaved;
    if (text !== undefined) {
      const before = [...this.origins];
      const file = text === '' ? undefined : await this.write(text);
      this.origins = new Set(file === undefined ? [] : [file]);
      if (this.unsaved === text) {
        this.unsaved = undefined;
      }
      await this.options.files.remove(before);
    }
    for (const older of [...this.older]) {
      await this.write(older);
      this.older = this.older.filter((each) => each !== older);
    }
  }

  private async write(text: string): Promise<string> {
    const file = await this.options.files.write(this.target, text);
    this.onSaved();
    return file;
  }
}
