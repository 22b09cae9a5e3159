import * as z from 'zod/mini';
import { codedField, codedFieldsSchema, usageSchema } from '../../protocol/fieldSchemas';
import { surroundingsSchema } from '../../protocol/surroundings';
import type { JobEvent } from '../events';

/** The file version that this build writes and reads. */
export const RECORD_VERSION = 1;

const nullableText = z.nullable(z.string());

const location = z.object({
  service: z.string(),
  baseUrl: z.optional(z.string()),
  projectId: z.string(),
  projectName: z.optional(z.string()),
});

const snapshot = z.object({
  id: z.string(),
  status: z.string(),
  prLink: nullableText,
  ref: nullableText,
  repository: nullableText,
  model: nullableText,
  createdAt: nullableText,
  error: nullableText,
  note: z.optional(z.string()),
  turn: z.optional(z.number()),
  changes: z.optional(z.object({ files: z.number(), added: z.number(), deleted: z.number() })),
  usage: z.optional(usageSchema),
  stopped: z.optional(z.literal(true)),
  review: z.optional(z.enum(['merged', 'closed'])),
  endedEarly: z.optional(z.literal(true)),
  coded: z.optional(codedFieldsSchema),
  surroundings: z.optional(surroundingsSchema),
});

/**
 * Wall time in milliseconds, limited to the range of Date (ECMA-262, 21.4.1.1): formatting a time outside it throws.
 */
const at = z.number().check(z.minimum(-8.64e15), z.maximum(8.64e15));

const reason = z.object({
  kind: z.enum([
    'unauthorized',
    'forbidden',
    'notFound',
    'rejected',
    'limit',
    'unreachable',
    'timeout',
    'notUnderstood',
    'aborted',
  ]),
  status: z.optional(z.number()),
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  coded: codedField,
  until: z.optional(at),
});

const promptId = z.string();
const attempt = z.int().check(z.minimum(0));

const event: z.ZodMiniType<JobEvent> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('send'),
    at,
    promptId,
    kind: z.enum(['create', 'followUp']),
    text: z.string(),
    location,
    replaces: z.optional(z.string()),
    afterRun: z.optional(z.literal(true)),
  }),
  z.object({ type: z.literal('created'), at, promptId, job: snapshot, location: z.optional(location) }),
  z.object({
    type: z.enum(['rejected', 'needsKey', 'notSent', 'throttled', 'unconfirmed']),
    at,
    promptId,
    attempt,
    reason,
  }),
  z.object({ type: z.literal('discarded'), at, promptId }),
  z.object({ type: z.literal('tracked'), at, location, job: snapshot }),
  z.object({ type: z.enum(['changed', 'resumed']), at, run: z.string(), job: snapshot, end: z.boolean() }),
  z.object({ type: z.literal('renamed'), at, title: z.string() }),
  z.object({ type: z.enum(['seen', 'untracked', 'restored', 'pinned', 'unpinned']), at }),
]);

/** The content of an event file. */
export const recordSchema = z.object({
  version: z.literal(RECORD_VERSION),
  event,
});

/** Distinguishes a file of a newer build from a damaged one. */
export const newerSchema = z.object({ version: z.number().check(z.gt(RECORD_VERSION)) });
