import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { type AgentsAnswer, hostTokenSchema, shutdownSchema, type StorageAnswer } from '../../protocol/localService';
import type { TokenStore } from '../forges/credentials';
import type { ProjectRegistry } from '../jobs/projectRegistry';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed, readJson, readOptionalJson } from './httpError';
import type { JobEvents } from './jobEventStream';
import { jobEventsRoute } from './jobRoutes';
import { projectRoutes } from './projectRoutes';

export interface LocalParts {
  projects: ProjectRegistry;
  tokens: TokenStore;
  /** Called for each project whose settings the editor has sent. */
  settingsCame: (projectId: string) => void;
  agents: () => Promise<AgentsAnswer>;
  storage: () => Promise<StorageAnswer>;
  jobEvents: JobEvents;
  /** Aborts when the service shuts down. */
  ending: AbortSignal;
  /** Shuts the service down: immediately, or when no turn is left. */
  shutDown: (when: 'now' | 'idle') => void;
}

/**
 * The routes under `/local`, which the hosted service does not have. They require a service-wide key. A key to
 * individual projects can only register those projects, without settings.
 */
export function localRoutes({
  projects,
  tokens,
  settingsCame,
  agents,
  storage,
  jobEvents,
  ending,
  shutDown,
}: LocalParts): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  app.use(async (context, next) => {
    const isRegistration = context.req.method === 'PUT' && context.req.path === '/local/projects';
    if (!isRegistration && !context.get('scope').isServiceWide) {
      throw new HttpError(403, 'This key gives access to specific projects, not to the whole service.');
    }
    await next();
  });

  app.route('/projects', projectRoutes(projects, settingsCame));

  app.get('/agents', async (context) => context.json(await agents()));
  app.all('/agents', methodNotAllowed('GET, HEAD'));

  app.get('/storage', async (context) => context.json(await storage()));
  app.all('/storage', methodNotAllowed('GET, HEAD'));

  app.route('/events', jobEventsRoute(jobEvents, ending));

  app.get('/tokens', (context) => context.json({ hosts: tokens.hosts() }));
  app.put('/tokens', async (context) => {
    const { host, ...token } = parsed(hostTokenSchema, await readJson(context), 'a “host” and its “token”');
    tokens.set(host, token);
    return context.body(null, 204);
  });
  app.all('/tokens', methodNotAllowed('GET, HEAD, PUT'));
  app.delete('/tokens/:host', (context) => {
    tokens.remove(context.req.param('host'));
    return context.body(null, 204);
  });
  app.all('/tokens/:host', methodNotAllowed('DELETE'));

  app.post('/shutdown', async (context) => {
    const { when } = parsed(shutdownSchema, await readOptionalJson(context), '“when”: “now” or “idle”');
    return answerThenEnd(context, () => shutDown(when));
  });
  app.all('/shutdown', methodNotAllowed('POST'));

  return app;
}

/** Shuts down after the response is sent: the listener closes first and lets open requests finish. */
function answerThenEnd(context: Context, end: () => void): Response {
  setImmediate(end);
  return context.json({}, 202);
}

function parsed<T extends z.ZodMiniType>(schema: T, body: unknown, what: string): z.output<T> {
  const result = z.safeParse(schema, body);
  if (!result.success) {
    throw new HttpError(400, `The body must be an object with ${what}.`);
  }
  return result.data;
}
