import { type Clock, systemClock } from '../../base/async';
import { type Disposable, Emitter } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import type { ServiceLocation } from '../../jobs/events';
import { DraftFiles } from '../../jobs/store/draftFiles';

export interface DraftsOptions {
  files: Pick<DraftFiles, 'newest' | 'write' | 'remove' | 'typed' | 'all' | 'create' | 'removeEmpty'>;
  clock: Pick<Clock, 'after'>;
  log: Logger;
  /** Tells the user that drafts can't be saved. Called once until a write succeeds again. */
  tell: (error: unknown) => void;
}

/** The delay before typed text is saved, in milliseconds. */
export const SAVE_AFTER_MS = 300;

/** The delay before a failed write is retried, in milliseconds. */
export const RETRY_AFTER_MS = 5000;

/** The folder with the drafts of follow-ups to a job. */
export function jobFolder(jobKey: string): string {
  return `job/${jobKey}`;
}

/** The folder with the drafts of new jobs in a project. */
export function projectFolder({ service, projectId }: Pick<ServiceLocation, 'service' | 'projectId'>): string {
  // No system refuses these names, as long as the ID is not absurdly long.
  return `${encodeURIComponent(service)}/${encodeURIComponent(projectId).replaceAll('*', '%2A')}`;
}

/** What a folder of drafts is for; undefined if it is not one of ours. */
export function readFolder(folder: string): { jobKey: string } | { service: string; projectId: string } | undefined {
  const [first, second] = folder.split('/');
  if (first === undefined || second === undefined) {
    return undefined;
  }
  try {
    return first === 'job'
      ? { jobKey: second }
      : { service: decodeURIComponent(first), projectId: decodeURIComponent(second) };
  } catch {
    return undefined;
  }
}

/** The box for new jobs in a project, and for follow-ups to a job. */
export const BOX = 'box';

/** The draft of a follow-up to a job in the input box and on the job's page. */
export function followUpDraft(jobKey: string): string {
  return `${jobFolder(jobKey)}/${BOX}`;
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
 * Unsent prompts. The text of each input box (`FOLDER/BOX`) is saved while the user types, so that it survives a crash;
 * if a write fails, it stays in memory, the user is told, and the write is retried. Longer prompts are files that the
 * editor shows and saves.
 */
export class Drafts {
  private readonly boxes = new Map<string, BoxDraft>();
  private readonly changed: Emitter<{ key: string; text: string }>;
  private failing = false;

  constructor(private readonly options: DraftsOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of a draft failed', error));
  }

  /**
   * Calls the listener with the new text whenever the draft of the box is typed, opened or dropped in this window,
   * including by the listener's own view. A view must adopt the text; otherwise its next keystroke would overwrite what
   * was typed elsewhere.
   */
  onDidChange(key: string, listener: (text: string) => void): Disposable {
    return this.changed.event((change) => (change.key === key ? listener(change.text) : undefined));
  }

  /** Opens the newest draft of the box, from any window, for further editing. */
  async open(key: string): Promise<string | undefined> {
    const draft = this.at(key);
    await draft.flush().catch(inMemory);
    const text = await draft.restore();
    this.changed.fire({ key, text: text ?? '' });
    return text;
  }

  /** Sets the typed text; it is saved after a short delay. An empty text deletes the draft. */
  type(key: string, text: string): void {
    this.at(key).set(text);
    this.changed.fire({ key, text });
  }

  /** Saves the typed text now. Rejects if the write fails: the text stays in memory, and the caller tells the user. */
  async flush(key: string): Promise<void> {
    try {
      await this.at(key).flush();
    } catch (error) {
      this.begunToFail(error);
      throw error;
    }
  }

  /** Deletes the draft of a box, once its text is stored elsewhere. Never rejects. */
  async drop(key: string): Promise<void> {
    this.type(key, '');
    await this.at(key).flush().catch(inMemory);
  }

  /** Saves all typed text now. Never rejects. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.boxes.values()].map((draft) => draft.flush().catch(inMemory)));
  }

  /** The texts of boxes as they were saved, and the prompts that are edited as files. */
  get files(): Pick<DraftFiles, 'typed' | 'all' | 'create' | 'removeEmpty'> {
    return this.options.files;
  }

  private at(key: string): BoxDraft {
    let draft = this.boxes.get(key);
    if (draft === undefined) {
      draft = new BoxDraft(key, this.options, (error) => this.saved(error));
      this.boxes.set(key, draft);
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

/** The draft of one box in this window. Writes run one at a time; later changes are written by the next one. */
class BoxDraft {
  /** Undefined while this window has nothing that is not on disk. */
  private unsaved: string | undefined;
  /** The file that this text continues. */
  private origin: string | undefined;
  private timer: Disposable | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly key: string,
    private readonly options: DraftsOptions,
    private readonly onSaved: (error?: unknown) => void,
  ) {}

  async restore(): Promise<string | undefined> {
    const found = this.hasText() ? undefined : await this.options.files.newest(this.key);
    // The user may have typed while the file was being read.
    if (this.hasText()) {
      return this.unsaved;
    }
    this.origin = found?.path;
    return found?.text;
  }

  set(text: string): void {
    this.unsaved = text;
    this.later(SAVE_AFTER_MS);
  }

  /** Rejects if the write fails; it is retried later. */
  flush(): Promise<void> {
    this.timer?.dispose();
    this.timer = undefined;
    const saved = this.last.then(() => this.save());
    this.last = saved.catch(() => this.later(RETRY_AFTER_MS));
    return saved;
  }

  private hasText(): boolean {
    return this.unsaved !== undefined && this.unsaved !== '';
  }

  private later(ms: number): void {
    this.timer ??= this.options.clock.after(ms, () => void this.flush().catch(this.onSaved));
  }

  private async save(): Promise<void> {
    const text = this.unsaved;
    if (text === undefined) {
      return;
    }
    const before = this.origin;
    if (text === '') {
      this.origin = undefined;
    } else {
      this.origin = await this.options.files.write(this.key, text);
      this.onSaved();
    }
    if (this.unsaved === text) {
      this.unsaved = undefined;
    }
    await this.options.files.remove(before === undefined ? [] : [before]);
  }
}
