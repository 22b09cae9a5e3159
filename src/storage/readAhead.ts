import { Worker } from 'node:worker_threads';
import type { FolderFiles } from './recordFolder';
import type { ReaderMessage, ReaderTask } from './recordReader';

/** The folders of many jobs, read by a second thread while this one makes sense of what was read. */
export class ReadAhead {
  private readonly expected: Set<string>;
  private readonly read = new Map<string, FolderFiles | undefined>();
  private waiting: (() => void)[] = [];

  /**
   * @param script the bundle of `recordReader`
   * @param task with the jobs in the order in which they will be asked for
   */
  constructor(script: string, task: ReaderTask) {
    this.expected = new Set(task.keys);
    const worker = new Worker(script, { workerData: task });
    worker.on('message', (message: ReaderMessage) => {
      message.forEach(([key, files]) => this.read.set(key, files));
      this.wake();
    });
    // It ends: what it has not read is read by whoever asks.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.expected.clear();
      this.wake();
    });
  }

  /** Gives what was read of a job as soon as it was, and once: undefined says that its folder is to be read now. */
  async take(key: string): Promise<FolderFiles | undefined> {
    while (this.expected.has(key) && !this.read.has(key)) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    const files = this.read.get(key);
    this.expected.delete(key);
    this.read.delete(key);
    return files;
  }

  private wake(): void {
    this.waiting.splice(0).forEach((resolve) => resolve());
  }
}
