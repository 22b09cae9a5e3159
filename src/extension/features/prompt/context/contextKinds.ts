import * as vscode from 'vscode';
import { formatPage, pageTitle } from '../../../../prompt/blocks';
import { codeSpan } from '../../../../prompt/contextBlock';
import { instructions } from '../../../../prompt/instructions';
import { toLabel } from '../../../platform/sanitize';
import { type Addition, refusal } from '../box/contextInserter';
import type { PromptApp } from '../register';
import { baseName, filePlace, type NotesOf } from './places';
import { collectFiles, whyLeftOut } from './files';
import { pickFile } from './findFiles';
import { allProblems, collectProblems, type ProblemFile, problemsOf } from './problems';
import { collectSelections, collectSymbol, selectionsOf } from './selections';

/** A kind of context that can be added to a prompt: a row in the list, and a word after `#` in the composer. */
export interface ContextKind {
  /** Its word after `#` and in `{ kind }`, in lower case. */
  name: string;
  /** Display name: “Selection”. */
  label: string;
  /** Id of a VS Code icon. */
  icon: string;
  /** A short description of what is available now (“lines 3–10 of a.ts”); undefined when there is nothing to add. */
  available: () => Promise<string | undefined> | string | undefined;
  /** Collects the context, asking when there is a choice. Undefined when the user cancelled. */
  collect: () => Promise<Addition | undefined>;
}

/** The kinds of context, in list order. To add a kind, add a row. */
export function contextKinds(parts: PromptApp): ContextKind[] {
  return [selection(parts), file(parts), symbol(parts), changes(parts), problems(parts), page(parts)];
}

function selection({ lastEditor, notesOf }: PromptApp): ContextKind {
  return {
    name: 'selection',
    label: vscode.l10n.t('Selection'),
    icon: 'selection',
    available: () => selectionsLabel(selectionsOf(lastEditor.current)),
    collect: async () => {
      const taken = selectionsOf(lastEditor.current);
      return taken.length === 0
        ? refusal(vscode.l10n.t('Select text in the editor first.'))
        : { ...(await collectSelections(taken, notesOf)), resource: taken[0]?.uri };
    },
  };
}

function file({ notesOf }: PromptApp): ContextKind {
  return {
    name: 'file',
    label: vscode.l10n.t('File…'),
    icon: 'file',
    available: () => vscode.workspace.workspaceFolders && vscode.l10n.t('an open file or any file in the workspace'),
    collect: async () => {
      const uri = await pickFile();
      return uri && { ...(await collectFiles([uri], notesOf)), resource: uri };
    },
  };
}

function symbol({ lastEditor, notesOf }: PromptApp): ContextKind {
  return {
    name: 'symbol',
    label: vscode.l10n.t('Symbol at the cursor'),
    icon: 'symbol-method',
    available: () => lastEditor.current && placeLabel(lastEditor.current),
    collect: async () => {
      const { document, selection: at } = lastEditor.current ?? {};
      return document === undefined || at === undefined
        ? refusal(vscode.l10n.t('Place the cursor on a symbol first.'))
        : { ...(await collectSymbol(document, at.active, notesOf)), resource: document.uri };
    },
  };
}

function changes({ repositories }: PromptApp): ContextKind {
  return {
    name: 'changes',
    label: vscode.l10n.t('Changes…'),
    icon: 'git-compare',
    available: () =>
      vscode.workspace.workspaceFolders === undefined ? undefined : vscode.l10n.t('uncommitted, branch, or commit'),
    collect: async () => {
      const { gatherChanges } = await import('../changes/changes');
      return gatherChanges(repositories, undefined);
    },
  };
}

function problems({ lastEditor, notesOf }: PromptApp): ContextKind {
  return {
    name: 'problems',
    label: vscode.l10n.t('Problems'),
    icon: 'warning',
    available: () => {
      const number = countOf(allProblems());
      return number === 0 ? undefined : vscode.l10n.t('{0} in all files', number);
    },
    collect: async () => {
      const chosen = await chooseProblems(lastEditor.current);
      return chosen && problemAddition(chosen, notesOf);
    },
  };
}

/** Returns the problems as context, or a message that there are none. */
export async function problemAddition(chosen: readonly ProblemFile[], notesOf: NotesOf): Promise<Addition> {
  return countOf(chosen) === 0
    ? refusal(vscode.l10n.t('There are no problems to add.'))
    : { ...(await collectProblems(chosen, notesOf)), resource: chosen[0]?.uri };
}

/** Files with these extensions are pages. */
export const PAGE = /\.(mdx?|markdown|rst|adoc)$/i;

function page({ lastEditor, notesOf }: PromptApp): ContextKind {
  const document = (): vscode.TextDocument | undefined => {
    const open = lastEditor.current?.document;
    return open !== undefined && PAGE.test(open.uri.path) ? open : undefined;
  };
  return {
    name: 'page',
    label: vscode.l10n.t('Documentation page'),
    icon: 'book',
    available: () => {
      const open = document();
      return open && toLabel(baseName(open.uri), 40);
    },
    collect: async () => {
      const open = document();
      return open === undefined
        ? refusal(vscode.l10n.t('Open the docs page in the editor first.'))
        : collectPage(open, notesOf);
    },
  };
}

/**
 * Collects a documentation page by its path and title: the agent reads its text in the repository.
 *
 * @param render what the prompt says about the page
 */
export async function collectPage(
  document: vscode.TextDocument,
  notesOf: NotesOf,
  render: (page: string) => string = instructions.page,
): Promise<Addition> {
  const { uri } = document;
  const { path, notes } = filePlace(uri);
  const leftOut = (await whyLeftOut([uri])).get(uri.toString());
  if (leftOut !== undefined) {
    return refusal(leftOut.sentence(path));
  }
  const all = [...notes, ...(await notesOf({ uri }))].map((note) => `- ${note}`);
  const parts = [
    render(formatPage(path, pageTitle(document.getText()))),
    ...(all.length === 0 ? [] : [all.join('\n')]),
  ];
  return { instruction: parts.join('\n\n'), mention: codeSpan(path), blocks: [], refused: [], resource: uri };
}

/** Returns the problems of the selection, of the file or of all files; asks when these differ. */
async function chooseProblems(editor: vscode.TextEditor | undefined): Promise<readonly ProblemFile[] | undefined> {
  const all = allProblems();
  const uri = editor?.document.uri;
  const inFile = uri === undefined ? [] : [problemsOf(uri)];
  const inSelection = uri === undefined ? [] : [problemsOf(uri, editor?.selections)];
  const rows = [
    { label: vscode.l10n.t('In the selection'), found: inSelection },
    { label: vscode.l10n.t('In {0}', uri === undefined ? '' : toLabel(baseName(uri), 40)), found: inFile },
    { label: vscode.l10n.t('In all files'), found: all },
  ]
    .map((row) => ({ ...row, description: String(countOf(row.found)) }))
    .filter(({ found }, index, each) => countOf(found) > 0 && countOf(found) !== countOf(each[index + 1]?.found ?? []));
  if (rows.length < 2) {
    return rows[0]?.found ?? [];
  }
  return (await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Select problems to add to the prompt') }))
    ?.found;
}

function countOf(found: readonly ProblemFile[]): number {
  return found.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
}

/** “lines 3–10 of a.ts”, or the number of selections; undefined when nothing is selected. */
function selectionsLabel(taken: ReturnType<typeof selectionsOf>): string | undefined {
  const [first] = taken;
  if (first === undefined) {
    return undefined;
  }
  const name = toLabel(baseName(first.uri), 40);
  if (taken.length > 1) {
    return vscode.l10n.t('{0} selections in {1}', taken.length, name);
  }
  return first.startLine === first.endLine
    ? vscode.l10n.t('line {0} of {1}', first.startLine, name)
    : vscode.l10n.t('lines {0}–{1} of {2}', first.startLine, first.endLine, name);
}

function placeLabel({ document, selection: { active } }: vscode.TextEditor): string {
  return vscode.l10n.t('line {0} of {1}', active.line + 1, toLabel(baseName(document.uri), 40));
}
