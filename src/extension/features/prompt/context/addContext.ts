import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { minLength } from '../../../../base/lengthChecks';
import { addressShape, namedText, reader } from '../../../platform/commandArguments';
import { toNotice, toPickLabel } from '../../../platform/sanitize';
import type { Addition } from '../box/contextInserter';
import { promptFolder } from '../composer/promptFiles';
import type { PromptApp } from '../register';
import type { CompletionSource } from './contextCompletion';
import { type ContextKind, contextKinds, problemAddition } from './contextKinds';
import { filePlace, isOpenFile } from './places';
import { collectFiles } from './files';
import { fileAt, findFiles } from './findFiles';
import { allProblems, problemsOf } from './problems';

/** Maximum number of files in a completion list. */
const MAX_OFFERED = 50;

/** The menus of files pass one address, or those of all selected items. */
const readAddresses = reader(z.array(addressShape).check(minLength(1)));
const readPaths = reader(z.object({ paths: z.array(namedText).check(minLength(1)) }));

/** The files and folders that an argument names, by address or by workspace path. */
function readFiles(argument: unknown): NamedFiles | undefined {
  const uris = readAddresses(Array.isArray(argument) ? argument : [argument]);
  const paths = readPaths(argument)?.paths;
  return uris === undefined && paths === undefined ? undefined : { uris: uris ?? [], paths: paths ?? [] };
}

interface NamedFiles {
  uris: z.infer<typeof addressShape>[];
  paths: string[];
}

const problemsShape = z.object({ scope: z.enum(['selection', 'file', 'workspace']), uri: z.optional(addressShape) });
const readProblems = reader(problemsShape);
const readKind = reader(z.object({ kind: namedText, name: z.optional(namedText) }));
/** The text typed after a `#` in a prompt, to be replaced. */
const readWord = reader(
  z.object({ word: z.object({ uri: namedText, line: z.int(), start: z.int(), text: namedText }) }),
);
/**
 * Adds what the argument names, otherwise what the user picks: files by URI or path, problems by scope, a change, a
 * template by name, or a kind of context. The editor menu passes only the address of the open file, but the user may
 * mean the selection or the symbol, so there the user picks. The same goes for the title of a prompt.
 */
export async function addContext(parts: PromptApp, argument: unknown): Promise<void> {
  const options = { ...parts, inserter: parts.inserter.inPlaceOf(readWord(argument)?.word) };
  const files = readFiles(argument);
  const scope = readProblems(argument);
  const isPrompt = files?.uris.some((uri) => promptFolder(vscode.Uri.from(uri)) !== undefined) === true;
  if (files !== undefined && !isOpenFile(argument) && !isPrompt) {
    return addFiles(options, files);
  }
  if (scope !== undefined) {
    return addProblems(options, scope);
  }
  const { gatherChanges, readChange } = await import('../changes/changes');
  if (readChange(argument)?.kind !== undefined) {
    return put(options, gatherChanges(options.repositories, argument));
  }
  const given = readKind(argument);
  const name = given?.kind ?? (await pickKind(options));
  const kind = allKinds(options, given?.name).find((each) => each.name === name);
  if (name !== undefined && kind === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('There’s no context type named “{0}”.', toNotice(name, 40)));
  }
  await put(options, kind?.collect());
}

async function addFiles(options: PromptApp, given: NamedFiles): Promise<void> {
  const refused: string[] = [];
  const uris = given.uris.map((parts) => vscode.Uri.from(parts));
  for (const path of given.paths) {
    const uri = await fileAt(path);
    if (uri === undefined) {
      refused.push(vscode.l10n.t('“{0}” isn’t in the workspace. Open its folder first.', path));
    } else {
      uris.push(uri);
    }
  }
  const title = vscode.l10n.t('Reading files for the prompt…');
  const collected = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    collectFiles(uris, options.notesOf),
  );
  await put(options, { ...collected, refused: [...refused, ...collected.refused], resource: uris[0] });
}

async function addProblems(options: PromptApp, given: z.infer<typeof problemsShape>): Promise<void> {
  const editor = options.lastEditor.current;
  const uri = given.uri === undefined ? editor?.document.uri : vscode.Uri.from(given.uri);
  const inFile = uri === undefined ? [] : [problemsOf(uri, given.scope === 'selection' ? editor?.selections : [])];
  await put(options, problemAddition(given.scope === 'workspace' ? allProblems() : inFile, options.notesOf));
}

/** The source of completions in a prompt. */
export function completionSource(options: PromptApp): CompletionSource {
  return {
    kinds: () => allKinds(options),
    files: async (letters) => (await findFiles(letters, MAX_OFFERED)).map((uri) => filePlace(uri).path),
  };
}

/**
 * All kinds, including those that insert their text into the prompt themselves.
 *
 * @param templateName the template that is meant; the user picks one if it is undefined
 */
function allKinds(options: PromptApp, templateName?: string): ContextKind[] {
  const template: ContextKind = {
    name: 'template',
    label: vscode.l10n.t('Template…'),
    icon: 'notebook-template',
    available: () => vscode.l10n.t('a reusable prompt'),
    collect: async () => {
      const { insertTemplate } = await import('../templates/templates');
      await insertTemplate(options, templateName);
      return undefined;
    },
  };
  return [...contextKinds(options), template];
}

async function pickKind(options: PromptApp): Promise<string | undefined> {
  const kinds = allKinds(options).map(async ({ name, label, icon, available }) => {
    const there = await available();
    return there === undefined ? [] : [{ name, label: `$(${icon}) ${label}`, description: toPickLabel(there) }];
  });
  const title = vscode.l10n.t('Add context to the prompt');
  const placeHolder = vscode.l10n.t('It’s added to the prompt as text that you can edit before you send it');
  const rows = Promise.all(kinds).then((found) => found.flat());
  return (await vscode.window.showQuickPick(rows, { title, placeHolder }))?.name;
}

async function put(
  { inserter }: PromptApp,
  gathered: Promise<Addition | undefined> | Addition | undefined,
): Promise<void> {
  const addition = await gathered;
  await (addition && inserter.add(addition));
}
