import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isAbsent, makePrivateFolder, syncFolder } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { JobEvent, RecordedEvent, PromptClaim } from '../events';
import { claimStamp } from '../jobStore';
import type { RecordFiles } from '../ports';
import { claim, TEMPORARY_SUFFIX, writeDurably } from './writeDurably';

/** A stamp as written by our store: nine digits of time, then the writer's id. */
const RECORD = /^([0-9a-z]{9}-[0-9a-z]+)\.json$/;

/** `claim-PROMPT` for the first claim to promptId, `claim-PROMPT-2` for the second. */
const CLAIM = /^claim-([0-9a-z]+)(?:-(\d+))?$/;

/** The pattern of our own keys. Anything else is not ours and is left alone. */
const KEY = /^[a-z0-9]{16,64}$/;

const DAMAGED_SUFFIX = '.damaged';

/** A temporary file older than this, in milliseconds, has no living writer. */
const STALE_MS = 600_000;

type Schema = typeof import('./recordSchema');

/**
 * Records under one root folder: `ROOT/KEY/STAMP.json` for each event, `ROOT/KEY/claim-PROMPT` and `…/notice-RUN` for the
 * claims.
 */
export class JobFiles implements RecordFiles {
  private schema: Promise<Schema> | undefined;

  constructor(
    private readonly root: string,
    private readonly log: Logger,
    /** Called for each file that a newer version wrote. It is left unchanged. */
    private readonly onNewer: () => void = () => undefined,
  ) {}

  async list(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return [];
      }
      throw error;
    });
    return entries.filter((entry) => entry.isDirectory() && KEY.test(entry.name)).map((entry) => entry.name);
  }

  /** The files are small and many, so they are read synchronously: one promise per file takes five times as long. */
  async read(key: string, known: ReadonlySet<string> = new Set()): Promise<RecordedEvent[]> {
    const schema = await (this.schema ??= import('./recordSchema'));
    // Not path.join: the parts are already normalized, and at startup there are ten thousand of them.
    const folder = this.root + sep + key;
    const read: RecordedEvent[] = [];
    const claims: { path: string; promptId: string; attempt: number }[] = [];
    const unfinished: string[] = [];
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = folder + sep + entry.name;
      const [, stamp] = RECORD.exec(entry.name) ?? [];
      const [, promptId, attempt = '1'] = CLAIM.exec(entry.name) ?? [];
      if (!entry.isFile()) {
        // Not ours, whatever its name: a link may lead anywhere, and reading a pipe would never end.
      } else if (stamp !== undefined && !known.has(stamp)) {
        const event = this.readRecord(path, schema);
        read.push(...(event === undefined ? [] : [{ stamp, event }]));
      } else if (promptId !== undefined && !known.has(claimStamp(promptId, Number(attempt)))) {
        claims.push({ path, promptId, attempt: Number(attempt) });
      } else if (entry.name.endsWith(TEMPORARY_SUFFIX)) {
        unfinished.push(path);
      }
    }
    read.push(...claims.map(({ path, promptId, attempt }) => claimEvent(path, promptId, attempt, read)));
    await this.sweep(unfinished);
    return read.sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
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
    await writeDurably(join(folder, `${stamp}.json`), JSON.stringify({ version: RECORD_VERSION, event }));
  }

  claim(key: string, name: string): Promise<boolean> {
    return claim(join(this.root, key), name);
  }

  /** Returns undefined if the record is damaged, which sets it aside, or was written by a newer version. */
  private readRecord(path: string, { recordSchema, newerSchema }: Schema): JobEvent | undefined {
    const text = readText(path);
    if (text === undefined) {
      return undefined;
    }
    const value = decodeJson(text);
    const record = recordSchema.safeParse(value);
    if (record.success) {
      return record.data.event;
    }
    if (newerSchema.safeParse(value).success) {
      this.log.warn(`${path} was written by a newer version and was left unchanged`);
      this.onNewer();
      return undefined;
    }
    this.log.error(`${path} is damaged and was set aside with the suffix ${DAMAGED_SUFFIX}`);
    try {
      renameSync(path, path + DAMAGED_SUFFIX);
    } catch (error) {
      this.log.error(`couldn’t move ${path}`, error);
    }
    return undefined;
  }

  /** Removes leftovers of interrupted writes. */
  private async sweep(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) {
        await rm(path, { force: true }).catch((error: unknown) => this.log.warn(`couldn’t remove ${path}`, error));
      }
    }
  }
}

/** Returns undefined if another window has just set the file aside. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) {
      return undefined;
    }
    throw error;
  }
}

/**
 * The time of a claim is that of its empty file. It is not needed once an outcome is known, and a stat call takes as
 * long as reading a record, so the time of the outcome is used instead.
 */
function claimEvent(
  path: string,
  promptId: string,
  attempt: number,
  records: readonly RecordedEvent[],
): RecordedEvent<PromptClaim> {
  const outcome = records.find(({ event }) => isOutcome(event, promptId, attempt))?.event;
  const at = outcome?.at ?? Math.round(statSync(path).mtimeMs);
  return { stamp: claimStamp(promptId, attempt), event: { type: 'claimed', at, promptId, attempt } };
}

function isOutcome(event: JobEvent | PromptClaim, promptId: string, attempt: number): boolean {
  const isLate = event.type === 'created' || ('reason' in event && event.attempt >= attempt);
  return isLate && event.promptId === promptId;
}
