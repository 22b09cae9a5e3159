import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../../../src/base/logger';
import type { JobEvent, RecordedEvent } from '../../../../src/jobs/events';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';

export const KEY = 'k'.repeat(16);

/** A logger that collects its messages for the test. */
export class HeardLog implements Logger {
  readonly lines: string[] = [];

  info(message: string): void {
    this.lines.push(`info ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}

/** Job records in their own temporary folder. */
export class RecordsOnDisk {
  readonly log = new HeardLog();
  readonly files: JobFiles;
  /** How many files of a newer version were found. */
  newer = 0;

  private constructor(readonly root: string) {
    this.files = new JobFiles(join(root, 'jobs'), this.log, () => this.newer++);
  }

  static async make(): Promise<RecordsOnDisk> {
    return new RecordsOnDisk(await mkdtemp(join(tmpdir(), 'records-')));
  }

  folder(key = KEY): string {
    return join(this.root, 'jobs', key);
  }

  path(name: string, key = KEY): string {
    return join(this.folder(key), name);
  }

  clear(): Promise<void> {
    return rm(this.root, { recursive: true, force: true });
  }
}

/** A small event that is identified by its time. */
export function seen(at: number): RecordedEvent<JobEvent> {
  return { stamp: stampOf(at), event: { type: 'seen', at } };
}

export function intent(at: number, send: string): RecordedEvent<JobEvent> {
  const location = { service: 'local', projectId: 'p' };
  return {
    stamp: stampOf(at),
    event: { type: 'send', at, promptId: send, kind: 'create', text: `prompt ${at}`, location },
  };
}

function stampOf(at: number): string {
  return `${at.toString(36).padStart(9, '0')}-${'r'.repeat(16)}`;
}
