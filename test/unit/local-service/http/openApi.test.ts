import assert from 'node:assert/strict';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type AppParts, createApp } from '../../../../src/local-service/http/app';
import { openApiDocument } from '../../../../src/local-service/http/openApi';
import { SCHEMAS } from '../../../../src/protocol/schemas';

/** The parts of an OpenAPI 3.1 document that ours uses, as specified in section 4.8. */
const text = { type: 'string', minLength: 1 };
const reference = { type: 'object', properties: { $ref: { type: 'string', pattern: '^#/components/schemas/\\w+$' } } };
const contents = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { type: 'object', required: ['schema'], properties: { schema: reference } },
};
const response = {
  type: 'object',
  required: ['description'],
  properties: { description: text, content: contents },
  additionalProperties: false,
};
const parameter = {
  type: 'object',
  required: ['name', 'in', 'schema', 'description'],
  properties: {
    name: text,
    in: { enum: ['path', 'query', 'header'] },
    required: { const: true },
    schema: { type: 'object' },
    description: text,
  },
  additionalProperties: false,
  if: { properties: { in: { const: 'path' } } },
  then: { required: ['required'] },
};
const operation = {
  type: 'object',
  required: ['operationId', 'summary', 'responses'],
  properties: {
    operationId: text,
    summary: text,
    parameters: { type: 'array', items: parameter },
    requestBody: {
      type: 'object',
      required: ['content'],
      properties: { required: { type: 'boolean' }, content: contents },
      additionalProperties: false,
    },
    responses: {
      type: 'object',
      minProperties: 1,
      patternProperties: { '^[1-5]\\d\\d$': response },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
const META = {
  type: 'object',
  required: ['openapi', 'info', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d$' },
    info: { type: 'object', required: ['title', 'version'], properties: { title: text, version: text } },
    servers: { type: 'array', items: { type: 'object', required: ['url'] } },
    security: { type: 'array' },
    paths: {
      type: 'object',
      patternProperties: {
        '^/': {
          type: 'object',
          patternProperties: { '^(get|put|post|delete)$': operation },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    components: { type: 'object', properties: { schemas: { type: 'object' }, securitySchemes: { type: 'object' } } },
  },
  additionalProperties: false,
};

type Paths = Record<string, Record<string, { operationId: string; requestBody?: unknown }>>;

describe('OpenAPI document', () => {
  const document = openApiDocument();
  const paths = document['paths'] as Paths;
  const { schemas } = document['components'] as { schemas: Record<string, object> };

  function ajv(): Ajv2020 {
    const validator = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (to: Ajv2020) => void)(validator);
    return validator;
  }

  it('is valid for version 3.1', () => {
    const validate = ajv().compile(META);
    assert.equal(validate(document), true, JSON.stringify(validate.errors));
  });

  it('has a schema for every reference, and each schema compiles', () => {
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(named)].toSorted(), Object.keys(schemas).toSorted());
    for (const [name, schema] of Object.entries(schemas)) {
      assert.doesNotThrow(() => ajv().compile(schema), name);
    }
  });

  it('accepts valid values and rejects invalid ones', () => {
    const takes = (name: string, value: unknown): boolean => ajv().compile(schemas[name] ?? false)(value);
    assert.equal(takes('Prompt', { prompt: 'x' }), true);
    assert.equal(takes('Prompt', { prompt: ' \u00a0\n' }), false);
    assert.equal(takes('ProjectSettings', {}), true);
    assert.equal(takes('ProjectSettings', { agent: 'No Such' }), false);
    const event = { id: 1, turn: 1, at: '2026-01-01T00:00:00.000Z', entry: { kind: 'state', state: 'queued' } };
    assert.equal(takes('ActivityEvent', event), true);
    assert.equal(takes('ActivityEvent', { ...event, entry: { kind: 'state' } }), false);
    const job = {
      id: '0123456789abcdef',
      status: 'completed',
      source: { repository: 'file:///docs', ref: 'docs-agent/x' },
      model: 'agent',
      prLink: 'http://127.0.0.1:1/review/x/y',
      createdAt: '2026-01-01T00:00:00.000Z',
      archivedAt: null,
      turn: 1,
    };
    assert.equal(takes('Job', job), true);
    assert.equal(SCHEMAS.Job.safeParse(job).success, true);
    assert.equal(takes('Job', { ...job, source: { repository: 'file:///docs', ref: null } }), true);
    assert.equal(takes('Job', { ...job, status: 'merged' }), false);
    assert.equal(takes('Job', { ...job, status: 'failed', stopped: true }), true);
  });

  it('lists exactly the routes of the service, each with a unique operation ID', () => {
    // No request is sent, so the app needs no working parts.
    const app = createApp({ merges: {}, local: {}, log: {} } as unknown as AppParts);
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && !path.startsWith('/review') && path !== '/openapi.json')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const told = Object.entries(paths).flatMap(([path, each]) =>
      Object.keys(each).map((method) => `${method} ${path}`),
    );
    assert.deepEqual(told.toSorted(), [...new Set(routes)].toSorted());
    const ids = Object.values(paths).flatMap((each) => Object.values(each).map(({ operationId }) => operationId));
    assert.equal(new Set(ids).size, ids.length);
  });
});
