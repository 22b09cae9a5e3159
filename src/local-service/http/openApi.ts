import * as z from 'zod/mini';
import { type Operation, OPERATIONS } from './operations';
import { NAMED, type SchemaName } from './schemas';

const REFUSALS: Record<number, string> = {
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
};

/** What a document says about a service. */
export interface DescribedService {
  title: string;
  description: string;
  operations: readonly Operation[];
}

const LOCAL: DescribedService = {
  title: 'Local agent job service',
  description: 'Version 2 of the agent job API on the user’s own machine, with the additions of this service.',
  operations: OPERATIONS,
};

/** Builds a service's OpenAPI 3.1 document from the schemas that also validate requests. */
export function openApiDocument({ title, description, operations } = LOCAL): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  const bodies = new Set(operations.map(({ body }) => body));
  const answers = operations.map(({ answer }) => answer.schema);
  const used = new Set<string | undefined>(['Error', ...bodies, ...answers]);
  const named = Object.entries(NAMED).filter(([name]) => used.has(name));
  const schemas = named.map(([name, schema]) => {
    const made = z.toJSONSchema(schema, { io: bodies.has(name as SchemaName) ? 'input' : 'output' });
    delete made.$schema;
    return [name, made] as const;
  });
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '2.0.0',
      description,
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(schemas),
    },
  };
}

function describe({ id, summary, path, body, isBodyOptional, query, headers, answer, refusals }: Operation) {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      return { name, in: 'path', required: true, schema: { type: 'string' }, description: PARAMETERS[name] ?? '' };
    }),
    ...Object.entries(query ?? {}).map(([name, { schema, about }]) => {
      return { name, in: 'query', schema, description: about };
    }),
    ...Object.entries(headers ?? {}).map(([name, description]) => {
      return { name, in: 'header', schema: { type: 'string' }, description };
    }),
  ];
  const refused = [401, 403, ...refusals].map((status) => [status, refusal(status)] as const);
  return {
    operationId: id,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: isBodyOptional !== true, content: content(body, 'application/json') } }),
    responses: { [answer.status]: good(answer), ...Object.fromEntries(refused) },
  };
}

function good({ schema, type = 'application/json' }: Operation['answer']) {
  return { description: 'Done.', ...(schema === undefined ? {} : { content: content(schema, type) }) };
}

function refusal(status: number) {
  return { description: REFUSALS[status] ?? '', content: content('Error', 'application/json') };
}

function content(schema: SchemaName, type: string) {
  return { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } };
}
