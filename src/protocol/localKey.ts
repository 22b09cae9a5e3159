/** The prefix of the local service's keys, so that one is recognised wherever it turns up. */
export const LOCAL_KEY_PREFIX = 'local_';

/** A key of the local service: 256 random bits in hexadecimal digits. */
export const LOCAL_KEY = /^local_[0-9a-f]{64}$/;

/** The path of a job's review page at the local service. It bears no secret: a browser gets in by a one-time code. */
export function reviewPath(jobId: string): string {
  return `/review/${jobId}`;
}

/** The address of a review page on this machine, as this version and earlier ones told it. */
const REVIEW_LINK = /^http:\/\/127\.0\.0\.1:\d{1,5}\/review\/([A-Za-z0-9_-]{1,64})(?:\/[A-Za-z0-9_-]{43})?$/;

/** True for the address of the review page of this job, and false for that of a pull request on some server of this machine. */
export function isReviewLink(link: string, jobId: string): boolean {
  return REVIEW_LINK.exec(link)?.[1] === jobId;
}

/**
 * Takes out of the address of a review page what earlier versions of the service let anybody in by. Every other text stays
 * as it is.
 */
export function withoutCapability(link: string): string {
  const [, jobId] = REVIEW_LINK.exec(link) ?? [];
  return jobId === undefined || !URL.canParse(link) ? link : new URL(reviewPath(jobId), link).href;
}
