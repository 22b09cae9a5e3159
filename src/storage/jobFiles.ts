import { readFileSync, readdirSync, renameSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { GoEvent, JobEvent, Stamped } from '../jobs/events';
import { goStamp } from '../jobs/jobStore';
import type { RecordFiles } from '../jobs/ports';
import { decodeJson } from '../shared/util/decodeJson';
import type { Logger } from '../shared/util/logger';
import { TEMPORARY_SUFFIX, claimFile, syncFolder, writeDurably } from './writeDurably';

const RECORD_SUFFIX = '.json';

/** A stamp as our store makes it: nine digits of time, and who wrote it. */
const RECORD = /^[0-9a-z]{9}-[0-9a-z]+\.json$/;

const DAMAGED_SUFFIX = '.damaged';
/** `go-SEND` for the first leave, `go-SEND-2` for the second. */
const GO = /^go-([0-9a-z]+)(?:-(\d{1,6}))?$/;

/** A temporary file older than this, in milliseconds, has no living writer. */
const STALE_MS = 600_000;

/** Our own names: what does not look like one is not ours and is left alone. */
const KEY = /^[a-z0-9]{16,64}$/;

type Schema = typeof import('./recordSchema');

/** Records under one root folder: `ROOT/KEY/STAMP.json` an event, `ROOT/KEY/go-SEND` and `…/notice-RUN` the claims. */
export class JobFiles implements RecordFiles {
  private schema: Promise<Schema> | undefined;

  constructor(
    private readonly root: string,
    private readonly log: Logger,
  ) {}

  async list(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(ignoreMissing([]));
    return entries.filter((entry) => entry.isDirectory() && KEY.test(entry.name)).map((entry) => entry.name);
  }

  /** The files are small and many, and read at one go: a promise a file takes five times as long. */
  async read(key: string, known: ReadonlySet<string> = new Set()): Promise<Stamped[]> {
    this.schema ??= import('./recordSchema');
    const schema = await this.schema;
    const folder = join(this.root, key);
    const read: Stamped[] = [];
    const unfinished: string[] = [];
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isFile()) {
        // None of ours, whatever its name: a link may lead anywhere, and the reading of a pipe would not end.
        continue;
      }
      const { name } = entry;
      if (name.endsWith(TEMPORARY_SUFFIX)) {
        unfinished.push(name);
        continue;
      }
      const event = RECORD.test(name) ? this.readRecord(folder, name, known, schema) : readGo(folder, name, known);
      if (event !== undefined) {
        read.push(event);
      }
    }
    if (unfinished.length > 0) {
      await this.sweep(folder, unfinished);
    }
    return read.sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
  }

  async write(key: string, { stamp, event }: Stamped<JobEvent>): Promise<void> {
    const folder = join(this.root, key);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
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

  private readRecord(
    folder: string,
    name: string,
    known: ReadonlySet<string>,
    { isExactRecord, newerSchema, recordSchema }: Schema,
  ): Stamped<JobEvent> | undefined {
    const stamp = name.slice(0, -RECORD_SUFFIX.length);
    if (known.has(stamp)) {
      return undefined;
    }
    // Joined by hand: the parts are clean, and at the start there are tens of thousands.
    const path = folder + sep + name;
    const text = readText(path);
    if (text === undefined) {
      return undefined;
    }
    const value = decodeJson(text);
    if (isExactRecord(value)) {
      return { stamp, event: value.event };
    }
    const parsed = recordSchema.safeParse(value);
    if (parsed.success) {
      return { stamp, event: parsed.data.event };
    }
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

/** The time of the leave is that of its empty file. */
function readGo(folder: string, name: string, known: ReadonlySet<string>): Stamped<GoEvent> | undefined {
  const [, send, attempt = '1'] = GO.exec(name) ?? [];
  const stamp = send === undefined ? '' : goStamp(send, Number(attempt));
  if (send === undefined || known.has(stamp)) {
    return undefined;
  }
  const { mtimeMs } = statSync(folder + sep + name);
  return { stamp, event: { type: 'go', at: Math.round(mtimeMs), send, attempt: Number(attempt) } };
}

/** Undefined for a file that another window has just set aside. What else can't be read is read again later. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
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
