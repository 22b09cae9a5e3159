import * as z from 'zod/mini';
import { maxLength, minLength } from '../../base/lengthChecks';

/**
 * The parts of an agent's messages that the service reads (Agent Client Protocol, version 1). A field in an unexpected
 * form, or a kind that was added later, is dropped and does not fail the turn.
 */

const text = z.catch(z.optional(z.string()), undefined);

export const toolCallSchema = z.object({
  /** Longer ids are rejected, because they are kept for the whole turn. */
  toolCallId: z.string().check(maxLength(1024)),
  title: text,
  kind: text,
  status: text,
  locations: z.catch(z.optional(z.array(z.object({ path: z.string() }))), undefined),
  content: z.catch(z.optional(z.array(z.object({ type: text, path: text }))), undefined),
  rawInput: z.optional(z.unknown()),
  rawOutput: z.catch(z.optional(z.object({ code: text })), undefined),
});
export type WireToolCall = z.infer<typeof toolCallSchema>;

const chunk = { messageId: text, content: z.object({ type: text, text }) };

export const updateSchema = z.discriminatedUnion('sessionUpdate', [
  z.object({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }),
  z.object({ sessionUpdate: z.literal('agent_thought_chunk') }),
  z.object({ sessionUpdate: z.literal('user_message_chunk') }),
  z.extend(toolCallSchema, { sessionUpdate: z.literal('tool_call') }),
  z.extend(toolCallSchema, { sessionUpdate: z.literal('tool_call_update') }),
  z.object({
    sessionUpdate: z.literal('plan'),
    entries: z.array(z.object({ content: z.string(), status: text })),
  }),
  /** Values are checked where they are read. */
  z.object({
    sessionUpdate: z.literal('usage_update'),
    used: z.optional(z.unknown()),
    cost: z.optional(z.unknown()),
  }),
]);
export type Update = z.infer<typeof updateSchema>;

export const notificationSchema = z.object({ sessionId: z.string(), update: z.unknown() });

export const permissionSchema = z.object({
  toolCall: toolCallSchema,
  options: z.array(z.object({ optionId: z.string(), kind: text })),
});
export type PermissionOption = z.infer<typeof permissionSchema>['options'][number];

export const initializedSchema = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z.catch(
    z.optional(
      z.object({
        loadSession: z.catch(z.optional(z.boolean()), undefined),
        /** An object, even an empty one, means that the agent supports it. */
        sessionCapabilities: z.catch(z.optional(z.object({ resume: z.optional(z.unknown()) })), undefined),
      }),
    ),
    undefined,
  ),
});
export type Initialized = z.infer<typeof initializedSchema>;

export const newSessionSchema = z.object({ sessionId: z.string().check(minLength(1), maxLength(1024)) });

/** The modes of a session, in the answer to `session/new`, `session/resume` and `session/load`. */
export const sessionModesSchema = z.object({
  modes: z.catch(
    z.optional(z.object({ currentModeId: z.string(), availableModes: z.array(z.object({ id: z.string() })) })),
    undefined,
  ),
  /** opencode and Kilo have their mode only here. */
  configOptions: z.catch(z.optional(z.array(z.object({ id: z.string(), currentValue: text }))), undefined),
});
export type SessionModes = NonNullable<z.infer<typeof sessionModesSchema>['modes']>;
export const promptedSchema = z.object({ stopReason: z.string() });
