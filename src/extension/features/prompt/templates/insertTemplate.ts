import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import { renderBlock } from '../../../../prompt/contextBlock';
import {
  type ContextVariable,
  fillTemplate,
  parseTemplate,
  type Question,
  type TemplatePiece,
  type ValueVariable,
} from '../../../../prompt/promptTemplate';
import { toNotice } from '../../../platform/sanitize';
import type { ContextInserter } from '../box/contextInserter';
import type { Composer } from '../composer/composer';
import { contextKinds, type ContextParts } from '../context/contextKinds';
import { filePlace } from '../context/filePlace';
import { findTemplates, type PromptTemplate, translateShipped } from './findTemplates';
import { pickTemplate } from './pickTemplate';

export interface InsertTemplateOptions extends ContextParts {
  composer: Pick<Composer, 'active'>;
  desk: ContextInserter;
  log: Logger;
}

/**
 * Inserts a template, with its variables filled in, into the current prompt or into that of a new job. Changes nothing
 * when cancelled.
 */
export async function insertTemplate(options: InsertTemplateOptions, name: string | undefined): Promise<void> {
  const found = await findTemplates(options.log);
  const create = async (): Promise<void> => (await import('./createTemplate')).createTemplate(options.composer);
  const chosen =
    name === undefined ? await pickTemplate(found, create) : found.templates.find((each) => each.name === name);
  if (chosen !== undefined) {
    await insert(options, chosen);
  } else if (name !== undefined) {
    // Not awaited: the notification may stay for hours, and a key binding or a task may have given the name.
    void offerOthers(options, name).catch((error: unknown) =>
      options.log.error('couldn’t insert another template', error),
    );
  }
}

async function offerOthers(options: InsertTemplateOptions, name: string): Promise<void> {
  const choose = vscode.l10n.t('Choose Template…');
  const text = toNotice(vscode.l10n.t('There’s no template “{0}”.', name));
  if ((await vscode.window.showWarningMessage(text, choose)) === choose) {
    await insertTemplate(options, undefined);
  }
}

async function insert(options: InsertTemplateOptions, { text, source }: PromptTemplate): Promise<void> {
  const pieces = parseTemplate(text);
  const resource = options.lastEditor.current?.document.uri;
  const values = await valuesFor(options, pieces);
  const contexts = values && (await contextsFor(options, pieces));
  if (values === undefined || contexts === undefined) {
    return;
  }
  const parts = fillTemplate(pieces, { values, contexts: contexts.texts });
  const fullPath = values.file === undefined ? [] : [fullPathTold()];
  const refused = [...contexts.refused, ...fullPath];
  const instruction = parts.every((part) => typeof part === 'string')
    ? parts.join('')
    : snippetOf(parts, source === 'shipped' ? translateShipped : String);
  await options.desk.add({ instruction, blocks: [], refused, resource });
}

/** Questions become snippet placeholders and choices; equal ones are linked. */
export function snippetOf(
  parts: readonly (string | Question)[],
  translate: (question: string) => string,
): vscode.SnippetString {
  const snippet = new vscode.SnippetString();
  const numbers = new Map<string, number>();
  for (const part of parts) {
    if (typeof part === 'string') {
      snippet.appendText(part);
      continue;
    }
    const key = JSON.stringify(part);
    const known = numbers.get(key);
    const number = known ?? numbers.size + 1;
    numbers.set(key, number);
    if (known !== undefined) {
      snippet.appendTabstop(number);
    } else if (part.kind === 'input') {
      snippet.appendPlaceholder((nested) => nested.appendText(translate(part.question)), number);
    } else {
      snippet.appendChoice([...part.choices], number);
    }
  }
  return snippet;
}

/** Undefined when a value is missing, after telling the user: a prompt with a gap is of no use. */
async function valuesFor(
  options: InsertTemplateOptions,
  pieces: readonly TemplatePiece[],
): Promise<Partial<Record<ValueVariable, string>> | undefined> {
  const values: Partial<Record<ValueVariable, string>> = {};
  for (const name of new Set(pieces.flatMap((piece) => (piece.kind === 'value' ? [piece.name] : [])))) {
    const value = await valueOf(options, name);
    if (value === undefined || value === '') {
      showNotInserted(missingValue(name));
      return undefined;
    }
    values[name] = value;
  }
  return values;
}

/**
 * As everywhere in VS Code, `${file}` is the full path, which reveals folder names of this machine and possibly the
 * user's name.
 */
function fullPathTold(): string {
  return vscode.l10n.t(
    'The prompt now contains the file’s full path on this machine. To use the workspace path instead, use “relativeFile”.',
  );
}

interface Contexts {
  texts: Partial<Record<ContextVariable, string>>;
  refused: string[];
}

/** Undefined when context is missing, after telling the user, or when the user cancelled. */
async function contextsFor(options: ContextParts, pieces: readonly TemplatePiece[]): Promise<Contexts | undefined> {
  const contexts: Contexts = { texts: {}, refused: [] };
  const kinds = contextKinds(options);
  for (const name of new Set(pieces.flatMap((piece) => (piece.kind === 'context' ? [piece.name] : [])))) {
    const kind = kinds.find((each) => each.name === name);
    if (kind === undefined || (await kind.atHand()) === undefined) {
      showNotInserted(missingContext(name));
      return undefined;
    }
    const collected = await kind.collect();
    if (collected === undefined) {
      return undefined;
    }
    if (collected.blocks.length === 0) {
      showNotInserted(collected.refused.join(' ') || missingContext(name));
      return undefined;
    }
    contexts.texts[name] = collected.blocks.map(renderBlock).join('\n\n');
    contexts.refused.push(...collected.refused);
  }
  return contexts;
}

function missingContext(name: ContextVariable): string {
  switch (name) {
    case 'selection':
      return vscode.l10n.t('Nothing is selected. Select the text for the prompt first.');
    case 'symbol':
      return vscode.l10n.t('There’s no symbol at the cursor. Place the cursor on the symbol for the prompt first.');
    case 'changes':
      return vscode.l10n.t('There are no changes for the prompt. Change something first.');
  }
}

function showNotInserted(why: string): void {
  void vscode.window.showWarningMessage(toNotice(vscode.l10n.t('{0} Nothing was inserted.', why), 400));
}

/** Returns the value of a variable; undefined when it has none. */
async function valueOf({ lastEditor, repositories }: ContextParts, name: ValueVariable): Promise<string | undefined> {
  const uri = lastEditor.current?.document.uri;
  switch (name) {
    case 'file':
      return uri && oneLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
    case 'relativeFile':
      return uri && oneLine(filePlace(uri).path);
    case 'branch': {
      const place = uri?.scheme === 'file' ? uri : vscode.workspace.workspaceFolders?.[0]?.uri;
      return place && (await repositories.holding(place))?.state.HEAD?.name;
    }
  }
}

/** Tells the user what to do when a variable has no value. */
function missingValue(name: ValueVariable): string {
  return name === 'branch'
    ? vscode.l10n.t(
        'No branch is checked out here, or the Git extension doesn’t know about it. Check out a branch first.',
      )
    : vscode.l10n.t('Open the file for the prompt first.');
}

/** A path may contain a line break, which would let it inject further lines into the prompt. */
function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, ' ');
}
