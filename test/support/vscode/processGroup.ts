import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** How long a process may take to exit by itself, in milliseconds. */
const GRACE = 5_000;

/**
 * A program and everything that it starts, as one process group, so that nothing is left when it is stopped or this
 * process exits.
 */
export class ProcessGroup {
  readonly child: ChildProcess;
  private readonly onExit = (): void => this.signal('SIGKILL');

  constructor(file: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd?: string }) {
    this.child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    process.on('exit', this.onExit);
  }

  /** Ends the group: with SIGTERM first, then with SIGKILL. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
      this.signal('SIGTERM');
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GRACE).unref())]);
    }
    this.signal('SIGKILL');
    process.off('exit', this.onExit);
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.child.pid === undefined) {
      return;
    }
    try {
      process.kill(-this.child.pid, signal);
    } catch {
      // No process of the group is left.
    }
  }
}
