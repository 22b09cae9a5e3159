import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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

/**
 * When the process with this id started, in a unit that is this system's own: clock ticks since boot on Linux, the words
 * of `ps` on macOS, a file time on Windows. Good only to be compared for equality: a pid alone may have been given to
 * another process since.
 *
 * @returns undefined when there is no such process, or when the system does not tell
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    return undefined;
  }
  const way = processControl().startTime(pid);
  return 'file' in way ? startTimeInStat(await readFile(way.file, 'utf8').catch(() => '')) : output(way.run);
}

/**
 * Field 22 of a Linux `/proc/PID/stat` line (proc_pid_stat(5)). The second field is the program's name in parentheses and
 * may itself hold spaces and parentheses, so counting starts behind the last one.
 */
export function startTimeInStat(stat: string): string | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  const state = fields[0];
  // A zombie still has a line, yet nothing runs any more.
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

function output([program, ...args]: Command): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: 10_000, windowsHide: true, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } };
    execFile(program, args, options, (error, stdout) => {
      resolve(error ? undefined : stdout.trim() || undefined);
    });
  });
}

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
