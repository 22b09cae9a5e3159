import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { LOCAL_ID } from '../../shared/protocol/localService';
import type { ReviewDesk } from '../review/reviewDesk';
import type { JobStore } from '../store/jobStore';
import { HttpRefusal } from './httpRefusal';
import { onlyMethod } from './onlyMethod';

/**
 * The review page under `/review`. A browser sends no key, so the address itself bears a capability; it reads one job and
 * changes nothing.
 */
export function reviewRoute(store: Pick<JobStore, 'job'>, desk: ReviewDesk): Hono {
  const app = new Hono();
  app.get('/:jobId/:capability', async (context) => {
    const id = context.req.param('jobId');
    const job = LOCAL_ID.test(id) ? store.job(id) : undefined;
    const isRight = isSame(context.req.param('capability'), job?.capability ?? '');
    const page = job !== undefined && isRight ? await desk.page(job) : undefined;
    if (page === undefined) {
      throw new HttpRefusal(404, 'There is no such page.');
    }
    context.header('Content-Security-Policy', page.policy);
    context.header('Cross-Origin-Opener-Policy', 'same-origin');
    context.header('Cross-Origin-Resource-Policy', 'same-origin');
    return context.html(page.html);
  });
  app.all('/:jobId/:capability', onlyMethod('GET, HEAD'));
  return app;
}

function isSame(presented: string, wanted: string): boolean {
  const [left, right] = [presented, wanted].map((text) => createHash('sha256').update(text).digest());
  return wanted !== '' && left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
