import vscode = require('vscode');
import { COMMANDS, type CommandId } from '../ids';

/** Runs one command with the argument that it was given; rejects with an error whose message may be shown in a notice. */
export type RunCommand = (id: CommandId, argument: unknown) => Promise<unknown>;

/** Menus of lists pass the row that was clicked and, when several are selected, all of them. */
function isSeveral(selected: unknown): boolean {
  return Array.isArray(selected) && selected.length > 1;
}

/** The one place that registers commands: whatever a command throws is told once, where the user looks. */
export function registerCommands(run: RunCommand): vscode.Disposable {
  const registered = Object.values(COMMANDS).map((id) =>
    vscode.commands.registerCommand(id, async (argument: unknown, selected?: unknown) => {
      try {
        // The timeline may keep its entry back from other extensions, and passes the file after it.
        return await run(id, isSeveral(selected) ? selected : (argument ?? selected));
      } catch (error) {
        // Its own stop would stand before ours.
        const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
        const text = vscode.l10n.t('This did not work: {0}. See the log for more (“Show Log”).', why);
        void vscode.window.showErrorMessage(text);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
