import { type EventReader, readEvents } from '../../support/eventStream';
import type { Dice } from '../../support/scale';
import { pause } from './chaosClients';

/** Delay before a reader connects again, in milliseconds. */
const AGAIN_MS = 200;

/** Follows the activity log of a job, from any API process, and continues after the last event when it is cut off. */
export class ChaosReader {
  /** The ids of all events, in the order in which they came. */
  readonly seen: number[] = [];
  private current: EventReader | undefined;
  private isOver = false;
  private readonly reading: Promise<void>;

  constructor(
    private readonly ports: readonly number[],
    private readonly key: string,
    private readonly dice: Dice,
    readonly projectId: string,
    readonly jobId: string,
  ) {
    this.reading = this.read();
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.current?.close();
    await this.reading;
  }

  private async read(): Promise<void> {
    while (!this.isOver) {
      const port = this.ports[Math.floor(this.dice() * this.ports.length)] ?? 0;
      const url = `http://127.0.0.1:${port}/v2/agent/${this.projectId}/job/${this.jobId}/events`;
      const take = ({ id }: { id: number }) => this.seen.push(id);
      this.current = await readEvents(url, this.key, this.seen.at(-1) ?? 0, take).catch(() => undefined);
      await this.current?.ended;
      await pause(AGAIN_MS);
    }
  }
}
