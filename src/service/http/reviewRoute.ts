import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { LOCAL_ID } from '../../shared/protocol/localService';
import { showInvisible } from '../../shared/util/invisible';
import { type PageState, type ReviewActions, ActionRefusal } from '../review/reviewActions';
import { mergeRequestSchema, sentCommentsSchema } from '../review/reviewComments';
import { type Language, languageFor } from '../review/language';
import { entryPageOf, closedPageOf } from '../review/entryPages';
import type { ReviewDesk } from '../review/reviewDesk';
import type { ReviewPage } from '../review/reviewPage';
import { TooManyRequests } from '../runner/jobDesk';
import type { Job, JobStore } from '../store/jobStore';
import { HttpRefusal } from './httpRefusal';
import { onlyMethod } from './onlyMethod';
import { readJson } from './readJson';
import { REVIEW_COOKIE, type ReviewAccess } from './reviewAccess';
import { guardPost, PAGE_IS_OLD } from './reviewGuard';

export interface ReviewRouteParts {
  store: Pick<JobStore, 'job'>;
  desk: Pick<ReviewDesk, 'page'>;
  actions: ReviewActions;
  access: ReviewAccess;
}

/**
 * The review page under `/review`, and what it asks for. A browser sends no key, so it is let in by a cookie, which it gets
 * for the code of a one-time address. What changes something is for the page alone: see `guardPost`.
 */
export function reviewRoute({ store, desk, actions, access }: ReviewRouteParts): Hono {
  const app = new Hono();
  const base = '/:jobId/:visit';
  const isAdmitted = (context: Context): boolean =>
    access.admits(idOf(context), context.req.param('visit') ?? '', context.req.header('Cookie') ?? '');
  const jobOf = (context: Context): Job => {
    if (!isAdmitted(context)) {
      throw new HttpRefusal(403, PAGE_IS_OLD);
    }
    return findJob(context, store);
  };
  const guardedJob = (context: Context): Job => {
    const job = jobOf(context);
    guardPost(context, access.tokenOf(job.id));
    return job;
  };

  app.get('/:jobId', async (context) => {
    const id = idOf(context);
    const code = context.req.query('code');
    // A HEAD comes from a program that looks at the link before the person does.
    if (code === undefined || context.req.method !== 'GET' || !access.redeem(id, code)) {
      return closedPage(context);
    }
    const path = `/review/${id}/${access.visitOf(id)}`;
    const cookie = `${REVIEW_COOKIE}=${access.cookieOf(id)}; Path=${path}; HttpOnly; SameSite=Strict`;
    context.header('Set-Cookie', cookie);
    return showPage(context, entryPageOf(path, await languageOf(context)), 200);
  });
  app.all('/:jobId', onlyMethod('GET, HEAD'));

  app.get(base, async (context) => {
    if (!isAdmitted(context)) {
      return closedPage(context);
    }
    const job = findJob(context, store);
    const page = await desk.page(job, access.tokenOf(job.id), await languageOf(context));
    if (page === undefined) {
      throw noPage();
    }
    return showPage(context, page, 200);
  });
  app.all(base, onlyMethod('GET, HEAD'));

  app.get(`${base}/state`, async (context) => {
    const state = told(actions.state(jobOf(context)), await languageOf(context));
    const tag = `"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)}"`;
    context.header('ETag', tag);
    context.header('Cross-Origin-Resource-Policy', 'same-origin');
    return context.req.header('If-None-Match') === tag ? context.body(null, 304) : context.json(state);
  });
  app.all(`${base}/state`, onlyMethod('GET, HEAD'));

  app.post(`${base}/comments`, async (context) => {
    const job = guardedJob(context);
    const sent = await read(context, sentCommentsSchema);
    const state = await inWords(() => actions.comment(job, sent));
    return context.json(told(state, await languageOf(context)));
  });
  app.post(`${base}/merge`, async (context) => {
    const job = guardedJob(context);
    const request = await read(context, mergeRequestSchema);
    return context.json(await inWords(() => actions.merge(job, request)));
  });
  app.post(`${base}/close`, async (context) => {
    const job = guardedJob(context);
    await readJson(context);
    await inWords(() => actions.close(job));
    return context.json(told(actions.state(job), await languageOf(context)));
  });
  for (const path of ['comments', 'merge', 'close']) {
    app.all(`${base}/${path}`, onlyMethod('POST'));
  }
  app.onError(async (error, context) => {
    if (!(error instanceof HttpRefusal)) {
      throw error;
    }
    const { sentence } = await languageOf(context);
    throw new HttpRefusal(error.status, showInvisible(sentence(error.message)), error.headers, error.more);
  });
  return app;
}

function told(state: PageState, { sentence }: Language): PageState {
  return state.error === undefined ? state : { ...state, error: showInvisible(sentence(state.error)) };
}

/** The language of whoever reads the page. */
function languageOf(context: Context): Promise<Language> {
  return languageFor(context.req.header('Accept-Language') ?? '');
}

function showPage(context: Context, { html, policy }: ReviewPage, status: 200 | 403): Response | Promise<Response> {
  context.header('Content-Security-Policy', policy);
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('Vary', 'Accept-Language');
  return context.html(html, status, { 'Cross-Origin-Resource-Policy': 'same-origin' });
}

/** The same for each job, and for none: without the cookie nobody learns which jobs there are. */
async function closedPage(context: Context): Promise<Response> {
  const { origin } = new URL(context.req.url);
  return showPage(context, closedPageOf(origin, idOf(context), await languageOf(context)), 403);
}

function idOf(context: Context): string {
  const id = context.req.param('jobId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw noPage();
  }
  return id;
}

function findJob(context: Context, store: Pick<JobStore, 'job'>): Job {
  const job = store.job(idOf(context));
  if (job === undefined) {
    throw noPage();
  }
  return job;
}

function noPage(): HttpRefusal {
  return new HttpRefusal(404, 'There is no such page.');
}

async function read<T>(context: Context, schema: z.ZodMiniType<T>): Promise<T> {
  const parsed = z.safeParse(schema, await readJson(context));
  if (!parsed.success) {
    throw new HttpRefusal(400, 'The page sent what it may not. Reload it; if comments are many or long, send fewer.');
  }
  return parsed.data;
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ActionRefusal) {
      throw new HttpRefusal(409, error.message);
    }
    if (error instanceof TooManyRequests) {
      throw new HttpRefusal(429, error.message, { 'Retry-After': String(error.retryAfterSeconds) });
    }
    throw error;
  }
}
