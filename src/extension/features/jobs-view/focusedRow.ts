import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { App } from '../../app';
import type { CommandId } from '../../ids';
import { reader } from '../../platform/commandArguments';
import { getQuestion, isAvailable, takesJobInFront } from '../../presentation/jobActions';

/** A key passes no rows to a command, so the manifest's key bindings in the list ask for the focused one. */
const readFocused = reader(z.object({ row: z.literal('focused') }));

/**
 * Decides by the focus in the list which job a command is about: a key pressed there means the focused row. The palette
 * doesn't tell whether the list or the editor had the focus, so if these are about different jobs that the command
 * applies to, the user is asked.
 * Undefined if the focus decides nothing, and null if the user doesn’t choose.
 */
export async function jobOfFocus(
  { view, store, picker, describer }: Pick<App, 'view' | 'store' | 'picker' | 'describer'>,
  id: CommandId,
  argument: unknown,
): Promise<{ jobKey: string } | null | undefined> {
  if (readFocused(argument) !== undefined) {
    const job = store.get((await view.focusedJob()) ?? '');
    // Review comments are sent for the changes in front if the row has none.
    const isMeant = job && (id !== 'docsAgent.sendReviewComments' || (describer.contextOf(job).comments ?? 0) > 0);
    return isMeant ? { jobKey: job.key } : undefined;
  }
  const name = id.replace('docsAgent.', '');
  const active = store.get(picker.activeJob ?? '');
  if (argument !== undefined || active === undefined || !takesJobInFront(name)) {
    return undefined;
  }
  const focused = store.get((await view.focusedJob()) ?? '');
  if (
    focused === undefined ||
    focused.key === active.key ||
    !isAvailable(name, focused, describer.contextOf(focused))
  ) {
    return undefined;
  }
  // The first one is selected. With the cursor in a job's changes, that is more likely what the user looks at.
  const jobs = vscode.window.activeTextEditor === undefined ? [focused, active] : [active, focused];
  const chosen = await picker.ask(getQuestion(name).title, jobs);
  return chosen === undefined ? null : { jobKey: chosen.key };
}
