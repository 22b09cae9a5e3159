import * as z from 'zod/mini';
import { codedField } from './fieldSchemas';

/** What happened in a job, one entry per event, as returned by `GET …/job/{id}/events`. */
const entrySchemas = [
  /** A turn entered this state; `reason` says why it failed or ended early. */
  z.object({
    kind: z.literal('state'),
    state: z.enum(['queued', 'running', 'publishing', 'done', 'failed', 'cancelled']),
    reason: z.optional(z.string()),
    coded: codedField,
  }),
  /** What the agent says to the user. Consecutive pieces of one message are joined. */
  z.object({ kind: z.literal('message'), text: z.string() }),
  /** The agent's complete plan; a later one replaces it. */
  z.object({
    kind: z.literal('plan'),
    steps: z.array(z.object({ text: z.string(), state: z.enum(['pending', 'in_progress', 'completed']) })),
  }),
  /** A tool call; a later entry with the same `call` in the same turn replaces it. */
  z.object({
    kind: z.literal('tool'),
    call: z.string(),
    title: z.string(),
    /** ACP's kinds: read, edit, delete, move, search, execute, think, fetch, other. */
    tool: z.string(),
    state: z.enum(['pending', 'in_progress', 'completed', 'failed']),
    /** Paths relative to the job's folder. */
    files: z.array(z.string()),
  }),
  /** The answer to an agent that asked whether it may do something. */
  z.object({
    kind: z.literal('permission'),
    title: z.string(),
    tool: z.string(),
    answer: z.enum(['allowed', 'refused', 'cancelled']),
    why: z.string(),
    coded: codedField,
  }),
  /** A note from the service, worded for the user, for example that confinement is not available. */
  z.object({ kind: z.literal('note'), text: z.string(), coded: codedField }),
] as const;

/** An entry without its position in the log. */
export const activityEntrySchema = z.discriminatedUnion('kind', entrySchemas);
export type ActivityEntry = z.infer<typeof activityEntrySchema>;

/**
 * An event as returned by the service. `id` increases over all events of the job; `turn` counts from 1; `at` is ISO
 * 8601.
 */
export const activityEventSchema = z.object({
  id: z.number(),
  turn: z.number(),
  at: z.string(),
  entry: activityEntrySchema,
});
export type ActivityEvent = z.infer<typeof activityEventSchema>;
