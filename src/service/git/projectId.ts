import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/**
 * The id of the project in this folder: its name as far as an id may hold it, and a short hash of its real path, so that
 * the same folder has the same id after a restart, and two of one name differ.
 */
export function projectIdOf(topLevel: string): string {
  const slug = basename(topLevel)
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .toLowerCase();
  const hash = createHash('sha256').update(topLevel).digest('hex').slice(0, 10);
  return slug === '' ? hash : `${slug}-${hash}`;
}
