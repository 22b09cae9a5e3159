import * as z from 'zod/mini';
import { minLength } from '../../base/lengthChecks';

/** What the service sends its supervisor, once: the program to start and its whole environment. */
export const superviseSchema = z.object({
  command: z.array(z.string()).check(minLength(1)),
  folder: z.string(),
  environment: z.record(z.string(), z.string()),
  /** See `laterSchema`. Without it, the agent runs until it ends or the channel closes. */
  leaseMs: z.optional(z.number()),
  /** How long processes that the agent has left may work on, in milliseconds. */
  finishMs: z.number(),
});
export type Supervise = z.infer<typeof superviseSchema>;

/** What the service sends later. */
export const laterSchema = z.object({
  /**
   * The agent may run for this long from now on, in milliseconds. If nothing more comes, the supervisor ends it: the
   * service may be suspended, and then it can't do that itself.
   */
  leaseMs: z.optional(z.number()),
  /** The agent has answered. What it has started since this time (see `ticksNow`) has to end. */
  since: z.optional(z.number()),
});
export type Later = z.infer<typeof laterSchema>;

/** What the supervisor sends the service. `code` of `notStarted` is the system's error code, such as ENOENT. */
export const supervisorReportSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), pid: z.number() }),
  z.object({ kind: z.literal('notStarted'), code: z.string() }),
  /** The agent has answered or exited, but this process still works. */
  z.object({ kind: z.literal('finishing'), name: z.string() }),
  /** The response to `since`; also before `ended`. Names a process that still works although its time is over. */
  z.object({ kind: z.literal('finished'), left: z.optional(z.string()) }),
  z.object({ kind: z.literal('ended'), code: z.nullable(z.number()), signal: z.nullable(z.string()) }),
]);
export type SupervisorReport = z.infer<typeof supervisorReportSchema>;
