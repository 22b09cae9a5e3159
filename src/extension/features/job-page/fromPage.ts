import * as z from 'zod/mini';
import { SEND_TIMES } from '../../platform/sendTime';
import type { FromPage } from './model';

/** No prompt that anybody types is longer; the message would be held in memory several times. */
const MAX_TEXT = 16_000_000;

const name = z.string().check(z.minLength(1), z.maxLength(200));
const text = z.string().check(z.maxLength(MAX_TEXT));

/** What the page may tell; all else is no message of it. */
const fromPageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('action'), id: name, entry: z.optional(name) }),
  z.object({ type: z.literal('draft'), text }),
  z.object({ type: z.literal('send'), text, when: z.optional(z.enum(SEND_TIMES)) }),
  z.object({ type: z.literal('openFile'), path: z.string().check(z.minLength(1), z.maxLength(5000)) }),
]);

/** Undefined for a message that the page would not send. */
export function readFromPage(message: unknown): FromPage | undefined {
  const parsed = z.safeParse(fromPageSchema, message);
  return parsed.success ? parsed.data : undefined;
}

const stateSchema = z.object({ jobKey: name });

/** Which job's page the editor kept over a reload. */
export function readPageState(state: unknown): string | undefined {
  const parsed = z.safeParse(stateSchema, state);
  return parsed.success ? parsed.data.jobKey : undefined;
}
