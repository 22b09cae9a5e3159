import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';

/** The name, in the settings, of the agent for trying out, which follows fixed rules. */
export const DEMO_AGENT = 'demo';

/** The prefix of the local service's keys, so that a key is recognized wherever it appears. */
export const LOCAL_KEY_PREFIX = 'local_';

/** A key of the local service: 256 random bits in hexadecimal digits. */
export const LOCAL_KEY = /^local_[0-9a-f]{64}$/;

/**
 * The path of a job's review page on the local service. Contains no secret: a browser is admitted by a one-time code.
 */
export function reviewPath(jobId: string): string {
  return `/review/${jobId}`;
}

/** The URL of a review page on this machine. */
const REVIEW_LINK = /^http:\/\/127\.0\.0\.1:\d{1,5}\/review\/([A-Za-z0-9_-]{1,64})$/;

/** True for the URL of this job's review page; false for a pull request on some server on this machine. */
export function isReviewLink(link: string, jobId: string): boolean {
  return REVIEW_LINK.exec(link)?.[1] === jobId;
}

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
