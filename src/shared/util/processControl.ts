import { win32 } from 'node:path';

/** A program by its name or path, and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** What differs between systems where processes are started, told apart and ended. It only says what is to be done. */
export interface ProcessControl {
  /** For `spawn`: what is started can be ended with all that it starts, and shows no window. */
  readonly ownGroup: { readonly detached: boolean; readonly windowsHide: true };
  /** Ends a process with what it has started: a signal to the id of its group, or a program. */
  endGroup(pid: number): { readonly group: number } | { readonly run: Command };
  /** Whether a group can be ended when its first process has ended: by then the id of that one may be another's. */
  readonly groupOutlivesFirst: boolean;
  /** What tells when a process started: a file, or the output of a program. */
  startTime(pid: number): { readonly file: string } | { readonly run: Command };
  /** Whether the system shows all processes, with their parents and environments, in `/proc`. */
  readonly hasProc: boolean;
}

/** That of a system. Programs of Windows are named by their paths: it looks in the current folder first. */
export function processControl(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): ProcessControl {
  return platform === 'win32' ? windows(environment) : posix(platform === 'linux');
}

function posix(hasProc: boolean): ProcessControl {
  return {
    ownGroup: { detached: true, windowsHide: true },
    endGroup: (pid) => ({ group: -pid }),
    groupOutlivesFirst: true,
    startTime: (pid) => (hasProc ? { file: `/proc/${pid}/stat` } : { run: ['ps', '-o', 'lstart=', '-p', String(pid)] }),
    hasProc,
  };
}

/** Windows has no groups, but ends the tree below a process. */
function windows(environment: NodeJS.ProcessEnv): ProcessControl {
  const system = win32.join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32');
  const shell = win32.join(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe');
  return {
    ownGroup: { detached: false, windowsHide: true },
    endGroup: (pid) => ({ run: [win32.join(system, 'taskkill.exe'), '/pid', String(pid), '/T', '/F'] }),
    groupOutlivesFirst: false,
    startTime: (pid) => {
      const script = `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToFileTimeUtc()`;
      return { run: [shell, '-NoProfile', '-NonInteractive', '-Command', script] };
    },
    hasProc: false,
  };
}
