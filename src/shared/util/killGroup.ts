import { spawn } from 'node:child_process';
import { processControl } from './processControl';

/** Ends a process and its group; on Windows, which has no groups, the tree below it. A group that is gone is no fault. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  const way = processControl().endGroup(pid);
  if ('run' in way) {
    const [program, ...args] = way.run;
    spawn(program, args, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(way.group, signal);
  } catch {
    // ESRCH: nothing of it runs any more.
  }
}
