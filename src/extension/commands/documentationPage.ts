import * as vscode from 'vscode';
import { instructions } from '../../prompt/instructions';
import type { LastEditor } from '../prompt/context/lastEditor';
import type { NotesOf } from '../prompt/visibility/notesOf';
import type { CollectedPage } from '../prompt/docsPage/collectPage';
import type { PromptDesk } from '../prompt/promptDesk';
import { documentNamed } from './namedPlace';

export interface DocumentationPageOptions {
  desk: PromptDesk;
  notesOf: NotesOf;
  lastEditor: LastEditor;
}

/** Adds the page at hand, with its documentation folder, to the prompt at hand. */
export async function addPage(options: DocumentationPageOptions, argument: unknown): Promise<void> {
  const page = await collect(options, argument);
  await (page && options.desk.add(page));
}

/** Begins the prompt of a job that brings the page at hand, or the section at the cursor, up to date. */
export async function updatePage(options: DocumentationPageOptions, argument: unknown): Promise<void> {
  const page = await collect(options, argument);
  if (page === undefined) {
    return;
  }
  const instruction = instructions.updatePage(page.path, page.section);
  if (page.seen === undefined) {
    await options.desk.begin({ ...page, instruction });
  } else {
    // What the agent finds just as it stands here need not go along.
    const notes = page.seen.map((note) => `- ${note}`).join('\n');
    await options.desk.begin({ ...page, blocks: [], instruction: `${instruction}\n\n${notes}` });
  }
}

async function collect(
  { notesOf, lastEditor }: DocumentationPageOptions,
  argument: unknown,
): Promise<(CollectedPage & { resource: vscode.Uri }) | undefined> {
  const document = await documentNamed(argument, lastEditor);
  if (document === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Open the documentation page in an editor first.'));
    return undefined;
  }
  const { collectPage } = await import('../prompt/docsPage/collectPage');
  return { ...(await collectPage(document, notesOf)), resource: document.uri };
}
