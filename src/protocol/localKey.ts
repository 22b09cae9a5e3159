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
