import type { Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { LOCAL_ID } from '../../protocol/localService';
import { type PathParameters, type Route, type RouteId, ROUTES } from '../../protocol/routes';
import { type SchemaName, SCHEMAS, type Value } from '../../protocol/schemas';
import type { JobStore, JobWithTurns, Project } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, readJson, readOptionalJson } from './httpError';

type Row<Id extends RouteId> = (typeof ROUTES)[Id];
type Has<Id extends RouteId, Name extends string, T> = Name extends keyof PathParameters<Id> ? T : undefined;
type Named<Id extends RouteId, Field extends 'body' | 'query'> =
  Row<Id> extends Readonly<Record<Field, infer Name extends SchemaName>> ? Value<Name> : undefined;

/** A request of a route, after its checks. */
export interface Call<Id extends RouteId> {
  context: Context<AuthenticatedEnv>;
  /** The project and the job that the path names. */
  project: Has<Id, 'projectId', Project>;
  job: Has<Id, 'jobId', JobWithTurns>;
  query: Named<Id, 'query'>;
  body: Named<Id, 'body'>;
}

/** What is sent as JSON; undefined for a response without a body. */
type Answer = object | undefined;
type Handle<C> = (call: C) => Answer | Promise<Answer>;
export type Handlers = { [Id in RouteId]?: Handle<Call<Id>> };

/** Adds the routes that have a handler. The checks run in this order: method, access, project, job, query, body. */
export function serveRoutes(
  app: Hono<AuthenticatedEnv>,
  store: Pick<JobStore, 'project' | 'jobWithTurns'>,
  handlers: Handlers,
): void {
  const methods = new Map<string, string[]>();
  for (const [id, handle] of Object.entries(handlers)) {
    const route: Route = ROUTES[id as RouteId];
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    const method = route.method.toUpperCase();
    methods.set(path, [...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
    app.on(method, path, async (context) => {
      if (path.startsWith('/local/') && id !== 'registerProject' && !context.get('scope').isServiceWide) {
        throw new HttpError(403, 'This key gives access to specific projects, not to the whole service.');
      }
      const project = path.includes(':projectId') ? await requireProject(context, store) : undefined;
      const job = path.includes(':jobId') ? await requireJob(context, store, project) : undefined;
      const query = route.query && parse(route.query, 'query', context.req.query());
      const read = route.isBodyOptional === true ? readOptionalJson : readJson;
      const body = route.body && parse(route.body, 'body', await read(context));
      const answer = await (handle as Handle<object>)({ context, project, job, query, body });
      if (answer instanceof Response) {
        return answer;
      }
      return answer === undefined ? context.body(null, 204) : context.json(answer, route.status as 201 | undefined);
    });
  }
  for (const [path, allowed] of methods) {
    app.all(path, methodNotAllowed(allowed.join(', ')));
  }
}

/** The handler for all other methods on a path: 405 with the allowed ones (RFC 9110, 15.5.6). */
export function methodNotAllowed(allowed: string): () => never {
  return () => {
    throw new HttpError(405, `Only ${allowed} is allowed here.`, { Allow: allowed });
  };
}

function parse(name: SchemaName, what: 'query' | 'body', value: unknown): unknown {
  const parsed = z.safeParse(SCHEMAS[name], value);
  if (parsed.success) {
    return parsed.data;
  }
  const names = parsed.error.issues.map(({ path }) => (path.length === 0 ? `the ${what}` : `“${String(path[0])}”`));
  const wrong = `The ${what} isn’t a ${name} as in /openapi.json. Wrong: ${[...new Set(names)].join(', ')}.`;
  const why = parsed.error.issues.filter(({ code }) => code === 'custom').map(({ message }) => message);
  throw new HttpError(400, [wrong, ...why].join(' '));
}

/** A key without access gets the same response whether or not the project exists. */
async function requireProject(context: Context<AuthenticatedEnv>, store: Pick<JobStore, 'project'>): Promise<Project> {
  const id = context.req.param('projectId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw new HttpError(404, 'Project not found.');
  }
  if (!context.get('scope').opens(id)) {
    throw new HttpError(403, NOT_OPENED);
  }
  return requireFound(await store.project(id), 'Project not found.');
}

export const NOT_OPENED = 'This key doesn’t give access to this project.';

/** A key to its project sees no other project's job. */
async function requireJob(
  context: Context<AuthenticatedEnv>,
  store: Pick<JobStore, 'jobWithTurns'>,
  project: Project | undefined,
): Promise<JobWithTurns> {
  const id = context.req.param('jobId') ?? '';
  const job = LOCAL_ID.test(id) ? await store.jobWithTurns(id) : undefined;
  return requireFound(project === undefined || job?.projectId === project.id ? job : undefined);
}

/** Returns the value, or throws a 404 error. */
export function requireFound<T>(value: T | undefined, message = 'Job not found.'): T {
  if (value === undefined) {
    throw new HttpError(404, message);
  }
  return value;
}
