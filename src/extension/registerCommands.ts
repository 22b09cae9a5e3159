import vscode = require('vscode');
import { type CommandId, COMMANDS } from './ids';

/** Runs one command with the argument that it was given; rejects with an error whose message may be shown in a notice. */
export type RunCommand = (id: CommandId, argument: unknown) => Promise<unknown>;

/** Menus of lists pass the row that was clicked and, when several are selected, all of them. */
function isSeveral(selected: unknown): boolean {
  return Array.isArray(selected) && selected.length > 1;
}

/** The menus of the manifest, as far as they matter here. */
export type Menus = Record<'view/title' | 'view/item/context', readonly { command?: string }[]>;

/**
 * The commands that only a row of the list can pass two arguments to: the row, and all rows where several are selected.
 * The buttons above the list pass two as well, of which neither means anything to them.
 */
function rowCommands(menus: Menus): Set<string | undefined> {
  const above = new Set(menus['view/title'].map(({ command }) => command));
  return new Set(menus['view/item/context'].map(({ command }) => command).filter((id) => !above.has(id)));
}

/** While the list is being redrawn, the editor has forgotten its rows and passes undefined for them. */
function isRowLost(argument: unknown, selected: unknown): boolean {
  return Array.isArray(selected) ? selected.some((row) => row == null) : argument == null && selected == null;
}

/** The one place that registers commands: whatever a command throws is told once, where the user looks. */
export function registerCommands(run: RunCommand, menus: Menus): vscode.Disposable {
  const ofRows = rowCommands(menus);
  const registered = Object.values(COMMANDS).map((id) =>
    vscode.commands.registerCommand(id, async (...given: unknown[]) => {
      const [argument, selected] = given;
      if (ofRows.has(id) && given.length > 1 && isRowLost(argument, selected)) {
        void vscode.window.showWarningMessage(
          vscode.l10n.t('The list was just updated, so it is not clear which job you meant. Choose it again.'),
        );
        return undefined;
      }
      try {
        // The timeline may keep its entry back from other extensions, and passes the file after it.
        return await run(id, isSeveral(selected) ? selected : (argument ?? selected));
      } catch (error) {
        // Its own stop would stand before ours.
        const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
        const text = vscode.l10n.t('This did not work: {0}. See the log for more (“Show Log”).', why);
        void vscode.window.showErrorMessage(text);
        if (id === COMMANDS.addReviewComment) {
          // The editor keeps what was typed in the box of a comment only when the command fails.
          throw error;
        }
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
