import { renameSync, statSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { GoEvent, JobEvent, Stamped } from '../jobs/events';
import { goStamp } from '../jobs/jobStore';
import type { RecordFiles } from '../jobs/ports';
import { boundEvent } from '../jobs/snapshot';
import { decodeJson } from '../shared/util/decodeJson';
import { syncFolder } from '../shared/util/durability';
import { makePrivateFolder } from '../shared/util/fileModes';
import type { Logger } from '../shared/util/logger';
import type { ReadAhead } from './readAhead';
import { GO, RECORD_SUFFIX, readFolder } from './recordFolder';
import { claimFile, writeDurably } from './writeDurably';

const DAMAGED_SUFFIX = '.damaged';

/** With more jobs than these a second thread reads them sooner, its start included. */
const MANY_JOBS = 2000;

/** A temporary file older than this, in milliseconds, has no living writer. */
const STALE_MS = 600_000;

/** Our own names: what does not look like one is not ours and is left alone. */
const KEY = /^[a-z0-9]{16,64}$/;

type Schema = typeof import('./recordSchema');

/** Records under one root folder: `ROOT/KEY/STAMP.json` an event, `ROOT/KEY/go-SEND` and `…/notice-RUN` the claims. */
export class JobFiles implements RecordFiles {
  private schema: Promise<Schema> | undefined;
  private ahead: ReadAhead | undefined;

  /** @param reader the bundle of `recordReader`, for a long list; without it this thread reads all. */
  constructor(
    private readonly root: string,
    private readonly log: Logger,
    private readonly reader?: string,
  ) {}

  async list(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(ignoreMissing([]));
    const keys = entries.filter((entry) => entry.isDirectory() && KEY.test(entry.name)).map((entry) => entry.name);
    if (this.reader !== undefined && keys.length > MANY_JOBS) {
      const { ReadAhead } = await import('./readAhead');
      this.ahead = new ReadAhead(this.reader, { root: this.root, keys });
    }
    return keys;
  }

  async read(key: string, known: ReadonlySet<string> = new Set()): Promise<Stamped[]> {
    this.schema ??= import('./recordSchema');
    const schema = await this.schema;
    // Joined by hand: the parts are clean, and at the start there are ten thousand.
    const folder = this.root + sep + key;
    const isNew = (name: string): boolean => !known.has(stampOf(name));
    // Whoever knows something of the job wants to know what is new by now.
    const ahead = known.size === 0 ? await this.ahead?.take(key) : undefined;
    const { records, leaves, unfinished } = ahead ?? readFolder(folder, isNew);
    const read: Stamped[] = [];
    for (const { name, text } of records) {
      const event = this.understand(folder, name, text, schema);
      if (event !== undefined) {
        read.push({ stamp: stampOf(name), event: boundEvent(event) });
      }
    }
    read.push(...leaves.map((name) => goEvent(folder, name, read)));
    if (unfinished.length > 0) {
      await this.sweep(folder, unfinished);
    }
    return read.sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
  }

  async write(key: string, { stamp, event }: Stamped<JobEvent>): Promise<void> {
    const folder = join(this.root, key);
    const made = await makePrivateFolder(folder);
    if (made !== undefined) {
      // Before the record: what fails after it is there would leave a prompt that counts as not kept, and is sent.
      await syncFolder(dirname(folder));
    }
    const { versionOf } = await import('./recordSchema');
    await writeDurably(join(folder, stamp + RECORD_SUFFIX), JSON.stringify({ version: versionOf(event), event }));
  }

  claim(key: string, name: string): Promise<boolean> {
    return claimFile(join(this.root, key), name);
  }

  private understand(
    folder: string,
    name: string,
    text: string,
    { isExactRecord, newerSchema, recordSchema }: Schema,
  ): JobEvent | undefined {
    const plain = undecoded(text);
    if (isExactRecord(plain)) {
      return plain.event;
    }
    const value = decodeJson(text);
    const parsed = recordSchema.safeParse(value);
    if (parsed.success) {
      return parsed.data.event;
    }
    const path = join(folder, name);
    if (newerSchema.safeParse(value).success) {
      this.log.warn(`${path} was written by a newer version and is left as it is`);
      return undefined;
    }
    this.log.error(`${path} is damaged and was set aside as ${name}${DAMAGED_SUFFIX}`, parsed.error);
    try {
      renameSync(path, path + DAMAGED_SUFFIX);
    } catch (error) {
      this.log.error(`${path} stays`, error);
    }
    return undefined;
  }

  private async sweep(folder: string, names: string[]): Promise<void> {
    for (const name of names) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) {
        await rm(path, { force: true }).catch((error: unknown) => this.log.warn(`${path} stays`, error));
      }
    }
  }
}

/** The stamp of a record, or of a leave, whose file bears no time. */
function stampOf(name: string): string {
  if (name.endsWith(RECORD_SUFFIX)) {
    return name.slice(0, -RECORD_SUFFIX.length);
  }
  const [, send = '', attempt = '1'] = GO.exec(name) ?? [];
  return goStamp(send, Number(attempt));
}

/**
 * The time of a leave is that of its empty file. Nobody needs it once an outcome is known, and to ask for it takes as long
 * as to read a record: the leave was taken before the outcome then.
 */
function goEvent(folder: string, name: string, records: readonly Stamped[]): Stamped<GoEvent> {
  const [, send = '', number = '1'] = GO.exec(name) ?? [];
  const attempt = Number(number);
  const outcome = records.find(({ event }) => isOutcome(event, send, attempt))?.event;
  const at = outcome?.at ?? Math.round(statSync(folder + sep + name).mtimeMs);
  return { stamp: stampOf(name), event: { type: 'go', at, send, attempt } };
}

function isOutcome(event: JobEvent | GoEvent, send: string, attempt: number): boolean {
  const isLate = event.type === 'created' || ('reason' in event && event.attempt >= attempt);
  return isLate && event.send === send;
}

/** For a look at what is most likely a record; what is none may hold anything. */
function undecoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ignoreMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') {
      return fallback;
    }
    throw error;
  };
}
