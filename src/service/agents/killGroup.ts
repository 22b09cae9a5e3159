import { spawn } from 'node:child_process';

/** Ends a process and its group; on Windows, which has no groups, the tree below it. A group that is gone is no fault. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    const killer = spawn('taskkill.exe', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    killer.on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nothing of it runs any more.
  }
}
