import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { showInvisible } from '../../base/text';
import { coded } from '../../protocol/codedText';
import { LOCAL_ID, mergeRequestSchema } from '../../protocol/localService';
import { renderClosedPage, renderEntryPage, type HtmlPage } from '../review/html';
import { type Language, languageFor } from '../review/language';
import { followUpSchema, type ReviewActions } from '../review/reviewActions';
import type { ReviewReader } from '../review/reviewReader';
import type { Job, JobStore } from '../store/jobStore';
import { HttpError, readJson, toHttpError } from './httpError';
import { guardPost, PAGE_IS_OLD, REVIEW_COOKIE, type ReviewAccess } from './reviewAccess';
import { methodNotAllowed } from './serveRoutes';

export interface ReviewRouteParts {
  store: Pick<JobStore, 'job'>;
  desk: Pick<ReviewReader, 'page'>;
  actions: ReviewActions;
  access: ReviewAccess;
}

/**
 * The review page under `/review`, and its requests. Browsers send no key, so access is by a cookie that the browser
 * gets for the code of a one-time URL. Only the page itself may change anything: see `guardPost`.
 */
export function reviewRoute({ store, desk, actions, access }: ReviewRouteParts): Hono {
  const app = new Hono();
  const base = '/:jobId/:visit';
  const isAdmitted = (context: Context): boolean =>
    access.admits(idOf(context), context.req.param('visit') ?? '', context.req.header('Cookie') ?? '');
  const jobOf = async (context: Context): Promise<Job> => {
    if (!isAdmitted(context)) {
      throw new HttpError(403, PAGE_IS_OLD);
    }
    return findJob(context, store);
  };

  app.get('/:jobId', async (context) => {
    const id = idOf(context);
    const code = context.req.query('code');
    // A HEAD request comes from a program that checks the link, and must not use up the code before the user does.
    if (code === undefined || context.req.method !== 'GET' || !access.redeem(id, code)) {
      return closedPage(context);
    }
    const path = `/review/${id}/${access.visitOf(id)}`;
    const cookie = `${REVIEW_COOKIE}=${access.cookieOf(id)}; Path=${path}; HttpOnly; SameSite=Strict`;
    context.header('Set-Cookie', cookie);
    return showPage(context, renderEntryPage(path, await languageOf(context)), 200);
  });
  app.all('/:jobId', methodNotAllowed('GET, HEAD'));

  app.get(base, async (context) => {
    if (!isAdmitted(context)) {
      return closedPage(context);
    }
    const job = await findJob(context, store);
    const page = await desk.page(job, access.tokenOf(job.id), await languageOf(context));
    if (page === undefined) {
      throw noPage();
    }
    return showPage(context, page, 200);
  });
  app.all(base, methodNotAllowed('GET, HEAD'));

  app.get(`${base}/state`, async (context) => {
    context.header('Cross-Origin-Resource-Policy', 'same-origin');
    return context.json(await actions.state(await jobOf(context)));
  });
  app.all(`${base}/state`, methodNotAllowed('GET, HEAD'));

  /** Adds a POST route for the page itself, with a body of this shape. Returns the state of the job afterwards. */
  const act = <T>(name: string, schema: z.ZodMiniType<T>, work: (job: Job, body: T) => Promise<unknown>): void => {
    app.post(`${base}/${name}`, async (context) => {
      const job = await jobOf(context);
      guardPost(context, access.tokenOf(job.id));
      const body = await read(context, schema);
      await work(job, body);
      return context.json(await actions.state(job));
    });
    app.all(`${base}/${name}`, methodNotAllowed('POST'));
  };
  act('send', followUpSchema, (job, message) => actions.followUp(job, message));
  act('merge', mergeRequestSchema, (job, request) => actions.merge(job, request));
  act('close', z.object({}), (job) => actions.close(job));
  act('reopen', z.object({}), (job) => actions.reopen(job));
  app.onError(async (thrown, context) => {
    const error = toHttpError(thrown);
    if (!(error instanceof HttpError)) {
      throw error;
    }
    const { sentence } = await languageOf(context);
    const words = error.coded === undefined ? error.message : sentence(error.coded);
    throw new HttpError(error.status, showInvisible(words), error.headers, error.more);
  });
  return app;
}

function languageOf(context: Context): Promise<Language> {
  return languageFor(context.req.header('Accept-Language') ?? '');
}

function showPage(context: Context, { html, policy }: HtmlPage, status: 200 | 403): Response | Promise<Response> {
  context.header('Content-Security-Policy', policy);
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('Vary', 'Accept-Language');
  return context.html(html, status, { 'Cross-Origin-Resource-Policy': 'same-origin' });
}

/** Returns the same page for existing and unknown jobs: without the cookie, no one can find out which jobs exist. */
async function closedPage(context: Context): Promise<Response> {
  const { origin } = new URL(context.req.url);
  return showPage(context, renderClosedPage(origin, idOf(context), await languageOf(context)), 403);
}

function idOf(context: Context): string {
  const id = context.req.param('jobId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw noPage();
  }
  return id;
}

async function findJob(context: Context, store: Pick<JobStore, 'job'>): Promise<Job> {
  const job = await store.job(idOf(context));
  if (job === undefined) {
    throw noPage();
  }
  return job;
}

function noPage(): HttpError {
  return new HttpError(404, coded('noSuchPage'));
}

async function read<T>(context: Context, schema: z.ZodMiniType<T>): Promise<T> {
  const parsed = z.safeParse(schema, await readJson(context));
  if (!parsed.success) {
    throw new HttpError(400, coded('pageSentWrong'));
  }
  return parsed.data;
}
