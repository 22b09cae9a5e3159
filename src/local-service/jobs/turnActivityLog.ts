import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../base/logger';
import type { CodedText } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import { noteEntry } from '../codedText';
import { type ActivityLogStore, type Claim, ClaimLost } from '../store/jobStore';

/** How long entries are buffered before they are written, in milliseconds. */
const GATHER_MS = 150;

/** How many entries are written at once: however much an agent says, others get their turn in between. */
const BATCH = 20;

/** Records what an agent does in a turn, in batches. The agent's driver has bounded each entry. */
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
    this.gathered.push(entry);
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
