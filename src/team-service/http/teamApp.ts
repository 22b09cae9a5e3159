import { Hono } from 'hono';
import { type Clock, HOUR_MS, systemClock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { answerError, jobHandlers, notFound, openApiRoute, secureHeaders } from '../../local-service/http/app';
import { type AuthenticatedEnv, authentication, type Keys } from '../../local-service/http/authentication';
import { activityHandlers } from '../../local-service/http/eventStreams';
import { HttpError } from '../../local-service/http/httpError';
import { methodNotAllowed, serveRoutes } from '../../local-service/http/serveRoutes';
import type { JobOperations } from '../../local-service/jobs/jobOperations';
import type { Query } from '../../local-service/store/database';
import { ON_HOLD } from '../../local-service/store/jobChange';
import type { ActivityLogStore, JobStore } from '../../local-service/store/jobStore';
import type { RouteId } from '../../protocol/routes';
import { LimitedWarning } from '../limitedWarning';
import { isDatabaseBusy } from '../store/connectDatabase';
import { HEARTBEAT_S } from '../turnQueue';

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
  const handlers = { ...jobHandlers(jobs), ...activityHandlers(store, ending) };
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

/** The unfinished turns by state, and those that ended in the last hour. Both queries use an index. */
const TURNS = `
  SELECT CASE WHEN ${ON_HOLD} THEN 'on_hold' ELSE state END AS state, count(*) AS count, 0 AS seconds,
      count(DISTINCT job_id) AS jobs FROM turns
    WHERE state IN ('queued', 'running', 'publishing') GROUP BY 1
  UNION ALL
  SELECT state, count(*), coalesce(sum(ended_at - started_at), 0) / 1000.0, count(DISTINCT job_id) FROM turns
    WHERE ended_at > now_ms() - ${HOUR_MS} GROUP BY state`;

const OLDEST = `
  SELECT coalesce(now_ms() - min(coalesce(resumes_at, created_at)), 0) / 1000.0 AS seconds FROM turns
    WHERE state = 'queued' AND NOT ${ON_HOLD}`;

const WORKERS = `SELECT count(*) AS count FROM workers WHERE seen_at > now_ms() - ${HEARTBEAT_S * 1000}`;

interface Sample {
  /** With braces. */
  labels?: string;
  value: number;
}

/**
 * The figures of the whole service, in Prometheus' text format. They come from the database, so each API process
 * returns the same ones: read them from one, and don't add them up.
 */
export async function metrics({ query }: Query): Promise<string> {
  const [turns, [oldest], [workers]] = await Promise.all([query(TURNS), query(OLDEST), query(WORKERS)]);
  const read = (state: string, column: string): number =>
    Number(turns.find((row) => row['state'] === state)?.[column] ?? 0);
  const states = (names: readonly string[], column: string): Sample[] =>
    names.map((state) => ({ labels: `{state="${state}"}`, value: read(state, column) }));
  const ended = ['done', 'failed', 'cancelled'];
  return [
    gauge('queue_depth', 'Prompts that wait for a worker.', [{ value: read('queued', 'count') }]),
    gauge('queue_oldest_seconds', 'How long the oldest of them has waited.', [{ value: Number(oldest?.['seconds']) }]),
    gauge('runs', 'Unfinished runs by state.', states(['queued', 'on_hold', 'running', 'publishing'], 'count')),
    gauge('runs_last_hour', 'Runs that ended in the last hour, by state.', states(ended, 'count')),
    gauge('run_seconds_last_hour', 'Sum of their durations in seconds.', states(ended, 'seconds')),
    gauge('workers', 'Workers with a recent heartbeat.', [{ value: Number(workers?.['count']) }]),
  ].join('');
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const full = `docs_agent_${name}`;
  const lines = samples.map(({ labels = '', value }) => `${full}${labels} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join('')}`;
}
