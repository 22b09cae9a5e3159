import * as z from 'zod/mini';
import { maxLength, minLength } from '../base/lengthChecks';
import { withFallback } from '../base/withFallback';
import { codedFieldsSchema } from './fieldSchemas';
import { isPathSafeId } from './status';
import { surroundingsSchema } from './surroundings';
import { parseUsage } from './usage';

/**
 * A missing field, or one of an undocumented type, parses as null: only `id` and `status` can be required of a service.
 */
const lenientText = withFallback(z.nullable(z.string()), null);
const lenientTime = withFallback(z.nullable(z.iso.datetime({ offset: true })), null);

const lenientNumber = withFallback(z.nullable(z.number()), null);
const lenientFlag = withFallback(z.nullable(z.boolean()), null);

const sourceSchema = withFallback(z.nullable(z.object({ repository: lenientText, ref: lenientText })), null);

/** In lines and files; checked further where they are kept. */
const changesSchema = withFallback(
  z.nullable(z.object({ files: z.number(), added: z.number(), deleted: z.number() })),
  null,
);

/** Fields that are not listed are dropped, because copying and redacting a million of them would take long. */
const jobSchema = z.object({
  id: z.string().check(z.refine(isPathSafeId)),
  status: z.string().check(minLength(1), maxLength(100)),
  source: z.optional(sourceSchema),
  model: z.optional(lenientText),
  prLink: z.optional(lenientText),
  createdAt: z.optional(lenientTime),
  archivedAt: z.optional(lenientTime),
  // Only our services report these.
  title: z.optional(lenientText),
  error: z.optional(lenientText),
  note: z.optional(lenientText),
  review: z.optional(lenientText),
  turn: z.optional(lenientNumber),
  endedEarly: z.optional(lenientFlag),
  stopped: z.optional(lenientFlag),
  changes: z.optional(changesSchema),
  usage: z.optional(z.pipe(z.unknown(), z.transform(parseUsage))),
  coded: z.optional(withFallback(z.optional(codedFieldsSchema), undefined)),
  surroundings: z.optional(withFallback(z.optional(surroundingsSchema), undefined)),
});

/** A job as returned by the service (OpenAPI `AgentJob`, version 2.0.0, and `LocalJob`). Times are ISO 8601. */
export type WireJob = z.infer<typeof jobSchema>;

/** Returns the job in a decoded answer, or undefined when it is not one. */
export function parseJob(value: unknown): WireJob | undefined {
  const parsed = z.safeParse(jobSchema, value);
  return parsed.success ? parsed.data : undefined;
}
