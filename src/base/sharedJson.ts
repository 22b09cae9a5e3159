import { readFile } from 'node:fs/promises';
import { KeyedQueue } from './async';
import { Emitter } from './disposable';
import { isAbsent, replaceFile } from './files';
import { decodeJson } from './json';
import type { Logger } from './logger';

export interface SharedJsonOptions<T> {
  file: string;
  /** Returns what the decoded JSON means; undefined if it has another shape. */
  parse: (value: unknown) => T | undefined;
  empty: T;
  log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * A small JSON file that all windows share. It is replaced as a whole, so that a reader sees the previous or the new
 * content. If two windows change it at the same moment, one of the changes may be lost: it is only for what is learned
 * again, or does no harm when it is missing.
 */
export class SharedJson<T> {
  private last: T;
  private text = '';
  /** The last write failed, so that this window knows more than the file. */
  private isAhead = false;
  private readonly turns = new KeyedQueue();
  private readonly changed: Emitter<T>;

  constructor(private readonly options: SharedJsonOptions<T>) {
    this.last = options.empty;
    this.changed = new Emitter((error) => options.log.error(`a listener of ${options.file} failed`, error));
  }

  /** What was last read or written. */
  get value(): T {
    return this.last;
  }

  /** Fires when this window reads or writes something else than before. */
  get onDidChange(): Emitter<T>['event'] {
    return this.changed.event;
  }

  /** Reads the file again, because other windows write it, too. Never rejects: a damaged file counts as empty. */
  read(): Promise<T> {
    return this.turns.run('', () => this.load());
  }

  /**
   * Reads the file, changes its content and writes it, unless `change` returns the same value. Never rejects: if the
   * write fails, this window goes on with the new value and writes it with the next change.
   */
  update(change: (now: T) => T): Promise<T> {
    return this.turns.run('', async () => {
      const now = await this.load();
      const next = change(now);
      if (next !== now) {
        await this.save(next);
      }
      return next;
    });
  }

  private async load(): Promise<T> {
    const { file, parse, empty, log } = this.options;
    if (this.isAhead) {
      return this.last;
    }
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (isAbsent(error)) {
        return '';
      }
      log.warn(`couldn’t read ${file}`, error);
      return this.text;
    });
    if (text !== this.text) {
      this.set(text, parse(decodeJson(text)) ?? empty);
    }
    return this.last;
  }

  private async save(next: T): Promise<void> {
    const { file, log } = this.options;
    const text = JSON.stringify(next);
    this.set(text, next);
    try {
      await replaceFile(file, text);
      this.isAhead = false;
    } catch (error) {
      if (!this.isAhead) {
        log.warn(`couldn’t write ${file}`, error);
      }
      this.isAhead = true;
    }
  }

  private set(text: string, value: T): void {
    this.text = text;
    this.last = value;
    this.changed.fire(value);
  }
}
