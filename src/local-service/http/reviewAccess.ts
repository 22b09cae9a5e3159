import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/async';

/** Cookie that a browser gets in exchange for the code of a one-time URL. */
export const REVIEW_COOKIE = 'docs-agent-review';

const CODE_LIFE_MS = 120_000;

interface Code {
  jobId: string;
  /** Expiry, in milliseconds on the monotonic clock. */
  until: number;
}

/**
 * Controls access to review pages. All secrets are regenerated at each start of the service, so whatever a browser, a
 * record or a log still holds is worthless to a program that gets this port later.
 *
 * The page's path can't be guessed either, and the cookie is limited to that path: browsers send cookies to every port
 * of a host, and would otherwise send this one to whoever listens where an old link points.
 */
export class ReviewAccess {
  private readonly secret = randomBytes(32);
  /** Keyed by the hash of the code, so that lookup time reveals nothing about a code. */
  private readonly codes = new Map<string, Code>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Creates a code that opens a job's page once, within two minutes. */
  newCode(jobId: string): string {
    const code = randomBytes(32).toString('base64url');
    this.codes.set(hash(code), { jobId, until: this.clock.monotonic() + CODE_LIFE_MS });
    return code;
  }

  /** Returns whether the code opens this job's page. It can be redeemed only once. */
  redeem(jobId: string, code: string): boolean {
    const name = hash(code);
    const found = this.codes.get(name);
    if (found?.jobId !== jobId) {
      return false;
    }
    this.codes.delete(name);
    return this.clock.monotonic() < found.until;
  }

  /** The last part of the page's path. */
  visitOf(jobId: string): string {
    return this.derive('visit', jobId);
  }

  /** The value of the cookie. */
  cookieOf(jobId: string): string {
    return this.derive('cookie', jobId);
  }

  /**
   * Returns whether the path and the cookie are valid for this job in this run of the service.
   *
   * @param cookies the `Cookie` header; programs on other ports of this host can add to it
   */
  admits(jobId: string, visit: string, cookies: string): boolean {
    const values = cookies
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${REVIEW_COOKIE}=`))
      .map((pair) => pair.slice(REVIEW_COOKIE.length + 1));
    const wanted = this.cookieOf(jobId);
    return (
      isEqualInConstantTime(visit, this.visitOf(jobId)) && values.some((value) => isEqualInConstantTime(value, wanted))
    );
  }

  private derive(use: 'visit' | 'cookie', jobId: string): string {
    return createHmac('sha256', this.secret).update(`${use}\n${jobId}`).digest('base64url');
  }
}

/** Compares two strings in constant time. */
function isEqualInConstantTime(presented: string, wanted: string): boolean {
  const [left, right] = [presented, wanted].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

function hash(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}
