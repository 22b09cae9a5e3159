import * as vscode from 'vscode';
import { BUDGETS } from '../../../prompt/budgets';
import { type PageContext, pageContext } from '../../../prompt/docsSite/pageBlock';
import { elide } from '../../../prompt/elide';
import { toLabel } from '../../text';
import { filePlace } from '../context/filePlace';
import type { NotesOf } from '../context/notesOf';
import type { Collected } from '../promptDesk';
import { projectPage } from './projectFiles';

export interface CollectedPage extends Collected {
  /** As the prompt names it. */
  path: string;
  /** The headings that the cursor stands under, as one text. */
  section: string;
  /** What is known of the page, where the agent finds its text by itself, just as it stands here; undefined where not. */
  seen: readonly string[] | undefined;
}

/** A documentation page with its place in the docs tree, as it stands in the editor. */
export async function collectPage(document: vscode.TextDocument, notesOf: NotesOf): Promise<CollectedPage> {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  const project = projectPage(document.uri);
  const { languageId, uri } = document;
  const text = document.getText();
  const path = project?.path ?? filePlace(uri).path;
  const nowhere = { list: () => Promise.resolve([]), read: () => Promise.resolve(undefined) };
  const page = { path, text, languageId, line: editor?.selection.active.line };
  const [context, notes] = await Promise.all([pageContext(page, project?.files ?? nowhere), notesOf({ uri, text })]);
  const block = {
    ...context.block,
    notes: [...context.block.notes, ...notes],
    text: elide(context.block.text, BUDGETS.file),
  };
  const section = context.section.map((heading) => heading.text).join(' › ');
  const seen = notes.some((note) => note.startsWith('Permalink: ')) ? block.notes : undefined;
  return { blocks: [block], refused: problemOf(context), path, section, seen };
}

function problemOf({ problem }: PageContext): string[] {
  if (problem === undefined) {
    return [];
  }
  const reason = toLabel(problem.reason, 120);
  return [
    vscode.l10n.t(
      'The page’s place in the docs tree is not told, because {0} can’t be read: {1}.',
      problem.file,
      reason,
    ),
  ];
}
