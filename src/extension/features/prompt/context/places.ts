import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Logger } from '../../../../base/logger';
import { remoteAddress } from '../../../../git/remotes';
import { OUTSIDE_NOTE, type TextPlace } from '../../../../prompt/blocks';
import { permalink } from '../../../../prompt/permalink';
import { inferForgeKind } from '../../../../protocol/forgeKinds';
import { namedText, reader } from '../../../platform/commandArguments';
import { VERSION_SCHEME } from '../../../platform/fileVersions';
import type { GitRepository } from '../../../platform/gitExtension';
import type { Repositories } from '../../../platform/repositories';
import { PREVIEW_SCHEME, promptFolder } from '../composer/promptFiles';

/**
 * How a prompt names a file: relative to its workspace folder, prefixed with the folder's name when there are several.
 * For a file outside the workspace, only its name, because the path would reveal details of the user's machine.
 */
export function filePlace(uri: vscode.Uri): TextPlace {
  const inside = insideWorkspace(uri);
  if (inside === undefined) {
    return { path: baseName(uri), notes: uri.scheme === 'untitled' ? [] : [OUTSIDE_NOTE] };
  }
  const { folder, file } = inside;
  // For a workspace folder itself, VS Code would return the absolute path.
  const isFolder = file.path.replace(/\/$/, '') === folder.uri.path.replace(/\/$/, '');
  return { path: isFolder ? folder.name : vscode.workspace.asRelativePath(file), notes: [] };
}

export function baseName({ path }: vscode.Uri): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/** The workspace file that an address refers to. A side of a diff has an address of ours or of the Git extension's. */
function insideWorkspace(uri: vscode.Uri): { folder: vscode.WorkspaceFolder; file: vscode.Uri } | undefined {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const isVersion = ['git', VERSION_SCHEME].includes(uri.scheme);
  const candidates = isVersion && first !== undefined ? [uri, first.uri.with({ path: uri.path })] : [uri];
  for (const file of candidates) {
    const folder = vscode.workspace.getWorkspaceFolder(file);
    if (folder !== undefined) {
      return { folder, file };
    }
  }
  return undefined;
}

/** Panel editors and previews of prompts: their text is never meant as context, and neither is that of a prompt. */
const NOT_MEANT = new Set([PREVIEW_SCHEME, 'output', 'comment', 'vscode-scm']);

/** Whether text with this address can be used as context. */
export function canBeContext(uri: vscode.Uri): boolean {
  return !NOT_MEANT.has(uri.scheme) && promptFolder(uri) === undefined;
}

/** Remembers the text editor that was active before the prompt, so that its selection can be added. */
export class LastEditor implements vscode.Disposable {
  private last: vscode.TextEditor | undefined;
  private readonly listening: vscode.Disposable;

  constructor() {
    this.remember(vscode.window.activeTextEditor);
    this.listening = vscode.window.onDidChangeActiveTextEditor((editor) => this.remember(editor));
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** The active text editor, otherwise the last active one; undefined when that was closed and none is visible. */
  get current(): vscode.TextEditor | undefined {
    this.remember(vscode.window.activeTextEditor);
    if (this.last !== undefined && !this.last.document.isClosed) {
      return this.last;
    }
    return vscode.window.visibleTextEditors.find(({ document }) => canBeContext(document.uri));
  }

  private remember(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && canBeContext(editor.document.uri)) {
      this.last = editor;
    }
  }
}

const count = z.optional(z.int().check(z.positive()));
/** A location in a file; lines and columns are 1-based. */
const readPlace = reader(
  z.object({ uri: z.optional(namedText), line: count, column: count, endLine: count, endColumn: count }),
);

/** A place in a document that a command applies to. */
export interface DocumentLocation {
  document: vscode.TextDocument;
  /** Empty when there is only a cursor. */
  range: vscode.Range;
}

/**
 * Returns the document that an argument names, by an address (menus pass one) or `{ uri }`; without an argument, that
 * of the current text editor. Undefined when there is none, or when it is not a text document.
 */
export async function resolveDocument(
  argument: unknown,
  lastEditor: LastEditor,
): Promise<vscode.TextDocument | undefined> {
  const uri = uriNamed(argument);
  if (uri === undefined) {
    return lastEditor.current?.document;
  }
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

/** Returns the place that an argument names, otherwise the cursor or selection of the current text editor. */
export async function resolveLocation(
  argument: unknown,
  lastEditor: LastEditor,
): Promise<DocumentLocation | undefined> {
  const place = readPlace(argument);
  const document = await resolveDocument(argument, lastEditor);
  if (document === undefined) {
    return undefined;
  }
  if (place?.line === undefined) {
    const { current } = lastEditor;
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    const editor = current?.document === document ? current : visible;
    return { document, range: editor?.selection ?? new vscode.Range(0, 0, 0, 0) };
  }
  const { line, column = 1, endLine = line, endColumn = column } = place;
  const range = new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
  return { document, range: document.validateRange(range) };
}

/** Files and folders passed by a menu: a single address, or those of all selected items. */
export function filesNamed(argument: unknown): vscode.Uri[] | undefined {
  const named = (Array.isArray(argument) ? argument : [uriNamed(argument)]).filter(
    (each) => each instanceof vscode.Uri,
  );
  return named.length === 0 ? undefined : named;
}

/** Whether an argument is the address of the active editor's file, which is what editor menus pass. */
export function isOpenFile(argument: unknown): boolean {
  const open = vscode.window.activeTextEditor?.document.uri;
  return argument instanceof vscode.Uri && argument.toString() === open?.toString();
}

function uriNamed(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) {
    return argument;
  }
  const named = readPlace(argument)?.uri;
  try {
    return named === undefined ? undefined : vscode.Uri.parse(named, true);
  } catch {
    return undefined;
  }
}

/** A place in a file. Lines count from 1; without lines, the whole file. */
export interface LinkedPlace {
  uri: vscode.Uri;
  startLine?: number;
  endLine?: number;
}

/** Returns a note with the permalink of a place as a line of Markdown; empty if there is none. Never rejects. */
export type NotesOf = (place: LinkedPlace) => Promise<readonly string[]>;

/** Only a file that is the same in the editor, on disk, and in a commit at a Git host has a permalink. */
export function permalinks(repositories: Pick<Repositories, 'holding'>, log: Logger): NotesOf {
  return async ({ uri, startLine, endLine = startLine }) => {
    try {
      const repository = await repositories.holding(uri);
      const commit = repository && pushedCommit(repository);
      const isDirty = vscode.workspace.textDocuments.some(
        (each) => each.isDirty && each.uri.toString() === uri.toString(),
      );
      if (repository === undefined || commit === undefined || isDirty || isChanged(repository, uri)) {
        return [];
      }
      // Rejects for a file that isn't in the commit.
      await repository.getObjectDetails(commit, uri.fsPath);
      const host = hostOf(repository);
      const path = relative(repository.rootUri.fsPath, uri.fsPath).split(sep).join('/');
      const lines = startLine === undefined ? {} : { lines: { start: startLine, end: endLine ?? startLine } };
      return host === undefined ? [] : [`Permalink: ${permalink({ ...host, commit, path, ...lines })}`];
    } catch (error) {
      log.info(`no permalink for ${uri.path}: ${String(error)}`);
      return [];
    }
  };
}

/** The commit that is checked out, if its branch has been pushed; as far as is known without network access. */
export function pushedCommit({ state: { HEAD } }: GitRepository): string | undefined {
  return HEAD?.upstream !== undefined && HEAD.ahead === 0 ? HEAD.commit : undefined;
}

/** The repository at the Git host that the current branch is pushed to. */
export function hostOf({ state, rootUri }: GitRepository): Omit<Parameters<typeof permalink>[0], 'commit'> | undefined {
  const url = state.remotes.find(({ name }) => name === state.HEAD?.upstream?.remote)?.fetchUrl;
  const address = url === undefined ? undefined : remoteAddress(url, rootUri.fsPath);
  if (address === undefined || 'folder' in address) {
    return undefined;
  }
  const { host, origin, path } = address;
  return { host, origin, repository: path, forge: inferForgeKind(origin) };
}

function isChanged({ state }: GitRepository, uri: vscode.Uri): boolean {
  const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges } = state;
  const changes = [workingTreeChanges, indexChanges, mergeChanges, untrackedChanges].flat();
  return changes.some((change) => change.uri.toString() === uri.toString());
}
