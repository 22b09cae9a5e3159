import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { HttpRefusal } from './httpRefusal';

/** The header that bears a page's token. No form can set it, and no page of another origin without being asked first. */
export const PAGE_TOKEN_HEADER = 'X-Docs-Agent-Page';

/** Makes and checks the tokens of review pages. */
export interface PageTokens {
  of(jobId: string, capability: string): string;
}

/** Tokens that are good for as long as this process lives. */
export function pageTokens(): PageTokens {
  const secret = randomBytes(32);
  return {
    of: (jobId, capability) => createHmac('sha256', secret).update(`${jobId}\n${capability}`).digest('base64url'),
  };
}

/**
 * Lets a POST in only when the very page sent it: with its own `Origin`, as same-origin where the browser says so (Fetch
 * Metadata), and with the token that stands in the page. Throws HttpRefusal 403. The capability in the path is checked
 * before, the content type after.
 */
export function guardPost(context: Context, token: string): void {
  const site = context.req.header('Sec-Fetch-Site');
  const isOwnOrigin = context.req.header('Origin') === `http://${context.req.header('Host') ?? ''}`;
  if (!isOwnOrigin || (site !== undefined && site !== 'same-origin')) {
    throw new HttpRefusal(403, 'Only the review page itself may do this.');
  }
  if (!isSame(context.req.header(PAGE_TOKEN_HEADER) ?? '', token)) {
    throw new HttpRefusal(403, 'The local service was started again since this page was opened. Reload the page.');
  }
}

/** Compares two texts in a time that tells nothing of them. An empty one is never the same. */
export function isSame(presented: string, wanted: string): boolean {
  const [left, right] = [presented, wanted].map((text) => createHash('sha256').update(text).digest());
  return wanted !== '' && left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
