import { type Context, Hono } from 'hono';
import { LOCAL_ID } from '../../protocol/localService';
import { type HtmlPage } from '../review/html';
import { renderClosedPage } from '../review/reviewPage';
import type { ReviewReader } from '../review/reviewReader';
import type { JobStore } from '../store/jobStore';
import { HttpError } from './httpError';
import { REVIEW_COOKIE, type ReviewAccess } from './reviewAccess';
import { methodNotAllowed } from './serveRoutes';

export interface ReviewRouteParts {
  store: Pick<JobStore, 'job'>;
  reviews: Pick<ReviewReader, 'page'>;
  access: ReviewAccess;
}

/**
 * The read-only review page under `/review`. Browsers send no key, so access is by a cookie that the browser gets for
 * the code of a one-time URL.
 */
export function reviewRoute({ store, reviews, access }: ReviewRouteParts): Hono {
  const app = new Hono();

  app.get('/:jobId', (context) => {
    const id = idOf(context);
    const code = context.req.query('code');
    // A HEAD request comes from a program that checks the link, and must not use up the code before the user does.
    if (code === undefined || context.req.method !== 'GET' || !access.redeem(id, code)) {
      return closedPage(context);
    }
    const path = `/review/${id}/${access.visitOf(id)}`;
    // Not `Strict`: a browser that comes from another site would not send it along with the redirect.
    context.header('Set-Cookie', `${REVIEW_COOKIE}=${access.cookieOf(id)}; Path=${path}; HttpOnly; SameSite=Lax`);
    return context.redirect(path, 303);
  });
  app.all('/:jobId', methodNotAllowed('GET, HEAD'));

  app.get('/:jobId/:visit', async (context) => {
    const id = idOf(context);
    if (!access.admits(id, context.req.param('visit'), context.req.header('Cookie') ?? '')) {
      return closedPage(context);
    }
    const job = await store.job(id);
    const page = job && (await reviews.page(job));
    if (page === undefined) {
      throw noPage();
    }
    return showPage(context, page, 200);
  });
  app.all('/:jobId/:visit', methodNotAllowed('GET, HEAD'));

  return app;
}

function showPage(context: Context, { html, policy }: HtmlPage, status: 200 | 403): Response | Promise<Response> {
  context.header('Content-Security-Policy', policy);
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  return context.html(html, status, { 'Cross-Origin-Resource-Policy': 'same-origin' });
}

/** Returns the same page for existing and unknown jobs: without the cookie, no one can find out which jobs exist. */
function closedPage(context: Context): Response | Promise<Response> {
  return showPage(context, renderClosedPage(new URL(context.req.url).origin, idOf(context)), 403);
}

function idOf(context: Context): string {
  const id = context.req.param('jobId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw noPage();
  }
  return id;
}

function noPage(): HttpError {
  return new HttpError(404, 'Page not found.');
}
