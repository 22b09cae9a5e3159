import { Emitter } from '../../src/base/disposable';
import type { JobEvent, RecordedEvent, PromptClaim } from '../../src/jobs/events';
import { claimStamp } from '../../src/jobs/jobStore';
import type { RecordFiles } from '../../src/jobs/ports';

/** Job records in memory. Windows that share an instance share the records. */
export class MemoryRecords implements RecordFiles {
  readonly folders = new Map<string, RecordedEvent[]>();
  readonly claims = new Set<string>();
  /** Fires with the key of a job whenever a record is written for it. */
  readonly changed = new Emitter<string>((error) => {
    throw error;
  });
  /** Set to make the next writes fail. */
  writeError: Error | undefined;

  async list(): Promise<string[]> {
    return [...this.folders.keys()];
  }

  async read(key: string, known: ReadonlySet<string> = new Set()): Promise<RecordedEvent[]> {
    const found = (this.folders.get(key) ?? []).filter(({ stamp }) => !known.has(stamp));
    return found.sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
  }

  async write(key: string, stamped: RecordedEvent<JobEvent>): Promise<void> {
    if (this.writeError !== undefined) {
      throw this.writeError;
    }
    this.folders.set(key, [...(this.folders.get(key) ?? []), stamped]);
    this.changed.fire(key);
  }

  async claim(key: string, name: string): Promise<boolean> {
    const id = `${key}/${name}`;
    if (this.claims.has(id)) {
      return false;
    }
    this.claims.add(id);
    const [, send, attempt = '1'] = /^claim-([0-9a-z]+)(?:-(\d+))?$/.exec(name) ?? [];
    if (send !== undefined) {
      const events = this.folders.get(key) ?? [];
      const intent = events.find(({ event }) => event.type === 'send' && event.promptId === send);
      const event: PromptClaim = {
        type: 'claimed',
        at: intent?.event.at ?? 0,
        promptId: send,
        attempt: Number(attempt),
      };
      this.folders.set(key, [...events, { stamp: claimStamp(send, event.attempt), event }]);
      this.changed.fire(key);
    }
    return true;
  }
}
