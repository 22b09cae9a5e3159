import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether an unprivileged process can mount a tmpfs for itself (Linux user and mount namespaces). */
export function canMountSmallDisk(): boolean {
  if (process.platform !== 'linux') {
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  const { status } = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none "$1"', 'sh', folder]);
  rmdirSync(folder);
  return status === 0;
}

/**
 * Program and arguments that run a Node script with a disk of its own at `folder`.
 *
 * @param options mount options, such as `size=256k` or `nr_inodes=8`
 */
export function onSmallDisk(options: string, folder: string, script: string, ...args: string[]): [string, string[]] {
  const mount = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"';
  return ['unshare', ['-rm', 'sh', '-c', mount, 'sh', options, folder, process.execPath, script, ...args]];
}
