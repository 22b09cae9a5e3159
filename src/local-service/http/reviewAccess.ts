import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Clock } from '../../base/async';
import { coded } from '../../protocol/codedText';
import { HttpError } from './httpError';

/** The cookie that a browser gets for the code of a one-time address. */
export const REVIEW_COOKIE = 'docs-agent-review';

const CODE_LIFE_MS = 120_000;

/** More codes than ever wait to be used at once; the oldest ones go first. */
const MAX_CODES = 200;

interface Code {
  jobId: string;
  /** On the monotonic clock. */
  until: number;
}

/**
 * Decides who may see a review page. All of it is made anew at each start of the service, so that nothing that a browser,
 * a record or a log holds is worth anything to a program that gets this port later.
 *
 * The page stands at a path that can't be guessed either, and the cookie is for that path alone: browsers send cookies to
 * every port of a host, and would otherwise send this one to whoever listens where an old link leads.
 */
export class ReviewAccess {
  private readonly secret = randomBytes(32);
  /** By the hash of the code, so that the time of a look-up tells nothing of one. */
  private readonly codes = new Map<string, Code>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** A code that opens the page of a job once, within two minutes. */
  newCode(jobId: string): string {
    const code = randomBytes(32).toString('base64url');
    this.codes.set(hash(code), { jobId, until: this.clock.monotonic() + CODE_LIFE_MS });
    const [oldest] = this.codes.keys();
    if (this.codes.size > MAX_CODES && oldest !== undefined) {
      this.codes.delete(oldest);
    }
    return code;
  }

  /** True when the code opens the page of this job; it then opens nothing any more. */
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

  /** What stands in the page and has to come back with what changes something. */
  tokenOf(jobId: string): string {
    return this.derive('token', jobId);
  }

  /**
   * True for the path and the cookie of this job, as they are since the start of the service.
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
    return isSame(visit, this.visitOf(jobId)) && values.some((value) => isSame(value, wanted));
  }

  private derive(use: 'visit' | 'cookie' | 'token', jobId: string): string {
    return createHmac('sha256', this.secret).update(`${use}\n${jobId}`).digest('base64url');
  }
}

/** Compares two texts in a time that tells nothing of them. An empty one is never the same. */
export function isSame(presented: string, wanted: string): boolean {
  const [left, right] = [presented, wanted].map((text) => createHash('sha256').update(text).digest());
  return wanted !== '' && left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

function hash(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}

/** The header that bears a page's token. No form can set it, and no page of another origin without being asked first. */
export const PAGE_TOKEN_HEADER = 'X-Docs-Agent-Page';

/** What a page is told that was opened before the service was started again. */
export const PAGE_IS_OLD = coded('pageIsOld');

/**
 * Lets a POST in only when the very page sent it: with its own `Origin`, as same-origin where the browser says so (Fetch
 * Metadata), and with the token that stands in the page. Throws HttpError 403. The cookie is checked before, the content
 * type after.
 */
export function guardPost(context: Context, token: string): void {
  const site = context.req.header('Sec-Fetch-Site');
  const isOwnOrigin = context.req.header('Origin') === `http://${context.req.header('Host') ?? ''}`;
  if (!isOwnOrigin || (site !== undefined && site !== 'same-origin')) {
    throw new HttpError(403, coded('pageOnly'));
  }
  if (!isSame(context.req.header(PAGE_TOKEN_HEADER) ?? '', token)) {
    throw new HttpError(403, PAGE_IS_OLD);
  }
}
