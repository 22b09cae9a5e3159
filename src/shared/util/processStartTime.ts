import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type Command, processControl } from './processControl';

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
