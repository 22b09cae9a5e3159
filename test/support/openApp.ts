import { Hono } from 'hono';
import type { AuthenticatedEnv } from '../../src/local-service/http/authentication';
import { HttpError } from '../../src/local-service/http/httpError';
import { type Handlers, serveRoutes } from '../../src/local-service/http/serveRoutes';

/** Routes that need no key. Every id is that of a job in the project `p1`. */
export function openApp(handlers: Handlers): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  app.use((context, next) => {
    context.set('scope', { opens: () => true, isServiceWide: true, mayWrite: true });
    return next();
  });
  const store = {
    project: async (id: string) => ({ id }) as never,
    jobWithTurns: async (id: string) => ({ id, projectId: 'p1', turns: [] }) as never,
  };
  serveRoutes(app, store, handlers);
  app.onError((error, context) => context.text('', error instanceof HttpError ? error.status : 500));
  return app;
}
