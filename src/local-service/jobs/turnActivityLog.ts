import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../base/logger';
import type { CodedText } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import { noteEntry } from '../codedText';
import { type ActivityLogStore, type Claim, ClaimLost } from '../store/jobStore';
import { cutText } from '../text';

/** How long entries are buffered before they are written, in milliseconds. Agents send a word at a time. */
const GATHER_MS = 150;

/** How many entries are written at once: however much an agent says, others get their turn in between. */
const BATCH = 20;

const MAX_MESSAGE = 8_000;
const MAX_TITLE = 500;
const MAX_PATH = 1_000;
const MAX_ITEMS = 100;

/**
 * Records what an agent does in a turn. Joins the pieces of a message, writes entries in batches, and limits the size
 * of each.
 */
export class TurnActivityLog {
  private gathered: ActivityEntry[] = [];
  private timer: NodeJS.Timeout | undefined;
  private written = Promise.resolve();

  /** @param onLost called when another run has claimed the turn */
  constructor(
    private readonly store: Pick<ActivityLogStore, 'addActivity'>,
    private readonly turn: Claim,
    private readonly log: Logger,
    private readonly onLost: (error: ClaimLost) => void = () => undefined,
  ) {}

  add(entry: ActivityEntry): void {
    const bounded = boundEntry(entry);
    const last = this.gathered.at(-1);
    if (bounded.kind === 'message' && last?.kind === 'message') {
      this.gathered.pop();
      this.gathered.push(...pieces(`${last.text}\n\n${bounded.text}`));
    } else {
      this.gathered.push(...(bounded.kind === 'message' ? pieces(bounded.text) : [bounded]));
    }
    this.timer ??= setTimeout(() => void this.write(), GATHER_MS);
  }

  note(text: CodedText): void {
    this.add(noteEntry(text));
  }

  /**
   * Writes the buffered entries. Called before the turn's state changes, so that the new state comes after them. A
   * failed write is logged and does not stop the work.
   */
  write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const entries = this.gathered;
    this.gathered = [];
    if (entries.length > 0) {
      this.written = this.written.then(() => this.save(entries));
    }
    return this.written;
  }

  private async save(entries: readonly ActivityEntry[]): Promise<void> {
    try {
      for (let start = 0; start < entries.length; start += BATCH) {
        await this.store.addActivity(this.turn, entries.slice(start, start + BATCH));
        await nextTurn();
      }
    } catch (error) {
      if (error instanceof ClaimLost) {
        this.onLost(error);
      } else {
        this.log.warn(`couldn’t save part of the activity log of job ${this.turn.jobId}`, error);
      }
    }
  }
}

function pieces(text: string): ActivityEntry[] {
  const found: ActivityEntry[] = [];
  for (let rest = text; rest !== '';) {
    // Don't split a surrogate pair.
    const end = isHighSurrogate(rest.charCodeAt(MAX_MESSAGE - 1)) ? MAX_MESSAGE - 1 : MAX_MESSAGE;
    found.push({ kind: 'message', text: rest.slice(0, end) });
    rest = rest.slice(end);
  }
  return found;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function boundEntry(entry: ActivityEntry): ActivityEntry {
  switch (entry.kind) {
    case 'tool': {
      const files = entry.files.slice(0, MAX_ITEMS).map((file) => cutText(file, MAX_PATH));
      return { ...entry, call: entry.call.slice(0, MAX_TITLE), title: cutText(entry.title, MAX_TITLE), files };
    }
    case 'plan': {
      const steps = entry.steps.slice(0, MAX_ITEMS).map((step) => ({ ...step, text: cutText(step.text, MAX_TITLE) }));
      return { ...entry, steps };
    }
    case 'permission':
      return { ...entry, title: cutText(entry.title, MAX_TITLE), why: cutText(entry.why, MAX_TITLE) };
    case 'note':
      return { ...entry, text: cutText(entry.text, MAX_MESSAGE) };
    case 'message':
    case 'state':
      return entry;
  }
}
