import { Hono } from 'hono';
import { type Clock, systemClock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { answerError, notFound, openApiRoute, secureHeaders } from '../../local-service/http/app';
import { type AuthenticatedEnv, authentication, type Keys } from '../../local-service/http/authentication';
import { HttpError } from '../../local-service/http/httpError';
import { activityHandlers } from '../../local-service/http/eventStreams';
import { jobHandlers } from '../../local-service/http/jobHandlers';
import { methodNotAllowed, serveRoutes } from '../../local-service/http/serveRoutes';
import type { JobOperations } from '../../local-service/jobs/jobOperations';
import type { ActivityLogStore, JobStore } from '../../local-service/store/jobStore';
import type { RouteId } from '../../protocol/routes';
import { isDatabaseBusy } from '../store/connectDatabase';
import { LimitedWarning } from './limitedWarning';

/** Many people may look at the same job. More than this would take the connections that requests need. */
const FOLLOWERS = { perJob: 50, total: 200, isShared: true };

const TEAM_SERVICE = {
  title: 'Agent job service of a team',
  description: 'Version 2 of the agent job API, with the additions of this service.',
};

/** When to try again, in seconds. */
const RETRY_AFTER = '2';

export interface TeamAppParts {
  keys: Keys;
  store: JobStore & ActivityLogStore;
  jobs: JobOperations;
  /** Resolves if requests can be answered. */
  checkReady: () => Promise<unknown>;
  /** The figures, in the text format of Prometheus. */
  metrics: () => Promise<string>;
  log: Logger;
  clock?: Pick<Clock, 'monotonic'>;
  /** Aborts when the process shuts down. */
  ending: AbortSignal;
}

/** Creates all routes. `listen` has already checked where each request comes from. */
export function createTeamApp(parts: TeamAppParts): Hono {
  const { keys, store, jobs, checkReady, metrics, log, clock = systemClock, ending } = parts;
  const authenticated = new Hono<AuthenticatedEnv>();
  authenticated.use(authentication(keys));
  authenticated.use(async (context, next) => {
    if (!context.get('scope').mayWrite && !['GET', 'HEAD'].includes(context.req.method)) {
      throw new HttpError(403, 'This key can only read.');
    }
    await next();
  });
  // Anyone who can reach the service could otherwise watch how much a team works. An address is no protection: behind a
  // proxy on the same machine, every request comes from this machine.
  authenticated.get('/metrics', async (context) => {
    if (!context.get('scope').isServiceWide) {
      throw new HttpError(403, 'Use a key with the role “metrics”.');
    }
    return context.text(await metrics(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  authenticated.all('/metrics', methodNotAllowed('GET, HEAD'));
  const handlers = { ...jobHandlers(jobs), ...activityHandlers(store, ending, FOLLOWERS) };
  serveRoutes(authenticated, store, handlers);
  // Covers unknown paths too: without a key, no one can find out which ones exist.
  authenticated.all('*', notFound);

  const refusedKeys = new LimitedWarning('requests refused because of a missing or wrong key', log, clock);
  const refusedAsBusy = new LimitedWarning('requests refused because the database is busy or gone', log, clock);
  const notReady = new LimitedWarning('checks that found the service not ready', log, clock);
  const app = new Hono();
  app.use(secureHeaders);
  app.get('/healthz', (context) => context.json({ ok: true }));
  app.get('/readyz', async (context) => {
    const isReady = await checkReady().then(
      () => !ending.aborted,
      (error: unknown) => {
        notReady.add(error);
        return false;
      },
    );
    return context.json({ ok: isReady }, isReady ? 200 : 503);
  });
  for (const path of ['/healthz', '/readyz']) {
    app.all(path, methodNotAllowed('GET, HEAD'));
  }
  app.route('/openapi.json', openApiRoute({ ...TEAM_SERVICE, routes: Object.keys(handlers) as RouteId[] }));
  app.route('/', authenticated);
  app.onError((error, context) => {
    if (error instanceof HttpError && error.status === 401) {
      refusedKeys.add();
    }
    if (isDatabaseBusy(error)) {
      refusedAsBusy.add(error);
      const body = { error: 'The service is too busy or its database doesn’t respond. Try again in a moment.' };
      return context.json(body, 503, { 'Retry-After': RETRY_AFTER });
    }
    return answerError(error, context, log);
  });
  return app;
}
