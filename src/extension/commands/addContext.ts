import * as vscode from 'vscode';
import type { CompletionSource } from '../prompt/context/contextCompletion';
import { collectFiles } from '../prompt/context/files';
import { type ContextParts, contextKinds, problemAddition } from '../prompt/context/contextKinds';
import { baseName, filePlace } from '../prompt/context/filePlace';
import { fileAt, findFiles } from '../prompt/context/findFiles';
import { allProblems, problemsOf } from '../prompt/context/problems';
import type { Addition, PromptDesk } from '../prompt/promptDesk';
import type { Logger } from '../../shared/util/logger';
import type { ContextKind } from '../prompt/context/contextKind';
import { toLabel, toPickLabel } from '../text';
import { readContextKind, readFiles, readProblems, readPromptWord } from './arguments';

export interface AddContextOptions extends ContextParts {
  desk: PromptDesk;
  log: Logger;
}

/** How many files the completion offers at once. */
const MAX_OFFERED = 50;

/** Adds context of the kind that is named, or else of one that the user picks among those that there is something of. */
export async function addContext(given: AddContextOptions, argument: unknown): Promise<void> {
  const options = { ...given, desk: given.desk.inPlaceOf(readPromptWord(argument)?.word) };
  const name = readContextKind(argument)?.kind ?? (await pickKind(options));
  const kind = allKinds(options).find((each) => each.name === name);
  if (name !== undefined && kind === undefined) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('There is no kind of context with the name “{0}”.', toLabel(name, 40)),
    );
  }
  await put(options, kind?.collect());
}

/** Adds files and folders that a menu or a program names, or else one that the user picks. */
export async function addFiles(options: AddContextOptions, argument: unknown): Promise<void> {
  const given = readFiles(argument);
  if (given === undefined) {
    return addContext(options, { kind: 'file' });
  }
  const refused: string[] = [];
  const uris = given.uris.map((parts) => vscode.Uri.from(parts));
  for (const path of given.paths) {
    const uri = await fileAt(path);
    if (uri === undefined) {
      refused.push(vscode.l10n.t('“{0}” is not in the workspace. Open its folder first.', path));
    } else {
      uris.push(uri);
    }
  }
  const title = vscode.l10n.t('Reading files for the prompt…');
  const collected = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    collectFiles(uris, options.notesOf),
  );
  const place = { ...options, desk: options.desk.inPlaceOf(readPromptWord(argument)?.word) };
  await put(place, { ...collected, refused: [...refused, ...collected.refused], resource: uris[0] });
}

/** Adds the problems of the selection, a file or all files, as named; asks where nothing is named and they differ. */
export async function addProblems(options: AddContextOptions, argument: unknown): Promise<void> {
  const given = readProblems(argument);
  const editor = options.lastEditor.current;
  const uri = given?.uri === undefined ? editor?.document.uri : vscode.Uri.from(given.uri);
  if (given === undefined) {
    return addContext(options, { kind: 'problems' });
  }
  const inFile = uri === undefined ? [] : [problemsOf(uri, given.scope === 'selection' ? editor?.selections : [])];
  await put(options, problemAddition(given.scope === 'workspace' ? allProblems() : inFile, options.notesOf));
}

/** What the completion in a prompt offers. */
export function completionSource(options: AddContextOptions): CompletionSource {
  return {
    kinds: () => allKinds(options),
    files: async (letters, token) => {
      const { uris } = await findFiles(letters, MAX_OFFERED, token);
      return uris.map((uri) => filePlace(uri).path);
    },
  };
}

/** Every kind, with those that put their text into the prompt by themselves. */
function allKinds(options: AddContextOptions): ContextKind[] {
  const template: ContextKind = {
    name: 'template',
    label: vscode.l10n.t('Template…'),
    icon: 'notebook-template',
    atHand: () => vscode.l10n.t('a prompt that is written already'),
    collect: async () => {
      const { insertTemplate } = await import('../prompt/templates/insertTemplate');
      await insertTemplate(options, undefined);
      return undefined;
    },
  };
  const page: ContextKind = {
    name: 'page',
    label: vscode.l10n.t('Documentation page'),
    icon: 'book',
    atHand: () => {
      const document = options.lastEditor.current?.document;
      const isPage = document !== undefined && /\.(mdx?|rst|adoc)$/i.test(document.uri.path);
      return isPage ? toLabel(baseName(document.uri), 40) : undefined;
    },
    collect: async () => {
      const { addPage } = await import('./documentationPage');
      await addPage(options, undefined);
      return undefined;
    },
  };
  return [...contextKinds(options), page, template];
}

async function pickKind(options: AddContextOptions): Promise<string | undefined> {
  const kinds = allKinds(options).map(async ({ name, label, icon, atHand }) => {
    const there = await atHand();
    return there === undefined ? [] : [{ name, label: `$(${icon}) ${label}`, description: toPickLabel(there) }];
  });
  const title = vscode.l10n.t('Add context to the prompt');
  const placeHolder = vscode.l10n.t('It goes into the prompt as text that you can change before you send it');
  const rows = Promise.all(kinds).then((found) => found.flat());
  return (await vscode.window.showQuickPick(rows, { title, placeHolder }))?.name;
}

async function put(
  { desk }: AddContextOptions,
  gathered: Promise<Addition | undefined> | Addition | undefined,
): Promise<void> {
  const addition = await gathered;
  await (addition && desk.add(addition));
}
