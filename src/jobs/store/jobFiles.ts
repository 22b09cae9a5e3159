import { randomBytes } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type * as z from 'zod/mini';
import { makePrivateFolder, removeFile, syncFolder } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { JobEvent, RecordedEvent, SendClaim } from '../events';
import { claimStamp } from '../jobStore';
import type { RecordFiles } from '../ports';
import { type FolderFiles, CLAIM_NAME, readFolder, RECORD_SUFFIX } from './recordFolder';
import { claim, writeDurably } from './writeDurably';

const DAMAGED_SUFFIX = '.damaged';

/** With fewer files than this, compacting saves nothing. */
const MIN_FILES = 3;

/** A temporary file older than this, in milliseconds, has no living writer. */
const STALE_MS = 600_000;

/** The pattern of our own keys. Anything else is not ours and is left alone. */
const KEY = /^[a-z0-9]{16,64}$/;

interface ParsedRecord {
  event: JobEvent;
  /** Returns the event as a line of a compacted file. */
  line: () => string;
}

type Schema = typeof import('./recordSchema');

/**
 * Records under one root folder: `ROOT/KEY/STAMP.json` for each event, `ROOT/KEY/all-ID.jsonl` for all events of an
 * ended job, `ROOT/KEY/go-SEND` and `…/notice-RUN` for the claims.
 */
export class JobFiles implements RecordFiles {
  private schema: Promise<Schema> | undefined;
  /** The number of files that hold each job's records. */
  private readonly fileCounts = new Map<string, number>();

  constructor(
    private readonly root: string,
    private readonly log: Logger,
    /** Called for each file that a newer version wrote. It is left unchanged. */
    private readonly onNewer: () => void = () => undefined,
  ) {}

  async list(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(ignoreMissing([]));
    return entries.filter((entry) => entry.isDirectory() && KEY.test(entry.name)).map((entry) => entry.name);
  }

  async read(key: string, known: ReadonlySet<string> = new Set()): Promise<RecordedEvent[]> {
    const schema = await (this.schema ??= import('./recordSchema'));
    // Not path.join: the parts are already normalized, and at startup there are ten thousand of them.
    const folder = this.root + sep + key;
    let fileCount = 0;
    const found = readFolder(folder, (name) => {
      fileCount += CLAIM_NAME.test(name) ? 0 : 1;
      return !known.has(stampOf(name));
    });
    this.fileCounts.set(key, fileCount + found.compacted.length);
    const { understood } = this.parseAll(folder, found, schema, known);
    const read: RecordedEvent[] = [...understood].map(([stamp, { event }]) => ({ stamp, event }));
    read.push(...found.claims.map((name) => claimEvent(folder, name, read)));
    if (found.unfinished.length > 0) {
      await this.sweep(folder, found.unfinished);
    }
    return read.sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
  }

  async compact(key: string): Promise<void> {
    if ((this.fileCounts.get(key) ?? 0) < MIN_FILES) {
      return;
    }
    const schema = await (this.schema ??= import('./recordSchema'));
    const folder = join(this.root, key);
    const { understood, files } = this.parseAll(folder, readFolder(folder), schema);
    // The first record stays a separate file: if the compacted one is lost, the job still has its row and prompt.
    const [, ...later] = files.filter((name) => name.endsWith(RECORD_SUFFIX)).sort();
    const superseded = [...files.filter((name) => !name.endsWith(RECORD_SUFFIX)), ...later];
    if (superseded.length < 2) {
      return;
    }
    const lines = [...understood].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { line }]) => line());
    this.fileCounts.set(key, 2);
    await writeDurably(join(folder, `all-${randomBytes(8).toString('hex')}.jsonl`), `${lines.join('\n')}\n`);
    // A file that another window compacts at the same time has its own name, so nothing is lost.
    for (const name of superseded) {
      await removeFile(join(folder, name));
    }
  }

  async write(key: string, { stamp, event }: RecordedEvent<JobEvent>): Promise<void> {
    const folder = join(this.root, key);
    const made = await makePrivateFolder(folder);
    if (made !== undefined) {
      // Sync before writing the record: if a sync failed afterwards, the record would count as not written although it
      // exists, and its prompt would be sent.
      await syncFolder(dirname(folder));
    }
    const { RECORD_VERSION } = await import('./recordSchema');
    await writeDurably(join(folder, stamp + RECORD_SUFFIX), JSON.stringify({ version: RECORD_VERSION, event }));
    this.fileCounts.set(key, (this.fileCounts.get(key) ?? 0) + 1);
  }

  claim(key: string, name: string): Promise<boolean> {
    return claim(join(this.root, key), name);
  }

  /** Returns the parsed records by stamp, and the files that were parsed completely. */
  private parseAll(
    folder: string,
    { records, compacted }: Pick<FolderFiles, 'records' | 'compacted'>,
    schema: Schema,
    known: ReadonlySet<string> = new Set(),
  ): { understood: Map<string, ParsedRecord>; files: string[] } {
    const understood = new Map<string, ParsedRecord>();
    const files: string[] = [];
    for (const { name, text } of compacted) {
      const lines = text.split('\n').filter((line) => line !== '');
      const parsed = lines.map((line) => ({ line, read: parse(line, schema.lineSchema) }));
      if (parsed.every(({ read }) => read !== undefined)) {
        files.push(name);
      } else {
        this.log.error(`${join(folder, name)} has lines that this version can’t read; it was left unchanged`);
      }
      for (const { line, read } of parsed) {
        if (read !== undefined && !known.has(read.stamp)) {
          understood.set(read.stamp, { event: read.event, line: () => line });
        }
      }
    }
    for (const { name, text } of records) {
      const record = parse(text, schema.recordSchema);
      if (record === undefined) {
        this.setAside(folder, name, text, schema);
      } else {
        const stamp = stampOf(name);
        understood.set(stamp, { event: record.event, line: () => lineOf(text, stamp) });
        files.push(name);
      }
    }
    return { understood, files };
  }

  private setAside(folder: string, name: string, text: string, { newerSchema }: Schema): void {
    const path = join(folder, name);
    if (parse(text, newerSchema) !== undefined) {
      this.log.warn(`${path} was written by a newer version and was left unchanged`);
      this.onNewer();
      return;
    }
    this.log.error(`${path} is damaged and was set aside as ${name}${DAMAGED_SUFFIX}`);
    try {
      renameSync(path, path + DAMAGED_SUFFIX);
    } catch (error) {
      this.log.error(`couldn’t move ${path}`, error);
    }
  }

  private async sweep(folder: string, names: string[]): Promise<void> {
    for (const name of names) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) {
        await rm(path, { force: true }).catch((error: unknown) => this.log.warn(`couldn’t move ${path}`, error));
      }
    }
  }
}

/**
 * Converts the record to a line with its stamp, otherwise byte for byte: a newer version may have written fields that
 * this one does not know.
 */
function lineOf(record: string, stamp: string): string {
  // In JSON, line breaks occur only between values.
  return record
    .trim()
    .replaceAll(/[\r\n]+/g, ' ')
    .replace(/\}$/, () => `,"stamp":${JSON.stringify(stamp)}}`);
}

/** The stamp of a record, or of a claim, whose file name contains no time. */
function stampOf(name: string): string {
  if (name.endsWith(RECORD_SUFFIX)) {
    return name.slice(0, -RECORD_SUFFIX.length);
  }
  const [, send = '', attempt = '1'] = CLAIM_NAME.exec(name) ?? [];
  return claimStamp(send, Number(attempt));
}

/**
 * The time of a claim is that of its empty file. It is not needed once an outcome is known, and a stat call takes as
 * long as reading a record, so the time of the outcome is used instead.
 */
function claimEvent(folder: string, name: string, records: readonly RecordedEvent[]): RecordedEvent<SendClaim> {
  const [, send = '', number = '1'] = CLAIM_NAME.exec(name) ?? [];
  const attempt = Number(number);
  const outcome = records.find(({ event }) => isOutcome(event, send, attempt))?.event;
  const at = outcome?.at ?? Math.round(statSync(folder + sep + name).mtimeMs);
  return { stamp: stampOf(name), event: { type: 'go', at, send, attempt } };
}

function isOutcome(event: JobEvent | SendClaim, send: string, attempt: number): boolean {
  const isLate = event.type === 'created' || ('reason' in event && event.attempt >= attempt);
  return isLate && event.send === send;
}

function parse<T extends z.ZodMiniType>(text: string, schema: T): z.infer<T> | undefined {
  return schema.safeParse(decodeJson(text)).data;
}

function ignoreMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') {
      return fallback;
    }
    throw error;
  };
}
