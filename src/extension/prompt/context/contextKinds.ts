import * as vscode from 'vscode';
import type { Repositories } from '../../services/repositories';
import { toLabel } from '../../text';
import type { Addition } from '../promptDesk';
import type { ContextKind } from './contextKind';
import { baseName } from './filePlace';
import { collectFiles } from './files';
import type { LastEditor } from './lastEditor';
import type { NotesOf } from './notesOf';
import { pickFile, pickFolder } from './pickFiles';
import { type ProblemFile, allProblems, collectProblems, problemsOf } from './problems';
import { collectSelections, selectionsOf } from './selections';
import { collectSymbol } from './symbol';
import { collectTerminalSelection } from './terminal';

const { t } = vscode.l10n;

export interface ContextParts {
  lastEditor: LastEditor;
  notesOf: NotesOf;
  repositories: Repositories;
}

/** The kinds of context, in the order of the list. A further kind is one more row. */
export function contextKinds(parts: ContextParts): ContextKind[] {
  return [selection(parts), ...files(parts), symbol(parts), changes(parts), problems(parts), terminal()];
}

function selection({ lastEditor, notesOf }: ContextParts): ContextKind {
  return {
    name: 'selection',
    label: t('Selection'),
    icon: 'selection',
    atHand: () => selectionsLabel(selectionsOf(lastEditor.current)),
    collect: async () => {
      const taken = selectionsOf(lastEditor.current);
      return taken.length === 0
        ? refusal(t('Select some text in an editor first.'))
        : { ...(await collectSelections(taken, notesOf)), resource: taken[0]?.uri };
    },
  };
}

function files({ notesOf }: ContextParts): ContextKind[] {
  const hasFolder = (): boolean => vscode.workspace.workspaceFolders !== undefined;
  const collect = (pick: () => Promise<vscode.Uri | undefined>) => async (): Promise<Addition | undefined> => {
    const uri = await pick();
    return uri && { ...(await collectFiles([uri], notesOf)), resource: uri };
  };
  return [
    {
      name: 'file',
      label: t('File…'),
      icon: 'file',
      atHand: () => (hasFolder() ? t('one that is open, or any of the workspace') : undefined),
      collect: collect(pickFile),
    },
    {
      name: 'folder',
      label: t('Folder…'),
      icon: 'folder',
      atHand: () => (hasFolder() ? t('its names, and contents while there is room') : undefined),
      collect: collect(pickFolder),
    },
  ];
}

function symbol({ lastEditor, notesOf }: ContextParts): ContextKind {
  return {
    name: 'symbol',
    label: t('Symbol at the cursor'),
    icon: 'symbol-method',
    atHand: () => lastEditor.current && placeLabel(lastEditor.current),
    collect: async () => {
      const editor = lastEditor.current;
      return editor === undefined
        ? refusal(t('Put the cursor into a symbol of an editor first.'))
        : {
            ...(await collectSymbol(editor.document, editor.selection.active, notesOf)),
            resource: editor.document.uri,
          };
    },
  };
}

function changes({ repositories }: ContextParts): ContextKind {
  return {
    name: 'changes',
    label: t('Changes…'),
    icon: 'git-compare',
    atHand: () =>
      vscode.workspace.workspaceFolders === undefined ? undefined : t('not committed, of a branch or of a commit'),
    collect: async () => {
      const { gatherChanges } = await import('../../commands/addChanges');
      return gatherChanges(repositories, undefined);
    },
  };
}

function problems({ lastEditor, notesOf }: ContextParts): ContextKind {
  return {
    name: 'problems',
    label: t('Problems'),
    icon: 'warning',
    atHand: () => {
      const number = countOf(allProblems());
      return number === 0 ? undefined : t('{0} in all files', number);
    },
    collect: async () => {
      const chosen = await chooseProblems(lastEditor.current);
      return chosen && problemAddition(chosen, notesOf);
    },
  };
}

/** The problems as context, or the sentence that there are none. */
export async function problemAddition(chosen: readonly ProblemFile[], notesOf: NotesOf): Promise<Addition> {
  return countOf(chosen) === 0
    ? refusal(t('There are no problems to add.'))
    : { ...(await collectProblems(chosen, notesOf)), resource: chosen[0]?.uri };
}

function terminal(): ContextKind {
  return {
    name: 'terminal',
    label: t('Terminal selection'),
    icon: 'terminal',
    atHand: () => vscode.window.activeTerminal && toLabel(vscode.window.activeTerminal.name, 40),
    collect: collectTerminalSelection,
  };
}

/** The problems of the selection, of the file or of all files; asks where these are not the same. */
async function chooseProblems(editor: vscode.TextEditor | undefined): Promise<readonly ProblemFile[] | undefined> {
  const all = allProblems();
  const uri = editor?.document.uri;
  const inFile = uri === undefined ? [] : [problemsOf(uri)];
  const inSelection = uri === undefined ? [] : [problemsOf(uri, editor?.selections)];
  const rows = [
    { label: t('In the selection'), found: inSelection },
    { label: t('In {0}', uri === undefined ? '' : toLabel(baseName(uri), 40)), found: inFile },
    { label: t('In all files'), found: all },
  ]
    .map((row) => ({ ...row, description: String(countOf(row.found)) }))
    .filter(({ found }, index, each) => countOf(found) > 0 && countOf(found) !== countOf(each[index + 1]?.found ?? []));
  if (rows.length < 2) {
    return rows[0]?.found ?? [];
  }
  return (await vscode.window.showQuickPick(rows, { title: t('Add which problems to the prompt?') }))?.found;
}

function countOf(found: readonly ProblemFile[]): number {
  return found.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
}

/** “lines 3–10 of a.ts”, or how many there are; undefined when nothing is selected. */
function selectionsLabel(taken: ReturnType<typeof selectionsOf>): string | undefined {
  const [first] = taken;
  if (first === undefined) {
    return undefined;
  }
  const name = toLabel(baseName(first.uri), 40);
  if (taken.length > 1) {
    return t('{0} places of {1}', taken.length, name);
  }
  return first.startLine === first.endLine
    ? t('line {0} of {1}', first.startLine, name)
    : t('lines {0}–{1} of {2}', first.startLine, first.endLine, name);
}

function placeLabel({ document, selection: { active } }: vscode.TextEditor): string {
  return t('line {0} of {1}', active.line + 1, toLabel(baseName(document.uri), 40));
}

function refusal(why: string): Addition {
  return { blocks: [], refused: [why] };
}
