import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';

/**
 * The id that the local service gives the project in this folder: the characters of its name that an id may contain,
 * and a short hash of its real path. So a folder keeps its id after a restart, and two folders with the same name
 * differ.
 */
export function projectIdOf(topLevel: string): string {
  const slug = basename(topLevel)
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 40)
    .toLowerCase();
  const hash = createHash('sha256').update(topLevel).digest('hex').slice(0, 10);
  return slug === '' ? hash : `${slug}-${hash}`;
}

/** The ids that the project of this folder can have: the top level of its repository is the folder or one above it. */
export function possibleProjectIds(folder: string): string[] {
  const above = dirname(folder);
  return [projectIdOf(folder), ...(above === folder ? [] : possibleProjectIds(above))];
}
