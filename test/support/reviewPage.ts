import type { Page } from 'playwright-core';
import { pathOf } from '../../src/protocol/routes';

/** A job of a local service, and a key that opens it. */
export interface ReviewedJob {
  target: { baseUrl: string; projectId: string; apiKey: string };
  jobId: string;
}

/** What a browser has after opening a one-time address. */
export interface OpenedReview {
  /** The final address after the redirect. */
  url: string;
  /** For the `Cookie` header. */
  cookie: string;
  page: Response;
}

/** Requests a one-time address that opens the review page of a job. */
export async function oneTimeAddress({ target, jobId }: ReviewedJob): Promise<string> {
  const headers = { authorization: `Bearer ${target.apiKey}` };
  const path = pathOf('openReview', { ...target, jobId });
  const answer = await fetch(target.baseUrl + path, { method: 'POST', headers });
  const body = (await answer.json()) as { url?: string };
  if (body.url === undefined) {
    throw new Error(`no address: ${answer.status} ${JSON.stringify(body)}`);
  }
  return body.url;
}

/** Opens the review page of a job as a browser does: exchanges the code for a cookie and follows the redirect. */
export async function openReview(job: ReviewedJob): Promise<OpenedReview> {
  const url = await oneTimeAddress(job);
  const entry = await fetch(url, { redirect: 'manual' });
  const cookie = (entry.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const next = new URL(entry.headers.get('location') ?? '', url).href;
  return { url: next, cookie, page: await fetch(next, { headers: { cookie } }) };
}

/** Opens the review page of a job in a browser. */
export async function openInBrowser(page: Page, job: ReviewedJob): Promise<void> {
  await page.goto(await oneTimeAddress(job), { waitUntil: 'commit' });
  await page.waitForURL(/\/review\/[^/?]+\/[^/?]+$/);
}
