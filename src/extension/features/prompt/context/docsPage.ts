import * as vscode from 'vscode';
import { BUDGETS, elide } from '../../../../prompt/budgets';
import { findDocsFolder, pageContext, type ProjectFiles } from '../../../../prompt/docsPage';
import { instructions } from '../../../../prompt/instructions';
import { plainFileSize } from '../../../platform/plainFileSize';
import type { Collected, ContextInserter } from '../box/contextInserter';
import { resolveDocument } from './addContext';
import type { LastEditor } from './lastEditor';
import { filePlace } from './filePlace';
import { IgnoredFiles } from './ignoredFiles';
import type { NotesOf } from './notesOf';

/** Maximum size of a configuration file, in bytes. */
const MAX_CONFIG_BYTES = 2_000_000;

export interface CollectedPage extends Collected {
  /** As the prompt names the page. */
  path: string;
  /** The heading above the cursor; empty when there is none. */
  section: string;
  /** Notes on the page when the agent can find exactly the text that is open here; undefined when it can't. */
  seen: readonly string[] | undefined;
}

/** Collects a documentation page, as it is in the editor, together with its documentation folder. Refuses ignored pages. */
async function collectPage(document: vscode.TextDocument, notesOf: NotesOf): Promise<CollectedPage> {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  const { languageId, uri } = document;
  const { path, files } = projectPage(uri) ?? { path: filePlace(uri).path, files: NO_FILES };
  const leftOut = await new IgnoredFiles().whyLeftOut(uri);
  if (leftOut !== undefined) {
    return { blocks: [], refused: [leftOut.sentence(path)], path, section: '', seen: undefined };
  }
  const text = document.getText();
  const page = { path, text, languageId, line: editor?.selection.active.line };
  const [{ block, section }, notes] = await Promise.all([pageContext(page, files), notesOf({ uri })]);
  const withNotes = { ...block, notes: [...block.notes, ...notes], text: elide(block.text, BUDGETS.file) };
  const seen = notes.some((note) => note.startsWith('Permalink: ')) ? withNotes.notes : undefined;
  return { blocks: [withNotes], refused: [], path, section, seen };
}

/** Whether a file is a page in a documentation folder of its workspace folder. */
export async function isDocsPage(uri: vscode.Uri): Promise<boolean> {
  const page = vscode.workspace.getWorkspaceFolder(uri) && projectPage(uri);
  return page !== undefined && (await findDocsFolder(page.path, page.files)) !== undefined;
}

const NO_FILES: ProjectFiles = { list: () => Promise.resolve([]), read: () => Promise.resolve(undefined) };

/** The project is the page's workspace folder, otherwise the page's own folder. Undefined for an untitled document. */
function projectPage(uri: vscode.Uri): { path: string; files: ProjectFiles } | undefined {
  if (uri.scheme === 'untitled') {
    return undefined;
  }
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, '..');
  const prefix = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return uri.path.startsWith(prefix) ? { path: uri.path.slice(prefix.length), files: filesOf(root) } : undefined;
}

function filesOf(root: vscode.Uri): ProjectFiles {
  const { fs } = vscode.workspace;
  return {
    list: async (folder) => {
      try {
        return (await fs.readDirectory(vscode.Uri.joinPath(root, folder))).map(([name]) => name);
      } catch {
        return [];
      }
    },
    read: async (path) => {
      const uri = vscode.Uri.joinPath(root, path);
      try {
        const size = (await plainFileSize(uri)) ?? Infinity;
        return size > MAX_CONFIG_BYTES ? undefined : new TextDecoder().decode(await fs.readFile(uri));
      } catch {
        return undefined;
      }
    },
  };
}

export interface DocumentationPageOptions {
  desk: ContextInserter;
  notesOf: NotesOf;
  lastEditor: LastEditor;
}

/** Adds the current page and its documentation folder to the current prompt. */
export async function addPage(options: DocumentationPageOptions, argument: unknown): Promise<void> {
  const page = await collect(options, argument);
  await (page && options.desk.add(page));
}

/** Starts a prompt to update the current page, or the section at the cursor. */
export async function updatePage(options: DocumentationPageOptions, argument: unknown): Promise<void> {
  const page = await collect(options, argument);
  if (page === undefined) {
    return;
  }
  const instruction = page.blocks.length === 0 ? '' : instructions.updatePage(page.path, page.section);
  if (page.seen === undefined) {
    await options.desk.begin({ ...page, instruction });
  } else {
    // Text that the agent can read in the same version need not be sent.
    const notes = page.seen.map((note) => `- ${note}`).join('\n');
    await options.desk.begin({ ...page, blocks: [], instruction: `${instruction}\n\n${notes}` });
  }
}

async function collect(
  { notesOf, lastEditor }: DocumentationPageOptions,
  argument: unknown,
): Promise<(CollectedPage & { resource: vscode.Uri }) | undefined> {
  const document = await resolveDocument(argument, lastEditor);
  if (document === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Open the docs page in the editor first.'));
    return undefined;
  }
  return { ...(await collectPage(document, notesOf)), resource: document.uri };
}
