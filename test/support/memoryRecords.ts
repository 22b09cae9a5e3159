import type { JobEvent, Stamped } from '../../src/jobs/events';
import { goStamp } from '../../src/jobs/jobStore';
import type { RecordFiles } from '../../src/jobs/ports';

/** The records in memory, shared by as many stores ("windows") as are given the same one. */
export class MemoryRecords implements RecordFiles {
  readonly folders = new Map<string, Stamped[]>();
  readonly claims = new Set<string>();
  /** Set to make the next writes fail. */
  writeError: Error | undefined;

  async list(): Promise<string[]> {
    return [...this.folders.keys()];
  }

  async read(key: string): Promise<Stamped[]> {
    return [...(this.folders.get(key) ?? [])];
  }

  async write(key: string, stamped: Stamped<JobEvent>): Promise<void> {
    if (this.writeError !== undefined) {
      throw this.writeError;
    }
    this.folders.set(key, [...(this.folders.get(key) ?? []), stamped]);
  }

  async claim(key: string, name: string): Promise<boolean> {
    const id = `${key}/${name}`;
    if (this.claims.has(id)) {
      return false;
    }
    this.claims.add(id);
    if (name.startsWith('go-')) {
      const send = name.slice('go-'.length);
      const events = this.folders.get(key) ?? [];
      const intent = events.find(({ event }) => event.type === 'send' && event.send === send);
      const at = intent?.event.at ?? 0;
      this.folders.set(key, [...events, { stamp: goStamp(intent?.stamp ?? ''), event: { type: 'go', at, send } }]);
    }
    return true;
  }
}
