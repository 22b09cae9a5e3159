import { type Clock, systemClock } from '../../base/async';
import { type Disposable, Emitter } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import { DraftFiles, type TargetDraft } from '../../jobs/store/draftFiles';

export interface DraftsOptions {
  files: Pick<DraftFiles, 'newest' | 'all' | 'write' | 'remove'>;
  clock: Pick<Clock, 'after' | 'now'>;
  log: Logger;
  /** Tells the user that drafts can't be saved. Called once until a write succeeds again. */
  tell: (error: unknown) => void;
}

/** The delay before typed text is saved, in milliseconds. */
export const SAVE_AFTER_MS = 300;

/** The delay before a failed write is retried, in milliseconds. */
export const RETRY_AFTER_MS = 5000;

/** The draft target for a follow-up to a job, used by the input box and the job page. */
export function followUpDraft(jobKey: string): string {
  return `follow-up ${jobKey}`;
}

/** @param writer the name of this window in the files that all windows share */
export function createDrafts(root: string, writer: string, log: Logger): Drafts {
  return new Drafts({
    files: new DraftFiles({ root, writer, clock: systemClock, log }),
    clock: systemClock,
    log,
    tell: (error) => void import('./promptLimits').then(({ showUnsavedWarning }) => showUnsavedWarning(error)),
  });
}

/**
 * Unsent texts by target, saved while the user types so that they survive a crash. If a write fails, the text stays in
 * memory, the user is told, and the write is retried.
 */
export class Drafts {
  private readonly targets = new Map<string, Draft>();
  private readonly changed: Emitter<{ target: string; text: string }>;
  private failing = false;

  constructor(private readonly options: DraftsOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of a draft failed', error));
  }

  /** Whether the last write failed and the user was told. */
  get isFailing(): boolean {
    return this.failing;
  }

  /**
   * Calls the listener with the new text whenever a draft of the target is typed, opened, added or dropped in this
   * window, including by the listener's own view. A view must adopt the text; otherwise its next keystroke would
   * overwrite what was typed elsewhere.
   */
  onDidChange(target: string, listener: (text: string) => void): Disposable {
    return this.changed.event((change) => (change.target === target ? listener(change.text) : undefined));
  }

  /** Opens the newest draft for the target, from any window, for further editing. */
  async open(target: string): Promise<string | undefined> {
    const draft = this.at(target);
    await draft.flush().catch(inMemory);
    const text = await draft.restore();
    this.changed.fire({ target, text: text ?? '' });
    return text;
  }

  /** Returns what `open` would return, without taking over the draft. */
  async peek(target: string): Promise<string | undefined> {
    return this.targets.get(target)?.inMemory ?? (await this.options.files.newest(target))?.text;
  }

  /**
   * Returns the drafts of all matching targets, newest first. Text that this window has not yet saved counts as new.
   */
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
   * Continues the newest draft of the target if it has the same text, so that both are dropped together. For a text
   * that was restored by other means. Never rejects.
   */
  adopt(target: string, text: string): Promise<void> {
    return this.at(target).adopt(text);
  }

  /** Sets the typed text; it is saved after a short delay. An empty text deletes the draft. */
  type(target: string, text: string): void {
    this.at(target).set(text);
    this.changed.fire({ target, text });
  }

  /** Saves the typed text now. Rejects if the write fails: the text stays in memory, and the caller tells the user. */
  async flush(target: string): Promise<void> {
    try {
      await this.at(target).flush();
    } catch (error) {
      this.begunToFail(error);
      throw error;
    }
  }

  /**
   * Adds another draft for a target. It is restored before the existing ones and replaces none. For a text that could
   * not be sent (the user is notified anyway). Never rejects.
   */
  async leave(target: string, text: string): Promise<void> {
    const draft = this.at(target);
    await draft.flush().catch(inMemory);
    draft.begin();
    this.type(target, text);
    await this.flush(target).catch(inMemory);
  }

  /** Deletes the drafts that a text came from, once it is stored elsewhere. Never rejects. */
  async drop(target: string): Promise<void> {
    this.type(target, '');
    await this.at(target).flush().catch(inMemory);
  }

  /** Saves all typed text now. Never rejects. */
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

  /** @param error the error of a background write; undefined when a write succeeded */
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
      this.options.log.warn('couldn’t save a draft; it’s in memory only', error);
    }
  }
}

/** Ignores a failed write: the text stays in memory and is retried. */
const inMemory = (): undefined => undefined;

/** The draft for one target in this window. Writes run one at a time; later changes are written by the next one. */
class Draft {
  /** Undefined while this window has nothing that is not on disk. */
  private unsaved: string | undefined;
  /** Earlier texts that could not be written. */
  private older: string[] = [];
  /** The files that this text continues. */
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
    // The user typed while the file was being read.
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

  /** Starts a separate text. */
  begin(): void {
    if (this.unsaved !== undefined && this.hasText()) {
      this.older.push(this.unsaved);
    }
    this.unsaved = undefined;
    this.origins = new Set();
  }

  /** Rejects if the write fails; it is retried later. */
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
