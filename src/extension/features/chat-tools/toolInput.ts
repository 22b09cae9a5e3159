import * as z from 'zod/mini';
import { minLength } from '../../../base/lengthChecks';
import { TOOLS } from '../../ids';
import { STATES } from '../../presentation/jobStates';

const text = z.string().check(minLength(1));
const prompt = z.string().check(z.regex(/\S/));
/** The maximum number of listed jobs: no one reads more, and each costs the model tokens. */
export const MAX_LISTED = 50;

const STATUSES = Object.values(STATES).map(({ status }) => status);

const shapes = {
  [TOOLS.createJob]: z.strictObject({ prompt }),
  [TOOLS.sendFollowUp]: z.strictObject({ job: text, prompt }),
  [TOOLS.getJob]: z.strictObject({ job: text }),
  [TOOLS.listJobs]: z.strictObject({
    status: z.optional(z.enum(STATUSES)),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_LISTED))),
  }),
};

export type ToolInput<T extends keyof typeof shapes> = z.infer<(typeof shapes)[T]>;

/**
 * Validates a tool's input. The editor checks it against the manifest's schema first, but other callers might not.
 * Throws with a message that a model can act on.
 */
export function readToolInput<T extends keyof typeof shapes>(tool: T, input: unknown): ToolInput<T> {
  const parsed = z.safeParse(shapes[tool], input);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].filter((name) => name !== '');
    const about =
      names.length === 0 ? 'It takes only the fields that its schema names.' : `Check: ${names.join(', ')}.`;
    throw new Error(`The input of ${tool} doesn’t match its schema, so nothing was done. ${about}`);
  }
  return parsed.data as ToolInput<T>;
}
