import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { instructions } from '../../../../prompt/instructions';
import { reader } from '../../../platform/commandArguments';
import { type Addition, type Collected, refusal } from '../box/contextInserter';
import { collectPage, PAGE } from '../context/contextKinds';
import { collectFiles, typeOf, whyLeftOut } from '../context/files';
import {
  type NotesOf,
  type DocumentLocation,
  filePlace,
  filesNamed,
  isOpenFile,
  resolveDocument,
  resolveLocation,
} from '../context/places';
import { collectProblems } from '../context/problems';
import { collectSelections, collectSymbol, takeFrom } from '../context/selections';
import type { PromptApp } from '../register';
import { gatherChanges, readChange } from './changes';

/** Collects what a prompt for a new job is about, with the request. Undefined when the user cancelled. */
type Way = (options: PromptApp, argument: unknown) => Promise<Addition | undefined>;

/** What to document; code actions pass it with a location. */
const WHATS = ['page', 'symbol', 'update', 'file', 'comment', 'problem', 'changes'] as const;
type DocumentWhat = (typeof WHATS)[number];
const readWhat = reader(z.object({ what: z.enum(WHATS) }));

const WAYS: Record<DocumentWhat, Way> = {
  page: async ({ notesOf, lastEditor }, argument) => {
    const document = await resolveDocument(argument, lastEditor);
    return document === undefined
      ? refusal(vscode.l10n.t('Open the docs page in the editor first.'))
      : collectPage(document, notesOf, instructions.updatePage);
  },
  symbol: atPlace(
    ({ document, range }, notesOf) => collectSymbol(document, range.start, notesOf),
    instructions.documentSymbol,
  ),
  update: atPlace(
    (at, notesOf) =>
      at.range.isEmpty ? collectSymbol(at.document, at.range.start, notesOf) : collectLines(at, notesOf),
    instructions.updateDocs,
  ),
  file: async ({ notesOf, lastEditor }, argument) => {
    const open = lastEditor.current?.document.uri;
    const uris = filesNamed(argument) ?? (open === undefined ? [] : [open]);
    if (uris.length === 0) {
      return refusal(vscode.l10n.t('Open a file in an editor first.'));
    }
    const collected = await collectFiles(uris, notesOf);
    return asking(
      collected,
      (what) => instructions.updateDocs(collected.blocks.length === 1 ? what : undefined),
      uris[0],
    );
  },
  comment: atPlace(collectAround, (_, { document, range }) => {
    const line = range.start.line + 1;
    return instructions.documentComment({ path: filePlace(document.uri).path, lines: { start: line, end: line } });
  }),
  problem: atPlace(async ({ document: { uri }, range }, notesOf) => {
    const all = vscode.languages.getDiagnostics(uri);
    const diagnostics = all.filter((problem) => problem.range.intersection(range) !== undefined);
    return diagnostics.length === 0
      ? refusal(vscode.l10n.t('There are no problems here. Place the cursor on one first.'))
      : collectProblems([{ uri, diagnostics }], notesOf);
  }, instructions.documentProblems),
  changes: async ({ repositories }, argument) => {
    const addition = await gatherChanges(repositories, argument);
    // Prompts are in English.
    return addition && { ...addition, instruction: 'Update the documentation for these changes.' };
  },
};

/**
 * Starts a prompt for a job about what the argument names: `{ what }` with a place, a change, or files passed by a menu.
 * The user picks when nothing is named, and in an editor menu, which passes only the address of the open file.
 */
export async function documentThis(options: PromptApp, argument: unknown): Promise<void> {
  const what = readWhat(argument)?.what ?? (await whatIsNamed(argument)) ?? (await pickWhat(options));
  const addition = what && (await WAYS[what](options, argument));
  await (addition && options.inserter.add(addition, false));
}

async function whatIsNamed(argument: unknown): Promise<DocumentWhat | undefined> {
  if (Object.keys(readChange(argument) ?? {}).length > 0) {
    return 'changes';
  }
  const named = filesNamed(argument);
  const [first] = named ?? [];
  // A documentation page is updated itself.
  if (
    first !== undefined &&
    named?.length === 1 &&
    PAGE.test(first.path) &&
    ((await typeOf(first)) & vscode.FileType.Directory) === 0
  ) {
    return 'page';
  }
  return first === undefined || isOpenFile(argument) ? undefined : 'file';
}

async function pickWhat({ lastEditor }: PromptApp): Promise<DocumentWhat | undefined> {
  const editor = lastEditor.current;
  const isOpen = editor !== undefined;
  const isSelected = editor?.selection.isEmpty === false;
  const isAtCursor = isOpen && !isSelected;
  const isPage = PAGE.test(editor?.document.uri.path ?? '');
  const hasChanges = vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
  const rows: { what: DocumentWhat; label: string; isThere: boolean }[] = [
    { what: 'page', label: vscode.l10n.t('Update this page'), isThere: isPage },
    { what: 'update', label: vscode.l10n.t('Update docs for the selection'), isThere: isSelected },
    { what: 'symbol', label: vscode.l10n.t('Document the symbol at the cursor'), isThere: isAtCursor },
    { what: 'update', label: vscode.l10n.t('Update docs for the symbol at the cursor'), isThere: isAtCursor },
    { what: 'file', label: vscode.l10n.t('Update docs for this file'), isThere: isOpen },
    { what: 'comment', label: vscode.l10n.t('Act on the TODO comment at the cursor'), isThere: isAtCursor },
    { what: 'problem', label: vscode.l10n.t('Investigate the problem at the cursor'), isThere: isOpen },
    { what: 'changes', label: vscode.l10n.t('Document changes…'), isThere: hasChanges },
  ];
  const title = vscode.l10n.t('Choose what to document');
  const shown = rows.filter(({ isThere }) => isThere);
  if (shown.length <= 1) {
    // Without an editor, the way to document a file says what to do first.
    return shown[0]?.what ?? 'file';
  }
  return (await vscode.window.showQuickPick(shown, { title }))?.what;
}

/** Adds the request, unless there is nothing that it could be about. */
function asking(collected: Collected, ask: (what: string) => string, resource: vscode.Uri | undefined): Addition {
  const [first] = collected.blocks;
  return { ...collected, instruction: first === undefined ? '' : ask(first.heading), resource };
}

/**
 * @param collect collects what is at a place
 * @param ask what the agent should do with it; `what` is the heading of the collected context
 */
function atPlace(
  collect: (at: DocumentLocation, notesOf: NotesOf) => Promise<Collected> | Collected,
  ask: (what: string, at: DocumentLocation) => string,
): Way {
  return async ({ notesOf, lastEditor }, argument) => {
    const at = await resolveLocation(argument, lastEditor);
    return at === undefined
      ? refusal(vscode.l10n.t('Open a file in an editor first.'))
      : asking(await collect(at, notesOf), (what) => ask(what, at), at.document.uri);
  };
}

/** Number of lines around a comment that show what it is about. */
const LINES_ABOVE = 3;
const LINES_BELOW = 20;

async function collectAround({ document, range }: DocumentLocation, notesOf: NotesOf): Promise<Collected> {
  const leftOut = (await whyLeftOut([document.uri])).get(document.uri.toString());
  if (leftOut !== undefined) {
    return refusal(leftOut.sentence(filePlace(document.uri).path));
  }
  const { line } = range.start;
  const around = new vscode.Range(Math.max(0, line - LINES_ABOVE), 0, line + LINES_BELOW + 1, 0);
  return collectLines({ document, range: document.validateRange(around) }, notesOf);
}

function collectLines({ document, range }: DocumentLocation, notesOf: NotesOf): Promise<Collected> {
  return collectSelections([takeFrom(document, range)], notesOf);
}
