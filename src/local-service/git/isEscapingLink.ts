import { lstat, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { joinBytes } from '../../base/files';

/**
 * True for a link that points outside the work folder or into its `.git`, by its text or by its real target on this
 * disk, and for anything that is no longer a link.
 *
 * @param path relative to the work folder, in bytes: a name need not be UTF-8
 */
export async function isEscapingLink(work: string, path: Buffer): Promise<boolean> {
  const file = joinBytes(work, path);
  if (!(await lstat(file)).isSymbolicLink()) {
    return true;
  }
  const target = (await readlink(file, { encoding: 'buffer' })).toString('latin1');
  if (isEscapingTarget(path.toString('latin1'), target)) {
    return true;
  }
  const root = Buffer.from(await realpath(work)).toString('latin1') + sep;
  const end = (await realpath(file, { encoding: 'buffer' }).catch(() => undefined))?.toString('latin1');
  return (
    end !== undefined && (!(end + sep).startsWith(root) || /^\.git$/i.test(end.slice(root.length).split(sep)[0] ?? ''))
  );
}

/** The longest target, in bytes, that any system allows: that of Windows. */
const MAX_TARGET = 32_767;

/**
 * True unless the target is relative, and climbs only at its start and not above the root. After another link, `..`
 * would start from the target of that link.
 *
 * @param path the link's own path relative to the root, with `/`
 */
export function isEscapingTarget(path: string, target: string): boolean {
  if (target === '' || target.length > MAX_TARGET || /^[/\\]|^[A-Za-z]:/.test(target)) {
    return true;
  }
  const parts = target.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  const climbs = parts.findIndex((part) => part !== '..');
  const leading = climbs === -1 ? parts.length : climbs;
  const depth = path.split('/').length - 1;
  return leading > depth || parts.slice(leading).includes('..') || parts.some((part) => part.toLowerCase() === '.git');
}
