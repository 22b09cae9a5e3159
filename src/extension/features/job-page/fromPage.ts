import * as z from 'zod/mini';
import { maxLength, minLength } from '../../../base/lengthChecks';
import { SEND_TIMES } from '../../platform/sendTime';
import type { FromPage } from './model';

/**
 * Maximum length of a message's text, in characters: several copies of it are held in memory, and no one types more.
 */
const MAX_TEXT = 16_000_000;

const name = z.string().check(minLength(1), maxLength(200));
const text = z.string().check(maxLength(MAX_TEXT));

/** All messages that the page may send. */
const fromPageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('action'), id: name, entry: z.optional(name) }),
  z.object({ type: z.literal('draft'), text }),
  z.object({ type: z.literal('send'), text, when: z.optional(z.enum(SEND_TIMES)) }),
  z.object({ type: z.literal('openFile'), path: z.string().check(minLength(1), maxLength(5000)) }),
]);

/** Undefined for a message that the page would never send. */
export function readFromPage(message: unknown): FromPage | undefined {
  const parsed = z.safeParse(fromPageSchema, message);
  return parsed.success ? parsed.data : undefined;
}

const stateSchema = z.object({ jobKey: name });

/** Returns the job of a page that the editor restored after a reload. */
export function readPageState(state: unknown): string | undefined {
  const parsed = z.safeParse(stateSchema, state);
  return parsed.success ? parsed.data.jobKey : undefined;
}
