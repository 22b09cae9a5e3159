import * as z from 'zod/mini';
import { type Route, type RouteId, ROUTES } from '../../protocol/routes';
import { type SchemaName, SCHEMAS } from '../../protocol/schemas';

const ERRORS: Record<number, string> = {
  400: 'The request is invalid. The response says why.',
  401: 'The key is missing or wrong.',
  403: 'The key doesn’t give access to this, or a web page sent the request.',
  404: 'Not found.',
  409: 'Not possible right now. The response says why.',
  413: 'The body is too large.',
  415: 'The body has an unsupported media type.',
  429: 'Too many requests. `Retry-After` says when to try again.',
  503: 'The service is too busy. `Retry-After` says when to try again.',
};

const PARAMETERS: Record<string, string> = {
  projectId: 'The ID returned when the project was registered.',
  jobId: 'The ID returned when the job was created.',
  host: 'The host of the token.',
  limit: 'Maximum number of jobs, from 1 to 200.',
  before: 'The `next` of the previous page.',
  follow: 'If false, the stream ends after the past entries.',
  path: 'Its path in the repository.',
  of: 'Before or after the changes.',
  'Last-Event-ID': 'Resume after this event.',
};

/** What a document says about a service. */
export interface DescribedService {
  title: string;
  description: string;
  routes: readonly RouteId[];
}

const LOCAL: DescribedService = {
  title: 'Local agent job service',
  description: 'Version 2 of the agent job API on the user’s own machine, with the additions of this service.',
  routes: Object.keys(ROUTES) as RouteId[],
};

/** Builds a service's OpenAPI 3.1 document from the schemas that also validate requests. */
export function openApiDocument({ title, description, routes: ids } = LOCAL): Record<string, unknown> {
  const routes = ids.map((id): [RouteId, Route] => [id, ROUTES[id]]);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, route] of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: describe(id, route) };
  }
  const bodies = new Set(routes.map(([, { body }]) => body));
  const used = new Set<SchemaName | undefined>(['Error', ...bodies, ...routes.map(([, { answer }]) => answer)]);
  const named = (Object.keys(SCHEMAS) as SchemaName[]).filter((name) => used.has(name));
  return {
    openapi: '3.1.0',
    info: { title, version: '2.0.0', description },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(named.map((name) => [name, schemaOf(name, bodies.has(name) ? 'input' : 'output')])),
    },
  };
}

function schemaOf(name: SchemaName, io: 'input' | 'output') {
  const { $schema: _, ...schema } = z.toJSONSchema(SCHEMAS[name], { io });
  return schema;
}

function describe(id: RouteId, { summary, path, body, query, headers = [], ...route }: Route) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }));
  const inQuery = Object.entries(query === undefined ? {} : (schemaOf(query, 'input').properties ?? {}));
  const parameters = [
    ...inPath,
    ...inQuery.map(([name, schema]) => ({ name, in: 'query', schema })),
    ...headers.map((name) => ({ name, in: 'header', schema: { type: 'string' } })),
  ].map((parameter) => ({ ...parameter, description: PARAMETERS[parameter.name] ?? '' }));
  const ofPath = /\{(projectId|jobId)\}/.test(path) ? [404] : [];
  const ofBody = body === undefined ? [] : [400, 413, 415];
  const errors = [401, 403, ...ofBody, ...ofPath, ...(route.errors ?? [])];
  const { answer, status = 200 } = route;
  const type = route.isStream === true ? 'text/event-stream' : 'application/json';
  return {
    operationId: id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: route.isBodyOptional !== true, content: content(body) } }),
    responses: {
      [status]: { description: 'Done.', ...(answer && { content: content(answer, type) }) },
      ...Object.fromEntries(errors.map((each) => [each, { description: ERRORS[each], content: content('Error') }])),
    },
  };
}

function content(schema: SchemaName, type = 'application/json') {
  return { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } };
}
