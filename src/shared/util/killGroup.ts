import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

/** Ends a process and its group; on Windows, which has no groups, the tree below it. A group that is gone is no fault. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    const killer = spawn(taskkill(process.env), ['/pid', String(pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nothing of it runs any more.
  }
}

/** By its whole path: Windows looks for a name in the current folder first. */
export function taskkill(environment: NodeJS.ProcessEnv): string {
  return win32.join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
}
