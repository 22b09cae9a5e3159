import type { Context } from 'hono';
import { HttpRefusal } from './httpRefusal';
import { isSame } from './reviewAccess';

/** The header that bears a page's token. No form can set it, and no page of another origin without being asked first. */
export const PAGE_TOKEN_HEADER = 'X-Docs-Agent-Page';

/** What a page is told that was opened before the service was started again. */
export const PAGE_IS_OLD =
  'The local service was started again since this page was opened. Open the page again from the editor.';

/**
 * Lets a POST in only when the very page sent it: with its own `Origin`, as same-origin where the browser says so (Fetch
 * Metadata), and with the token that stands in the page. Throws HttpRefusal 403. The cookie is checked before, the content
 * type after.
 */
export function guardPost(context: Context, token: string): void {
  const site = context.req.header('Sec-Fetch-Site');
  const isOwnOrigin = context.req.header('Origin') === `http://${context.req.header('Host') ?? ''}`;
  if (!isOwnOrigin || (site !== undefined && site !== 'same-origin')) {
    throw new HttpRefusal(403, 'Only the review page itself may do this.');
  }
  if (!isSame(context.req.header(PAGE_TOKEN_HEADER) ?? '', token)) {
    throw new HttpRefusal(403, PAGE_IS_OLD);
  }
}
