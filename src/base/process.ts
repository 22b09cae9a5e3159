import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { win32 } from 'node:path';

/** A program by its name or path, and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Platform differences in starting, identifying and ending processes. Only describes what to do; callers execute it.
 */
export interface ProcessControl {
  /** Options for `spawn`: the process can be ended together with all its descendants, and shows no window. */
  readonly ownGroup: { readonly detached: boolean; readonly windowsHide: true };
  /** How to end a process with its descendants: a process group id to signal, or a program to run. */
  endGroup(pid: number): { readonly group: number } | { readonly run: Command };
  /**
   * Whether a group can be ended after its first process has ended. If not, the pid may already belong to another
   * process.
   */
  readonly groupOutlivesFirst: boolean;
  /** Where to read a process's start time: a file, or the output of a program. */
  startTime(pid: number): { readonly file: string } | { readonly run: Command };
  /** Whether `/proc` lists all processes with their parents and environments. */
  readonly hasProc: boolean;
}

/** What the key that shortcuts start with is called on a platform. */
export function shortcutKey(platform: NodeJS.Platform = process.platform): 'Cmd' | 'Ctrl' {
  return platform === 'darwin' ? 'Cmd' : 'Ctrl';
}

/**
 * Returns the process control of a platform. Windows programs are given by absolute path, because Windows searches the
 * current folder first.
 */
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

/** Windows has no process groups, but can end a process tree. */
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
 * Returns when the process with this id started, in a platform-specific form: clock ticks since boot on Linux, the text
 * printed by `ps` on macOS, a file time on Windows. Only useful to compare for equality: a pid alone may have been
 * reused by another process.
 *
 * @returns undefined if there is no such process, or if the system does not report the time
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    return undefined;
  }
  const way = processControl().startTime(pid);
  return 'file' in way ? startTimeInStat(await readFile(way.file, 'utf8').catch(() => '')) : output(way.run);
}

/**
 * Returns field 22 of a Linux `/proc/PID/stat` line (proc_pid_stat(5)). The second field is the program's name in
 * parentheses and may itself contain spaces and parentheses, so counting starts after the last one.
 */
export function startTimeInStat(stat: string): string | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  const state = fields[0];
  // A zombie still has a line, although it no longer runs.
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

/**
 * Ends a process and its group, or on Windows, which has no groups, its process tree. Ignores a group that no longer
 * exists.
 */
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
    // ESRCH: the process group no longer exists.
  }
}
