import { coded } from '../../protocol/codedText';
import { type PermissionOption, permissionSchema } from './acpMessages';
import type { AcpActivityLog } from './acpActivityLog';
import { locatePath, type PathLocation } from './pathLocation';
import { decide, optionFor } from './permissions';
import type { ToolCalls } from './toolCalls';

/** The response to a permission request, as the protocol defines it. */
export interface PermissionAnswer {
  outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string };
}

/** What the responses to an agent's permission requests depend on. */
export interface PermissionContext {
  /** The real path of the job's folder. */
  folder: string;
  mayRunCommands: boolean;
  mayWriteSettings: boolean;
  calls: ToolCalls;
  activity: AcpActivityLog;
  /** Aborted when the turn is being stopped. Requests are then answered with `cancelled`. */
  stopping: AbortSignal;
}

/** Answers a permission request, even a malformed one, and records the answer in the activity log. */
export async function answerPermission(context: PermissionContext, raw: unknown): Promise<PermissionAnswer> {
  const asked = permissionSchema.safeParse(raw);
  if (!asked.success) {
    context.activity.note(coded('unknownRequest'));
    return { outcome: { outcome: 'cancelled' } };
  }
  const { options } = asked.data;
  const call = context.calls.update(asked.data.toolCall);
  const places: PathLocation[] = [];
  for (const place of context.stopping.aborted ? [] : call.places) {
    places.push(await locatePath(context.folder, place));
  }
  if (context.stopping.aborted) {
    context.activity.permission(call, 'cancelled', coded('beingStopped'));
    return { outcome: { outcome: 'cancelled' } };
  }
  const { isAllowed, why } = decide({ ...call, places }, context);
  const option = isAllowed ? optionFor(options, true) : undefined;
  if (option !== undefined) {
    context.activity.permission(call, 'allowed', why);
    return selected(option);
  }
  context.activity.permission(call, 'refused', isAllowed ? coded('notAskedOnce') : why);
  const refusal = optionFor(options, false);
  return refusal === undefined ? { outcome: { outcome: 'cancelled' } } : selected(refusal);
}

function selected({ optionId }: PermissionOption): PermissionAnswer {
  return { outcome: { outcome: 'selected', optionId } };
}
