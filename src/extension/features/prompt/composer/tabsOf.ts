import * as vscode from 'vscode';
import { composerDraft, type ComposerTarget, readTarget } from './composerTarget';

/** The tabs of all groups that show this document. */
export function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

/** The addresses of all prompts with a tab, including restored tabs that were not activated yet. */
function promptTabs(): vscode.Uri[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
  const uris = inputs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return uris.filter((uri) => readTarget(uri) !== undefined);
}

/** The address under which a target's document is open; its title may be outdated. */
export function addressInUse(target: ComposerTarget): vscode.Uri | undefined {
  const open = [...promptTabs(), ...vscode.workspace.textDocuments.map(({ uri }) => uri)];
  return open.find((uri) => {
    const other = readTarget(uri);
    return other !== undefined && composerDraft(other) === composerDraft(target);
  });
}
