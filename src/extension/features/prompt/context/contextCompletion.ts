import * as vscode from 'vscode';
import { contextWord } from '../../../../prompt/contextBlock';
import { COMMANDS } from '../../../ids';
import type { PromptWord } from '../box/promptDesk';
import { COMPOSER_SCHEME } from '../composer/composerTarget';
import type { ContextKind } from './contextKinds';

/** What the completion needs of the rooms that are loaded late. */
export interface CompletionSource {
  kinds: () => readonly ContextKind[];
  /** Paths of files that hold the letters, as a prompt names them. */
  files: (letters: string, token: vscode.CancellationToken) => Promise<string[]>;
}

/** Offers the kinds of context, and files by their names, where a `#` is typed in a prompt. */
export class ContextCompletion implements vscode.CompletionItemProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly source: () => Promise<CompletionSource>) {
    this.registration = vscode.languages.registerCompletionItemProvider({ scheme: COMPOSER_SCHEME }, this, '#');
  }

  dispose(): void {
    this.registration.dispose();
  }

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
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
      word.letters === '' ? [] : source.files(word.letters, token),
    ]);
    // What a `#` at the beginning of a line is by itself comes first: Enter does to a heading what it always does.
    const heading = word.canBeHeading ? [headingItem(range)] : [];
    const items = [...heading, ...kinds.flat(), ...files.map((path) => fileItem(path, range, typed))];
    return new vscode.CompletionList(
      items.map((item, index) => Object.assign(item, { sortText: String(index).padStart(5, '0') })),
      true,
    );
  }
}

function headingItem(range: vscode.Range): vscode.CompletionItem {
  const item = new vscode.CompletionItem(
    { label: '#', description: vscode.l10n.t('heading') },
    vscode.CompletionItemKind.Text,
  );
  item.range = range;
  item.insertText = '# ';
  item.preselect = true;
  return item;
}

/** Nothing where there is nothing of the kind now. */
async function kindItem(kind: ContextKind, range: vscode.Range, word: PromptWord): Promise<vscode.CompletionItem[]> {
  const description = await kind.atHand();
  if (description === undefined) {
    return [];
  }
  const item = new vscode.CompletionItem({ label: `#${kind.name}`, description }, vscode.CompletionItemKind.Reference);
  const command = { command: COMMANDS.addContext, title: kind.label, arguments: [{ kind: kind.name, word }] };
  return [replacing(item, range, command, word)];
}

function fileItem(path: string, range: vscode.Range, word: PromptWord): vscode.CompletionItem {
  const name = path.split('/').at(-1) ?? path;
  const label = { label: `#${name}`, description: path };
  const item = new vscode.CompletionItem(label, vscode.CompletionItemKind.File);
  item.filterText = `#${path}`;
  const command = { command: COMMANDS.addContext, title: path, arguments: [{ paths: [path], word }] };
  return replacing(item, range, command, word);
}

/** The word stays until the command puts what it stands for in its place: nothing is lost when that is cancelled. */
function replacing(
  item: vscode.CompletionItem,
  range: vscode.Range,
  command: vscode.Command,
  { text }: PromptWord,
): vscode.CompletionItem {
  item.range = range;
  item.insertText = text;
  item.command = command;
  return item;
}
