import * as vscode from 'vscode';
import { contextWord } from '../../../../prompt/contextBlock';
import type { PromptWord } from '../box/contextInserter';
import { PROMPT_LANGUAGE } from '../composer/promptFiles';
import type { ContextKind } from './contextKinds';

/** What the completion needs from modules that are loaded lazily. */
export interface CompletionSource {
  kinds: () => readonly ContextKind[];
  /** Returns paths of files that contain the letters, as a prompt names them. */
  files: (letters: string) => Promise<string[]>;
}

/** Completes kinds of context and file names after a `#` in a prompt. */
export class ContextCompletion implements vscode.CompletionItemProvider, vscode.Disposable {
  private readonly owned = vscode.languages.registerCompletionItemProvider({ language: PROMPT_LANGUAGE }, this, '#');
  readonly dispose = (): unknown => this.owned.dispose();

  constructor(private readonly source: () => Promise<CompletionSource>) {}

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.CompletionList | undefined> {
    const above = document.getText(new vscode.Range(0, 0, position.line, 0)).split(/\r?\n/);
    const before = document.lineAt(position).text.slice(0, position.character);
    const word = contextWord(above, before);
    if (word === undefined) {
      return undefined;
    }
    const range = new vscode.Range(position.with({ character: word.start }), position);
    const typed = { uri: document.uri.toString(), line: position.line, start: word.start, text: `#${word.letters}` };
    const source = await this.source();
    const [kinds, files] = await Promise.all([
      Promise.all(source.kinds().map((kind) => kindItem(kind, range, typed))),
      word.letters === '' ? [] : source.files(word.letters),
    ]);
    // At the start of a line, the first item is a plain Markdown heading, so that Enter does what it usually does
    // there.
    const heading = word.canBeHeading ? [headingItem(range)] : [];
    const items = [...heading, ...kinds.flat(), ...files.map((path) => fileItem(path, range, typed))];
    return new vscode.CompletionList(
      items.map((item, index) => Object.assign(item, { sortText: String(index).padStart(5, '0') })),
      true,
    );
  }
}

function headingItem(range: vscode.Range): vscode.CompletionItem {
  const label = { label: '#', description: vscode.l10n.t('heading') };
  const item = new vscode.CompletionItem(label, vscode.CompletionItemKind.Text);
  return Object.assign(item, { range, insertText: '# ', preselect: true });
}

/** Returns an empty list when nothing of this kind is available. */
async function kindItem(kind: ContextKind, range: vscode.Range, word: PromptWord): Promise<vscode.CompletionItem[]> {
  const description = await kind.available();
  if (description === undefined) {
    return [];
  }
  const item = new vscode.CompletionItem({ label: `#${kind.name}`, description }, vscode.CompletionItemKind.Reference);
  const command = { command: 'docsAgent.addContext', title: kind.label, arguments: [{ kind: kind.name, word }] };
  return [replacing(item, range, command, word)];
}

function fileItem(path: string, range: vscode.Range, word: PromptWord): vscode.CompletionItem {
  const name = path.split('/').at(-1) ?? path;
  const label = { label: `#${name}`, description: path };
  const item = new vscode.CompletionItem(label, vscode.CompletionItemKind.File);
  item.filterText = `#${path}`;
  const command = { command: 'docsAgent.addContext', title: path, arguments: [{ paths: [path], word }] };
  return replacing(item, range, command, word);
}

/** Keeps the word until the command replaces it, so that cancelling loses nothing. */
function replacing(
  item: vscode.CompletionItem,
  range: vscode.Range,
  command: vscode.Command,
  { text }: PromptWord,
): vscode.CompletionItem {
  return Object.assign(item, { range, insertText: text, command });
}
