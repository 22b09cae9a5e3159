import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { instructions } from '../../../../prompt/instructions';
import { reader } from '../../../platform/commandArguments';
import type { Collected } from '../box/contextInserter';
import { filesNamed, isOpenFile, type DocumentLocation, resolveDocument, resolveLocation } from '../context/addContext';
import { PAGE } from '../context/contextKinds';
import { collectPage } from '../context/docsPage';
import { filePlace } from '../context/filePlace';
import { collectFiles, whyLeftOut } from '../context/files';
import type { NotesOf } from '../context/permalinks';
import { collectProblems } from '../context/problems';
import { collectSelections, collectSymbol } from '../context/selections';
import type { PromptApp } from '../register';
import { gatherChanges, readChange } from './gatherChanges';

/** The start of a prompt: the collected context and the request. */
interface Beginning {
  collected: Collected;
  /** @param what the heading of the collected context */
  ask: (what: string) => string;
}

/** What to document; code actions pass it with a location. */
const WHATS = ['page', 'symbol', 'update', 'file', 'comment', 'problem', 'changes'] as const;
type DocumentWhat = (typeof WHATS)[number];
const readWhat = reader(z.object({ what: z.enum(WHATS) }));

const WAYS: Record<DocumentWhat, (options: PromptApp, argument: unknown) => Promise<void>> = {
  page: documentPage,
  symbol: documentSymbol,
  update: updateDocs,
  file: updateDocsForFiles,
  comment: documentComment,
  problem: documentProblem,
  changes: documentChanges,
};

/**
 * Starts a prompt for a job about what the argument names: `{ what }` with a place, a change, or files passed by a menu.
 * The user picks when nothing is named, and in an editor menu, which passes only the address of the open file.
 */
export async function documentThis(options: PromptApp, argument: unknown): Promise<void> {
  const what = readWhat(argument)?.what ?? (await whatIsNamed(argument)) ?? (await pickWhat(options));
  await (what && WAYS[what](options, argument));
}

async function whatIsNamed(argument: unknown): Promise<DocumentWhat | undefined> {
  if (Object.keys(readChange(argument) ?? {}).length > 0) {
    return 'changes';
  }
  const named = filesNamed(argument);
  const [first] = named ?? [];
  // A documentation page is updated itself.
  if (first !== undefined && named?.length === 1 && PAGE.test(first.path) && !(await isFolder(first))) {
    return 'page';
  }
  return first === undefined || isOpenFile(argument) ? undefined : 'file';
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  const found = await vscode.workspace.fs.stat(uri).then(
    ({ type }) => type,
    () => vscode.FileType.Unknown,
  );
  return (found & vscode.FileType.Directory) !== 0;
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

/** Starts a prompt to update a documentation page. */
async function documentPage({ desk, notesOf, lastEditor }: PromptApp, argument: unknown): Promise<void> {
  const document = await resolveDocument(argument, lastEditor);
  if (document === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Open the docs page in the editor first.'));
    return;
  }
  await desk.begin(await collectPage(document, notesOf, instructions.updatePage));
}

/** Starts a prompt to document the symbol at a place. */
async function documentSymbol(options: PromptApp, argument: unknown): Promise<void> {
  await begin(options, argument, async ({ document, range }) => ({
    collected: await collectSymbol(document, range.start, options.notesOf),
    ask: instructions.documentSymbol,
  }));
}

/** Starts a prompt to update the documentation for a selection, otherwise for a symbol. */
async function updateDocs(options: PromptApp, argument: unknown): Promise<void> {
  const { notesOf } = options;
  await begin(options, argument, async (at) => ({
    collected: at.range.isEmpty
      ? await collectSymbol(at.document, at.range.start, notesOf)
      : await collectLines(at, notesOf),
    ask: instructions.updateDocs,
  }));
}

/** Starts a prompt to update the documentation for files and folders, otherwise for the open file. */
async function updateDocsForFiles(options: PromptApp, argument: unknown): Promise<void> {
  const { desk, notesOf, lastEditor } = options;
  const open = lastEditor.current?.document.uri;
  const uris = filesNamed(argument) ?? (open === undefined ? [] : [open]);
  if (uris.length === 0) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Open a file in an editor first.'));
    return;
  }
  const collected = await collectFiles(uris, notesOf);
  const what = collected.blocks.length === 1 ? collected.blocks[0]?.heading : undefined;
  const instruction = collected.blocks.length === 0 ? '' : instructions.updateDocs(what);
  await desk.begin({ ...collected, instruction, resource: uris[0] });
}

/** Number of lines around a comment that show what it is about. */
const LINES_ABOVE = 3;
const LINES_BELOW = 20;

/** Starts a prompt to do what a comment asks for. */
async function documentComment(options: PromptApp, argument: unknown): Promise<void> {
  await begin(options, argument, async ({ document, range }) => {
    const leftOut = (await whyLeftOut([document.uri])).get(document.uri.toString());
    if (leftOut !== undefined) {
      const why = leftOut.sentence(filePlace(document.uri).path);
      return { collected: { blocks: [], refused: [why] }, ask: () => '' };
    }
    const { line } = range.start;
    const around = new vscode.Range(Math.max(0, line - LINES_ABOVE), 0, line + LINES_BELOW + 1, 0);
    const lines = { start: line + 1, end: line + 1 };
    const place = { path: filePlace(document.uri).path, lines };
    return {
      collected: await collectLines({ document, range: document.validateRange(around) }, options.notesOf),
      ask: () => instructions.documentComment(place),
    };
  });
}

/** Starts a prompt about the problems at a place. */
async function documentProblem(options: PromptApp, argument: unknown): Promise<void> {
  await begin(options, argument, async ({ document: { uri }, range }) => {
    const diagnostics = vscode.languages
      .getDiagnostics(uri)
      .filter((problem) => problem.range.intersection(range) !== undefined);
    const collected = await collectProblems([{ uri, diagnostics }], options.notesOf);
    const refused =
      diagnostics.length === 0 ? [vscode.l10n.t('There are no problems here. Place the cursor on one first.')] : [];
    return {
      collected: { ...collected, refused: [...refused, ...collected.refused] },
      ask: instructions.documentProblems,
    };
  });
}

async function collectLines({ document, range }: DocumentLocation, notesOf: NotesOf): Promise<Collected> {
  const taken = {
    ...filePlace(document.uri),
    uri: document.uri,
    startLine: range.start.line + 1,
    // A range that ends at column 0 does not include that line.
    endLine: range.end.character === 0 ? Math.max(range.end.line, range.start.line + 1) : range.end.line + 1,
    languageId: document.languageId,
    text: document.getText(range),
  };
  return collectSelections([taken], notesOf);
}

async function begin(
  { desk, lastEditor }: PromptApp,
  argument: unknown,
  beginning: (at: DocumentLocation) => Promise<Beginning>,
): Promise<void> {
  const at = await resolveLocation(argument, lastEditor);
  if (at === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Open a file in an editor first.'));
    return;
  }
  const { collected, ask } = await beginning(at);
  const [first] = collected.blocks;
  const instruction = first === undefined ? '' : ask(first.heading);
  await desk.begin({ ...collected, instruction, resource: at.document.uri });
}

/** What the agent is asked to do with a change. Prompts are in English. */
const INSTRUCTION = 'Update the documentation for these changes.';

/** Starts a prompt for a new job that documents changes. */
async function documentChanges({ desk, repositories }: PromptApp, argument: unknown): Promise<void> {
  const addition = await gatherChanges(repositories, argument);
  await (addition && desk.begin({ ...addition, instruction: INSTRUCTION }));
}
