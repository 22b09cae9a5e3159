import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../../base/async';

type View<T> = Pick<vscode.TreeView<T>, 'selection' | 'onDidChangeSelection'>;

/** How long the editor may take to report a selection, in milliseconds; it reports none that it reported before. */
const REPORT_MS = 200;

/**
 * Returns the rows that a key applies to, as in the Explorer: the selected ones if the focused row is among them, or
 * else the focused one. Arrow keys move only the focus, which VS Code doesn't report to extensions
 * (microsoft/vscode#170248). So this toggles the selection of the focused row and back, and checks what has changed.
 * That opens nothing.
 */
export async function rowsForKey<T>(view: View<T>, clock: Pick<Clock, 'after'> = systemClock): Promise<readonly T[]> {
  const before = view.selection;
  const toggled = await toggleFocused(view, clock);
  const selected = await toggleFocused(view, clock);
  const [focused] = difference(toggled, selected);
  const changed = difference(before, toggled);
  // Both must be about the same row; otherwise the user has moved on. Nothing has changed if the row was moved to
  // another section before, which ends its selection unreported.
  if (focused === undefined || (changed.length > 0 && !changed.includes(focused))) {
    return [];
  }
  return selected.includes(focused) ? selected : [focused];
}

function difference<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...one.filter((row) => !other.includes(row)), ...other.filter((row) => !one.includes(row))];
}

/** The report may come after the command has returned. */
async function toggleFocused<T>(view: View<T>, clock: Pick<Clock, 'after'>): Promise<readonly T[]> {
  const waits: vscode.Disposable[] = [];
  const reported = new Promise<void>((resolve) => {
    waits.push(view.onDidChangeSelection(() => resolve()));
    waits.push(clock.after(REPORT_MS, resolve));
  });
  await vscode.commands.executeCommand('list.toggleSelection');
  await reported;
  waits.forEach((wait) => void wait.dispose());
  return view.selection;
}
