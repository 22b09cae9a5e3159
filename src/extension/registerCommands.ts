import vscode = require('vscode');
import type { CommandId } from './ids';

/** Runs a command with its argument. Rejects with an error whose message is safe to show in a notification. */
export type RunCommand = (id: CommandId, argument: unknown) => Promise<unknown>;

/** List menus pass the clicked row and, when several rows are selected, all of them. */
function isSeveral(selected: unknown): boolean {
  return Array.isArray(selected) && selected.length > 1;
}

/** The part of the manifest that is used here. */
export interface Contributions {
  commands: readonly { command: CommandId }[];
  menus: Record<'view/title' | 'view/item/context', readonly { command?: string }[]>;
}

/**
 * The commands that are contributed to list rows only. They get two arguments: the row, and all selected rows. Buttons
 * in the view's title also get two arguments, but those carry no meaning.
 */
function rowCommands({ menus }: Contributions): Set<string | undefined> {
  const above = new Set(menus['view/title'].map(({ command }) => command));
  return new Set(menus['view/item/context'].map(({ command }) => command).filter((id) => !above.has(id)));
}

/** While the list is being refreshed, the editor does not know its rows and passes undefined for them. */
function isRowLost(argument: unknown, selected: unknown): boolean {
  return Array.isArray(selected) ? selected.some((row) => row == null) : argument == null && selected == null;
}

/** The editor passes the text typed in the box for a new comment together with its thread. */
function isReply(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && 'thread' in argument && 'text' in argument;
}

/** The timeline withholds its entries from other extensions, and passes the file as the second argument. */
function timelineOf(file: unknown): unknown {
  return file == null || Array.isArray(file) ? file : { timelineOf: file };
}

/** Registers the commands of the manifest. An error of a command is shown exactly once. */
export function registerCommands(run: RunCommand, contributions: Contributions): vscode.Disposable {
  const ofRows = rowCommands(contributions);
  const registered = contributions.commands.map(({ command: id }) =>
    vscode.commands.registerCommand(id, async (...given: unknown[]) => {
      const [argument, selected] = given;
      if (ofRows.has(id) && given.length > 1 && isRowLost(argument, selected)) {
        void vscode.window.showWarningMessage(
          vscode.l10n.t('The list was just updated, so it’s unclear which job you meant. Select it again.'),
        );
        return undefined;
      }
      try {
        return await run(id, isSeveral(selected) ? selected : (argument ?? timelineOf(selected)));
      } catch (error) {
        // Avoids two periods in a row.
        const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
        const text = vscode.l10n.t('Docs Agent error: {0}.', why);
        void showFailure(text);
        if (id === 'docsAgent.saveReviewComment' && isReply(argument)) {
          // The box for a new comment keeps the typed text only if the command rejects.
          throw error;
        }
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

async function showFailure(text: string): Promise<void> {
  const log = vscode.l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(text, log)) === log) {
    await vscode.commands.executeCommand('docsAgent.showLog');
  }
}
