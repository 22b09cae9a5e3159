import type * as vscode from 'vscode';
import { formatPage, pageTitle } from '../../../../prompt/docsPage';
import { instructions } from '../../../../prompt/instructions';
import type { Addition } from '../box/contextInserter';
import { filePlace } from './filePlace';
import { whyLeftOut } from './files';
import type { NotesOf } from './permalinks';

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
    return { blocks: [], refused: [leftOut.sentence(path)] };
  }
  const all = [...notes, ...(await notesOf({ uri }))].map((note) => `- ${note}`);
  const parts = [
    render(formatPage(path, pageTitle(document.getText()))),
    ...(all.length === 0 ? [] : [all.join('\n')]),
  ];
  return { instruction: parts.join('\n\n'), blocks: [], refused: [], resource: uri };
}
