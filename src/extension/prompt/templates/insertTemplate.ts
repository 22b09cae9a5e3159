import * as vscode from 'vscode';
import { renderBlock } from '../../../prompt/contextBlock';
import { asksOf } from '../../../prompt/template/asks';
import { fillTemplate, namesOf } from '../../../prompt/template/fillTemplate';
import { type Template, parseTemplate } from '../../../prompt/template/parseTemplate';
import type { ContextVariable, ValueVariable } from '../../../prompt/template/variables';
import type { Logger } from '../../../shared/util/logger';
import { toNotice } from '../../text';
import { type ContextParts, contextKinds } from '../context/contextKinds';
import type { PromptDesk } from '../promptDesk';
import { readAllTemplates } from './allTemplates';
import { askAnswers } from './askAnswers';
import { confirmProblems } from './confirmProblems';
import { openTemplate, pickTemplate } from './pickTemplate';
import type { PromptTemplate } from './promptTemplate';
import { shippedWords } from './shippedWords';
import { type ValueSources, missingValue, valueOf } from './templateValues';

export interface InsertTemplateOptions extends ContextParts {
  desk: PromptDesk;
  log: Logger;
}

/** Puts a template into the prompt at hand, or into that of a new job, with its variables filled in. Cancelled, it leaves all as it is. */
export async function insertTemplate(options: InsertTemplateOptions, name: string | undefined): Promise<void> {
  const found = await readAllTemplates(options.log);
  if (name !== undefined) {
    const named = found.templates.find((each) => each.name === name);
    if (named === undefined) {
      void vscode.window.showWarningMessage(
        toNotice(vscode.l10n.t('There is no template “{0}”. Check its name.', name)),
        vscode.l10n.t('OK'),
      );
      return;
    }
    await insert(options, named, false);
    return;
  }
  for (let picked = await pickTemplate(found); picked !== undefined; picked = await pickTemplate(found)) {
    if ((await insert(options, picked, true)) !== 'back') {
      return;
    }
  }
}

async function insert(
  options: InsertTemplateOptions,
  chosen: PromptTemplate,
  mayLeave: boolean,
): Promise<'back' | undefined> {
  const template = parseTemplate(chosen.text);
  const resource = options.lastEditor.current?.document.uri;
  const decision = await confirmProblems(chosen, template);
  if (decision !== 'insert') {
    await (decision === 'open' && openTemplate(chosen));
    return undefined;
  }
  const values = await valuesFor(options, template);
  const contexts = values && (await contextsFor(options, template));
  const inWords = chosen.source === 'shipped' ? shippedWords() : undefined;
  const title = inWords?.(chosen.name) ?? chosen.name;
  const asks = asksOf(template);
  const place = contexts && (asks.length === 0 ? 'atHand' : await options.desk.choosePlace(resource));
  if (values === undefined || contexts === undefined || place === undefined) {
    return undefined;
  }
  const answers = await askAnswers(title, asks, mayLeave, inWords);
  if (answers === 'cancelled') {
    return undefined;
  }
  if (answers === 'back') {
    return 'back';
  }
  const instruction = fillTemplate(template, { values, contexts: contexts.texts, answers });
  const told = values.file === undefined ? [] : [fullPathTold()];
  await options.desk.add({ instruction, blocks: [], refused: [...contexts.refused, ...told], resource }, place);
  return undefined;
}

/** Undefined when one is missing, which the user was told: a prompt with a hole in it helps nobody. */
async function valuesFor(
  sources: ValueSources,
  template: Template,
): Promise<Partial<Record<ValueVariable, string>> | undefined> {
  const values: Partial<Record<ValueVariable, string>> = {};
  for (const name of namesOf(template, 'value')) {
    const value = await valueOf(sources, name);
    if (value === undefined || value === '') {
      tell(missingValue(name));
      return undefined;
    }
    values[name] = value;
  }
  return values;
}

/** As everywhere in the editor `${file}` is the full path, which names folders of this machine and maybe its user. */
function fullPathTold(): string {
  return vscode.l10n.t(
    'The full path of the file on this machine is now in the prompt. “relativeFile” gives the path in the workspace.',
  );
}

interface Contexts {
  texts: Partial<Record<ContextVariable, string>>;
  refused: string[];
}

/** Undefined when one is missing, which the user was told, or when the user cancelled. */
async function contextsFor(options: ContextParts, template: Template): Promise<Contexts | undefined> {
  const contexts: Contexts = { texts: {}, refused: [] };
  const kinds = contextKinds(options);
  for (const name of namesOf(template, 'context')) {
    const kind = kinds.find((each) => each.name === name);
    if (kind === undefined || (await kind.atHand()) === undefined) {
      tell(missingContext(name));
      return undefined;
    }
    const collected = await kind.collect();
    if (collected === undefined) {
      return undefined;
    }
    if (collected.blocks.length === 0) {
      tell(collected.refused.join(' ') || missingContext(name));
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
      return vscode.l10n.t('Nothing is selected. Select the text that the prompt is about first.');
    case 'symbol':
      return vscode.l10n.t(
        'There is no symbol at the cursor. Put the cursor into the one that the prompt is about first.',
      );
    case 'changes':
      return vscode.l10n.t('There are no changes here that the prompt could be about. Change something first.');
  }
}

function tell(why: string): void {
  void vscode.window.showWarningMessage(
    toNotice(vscode.l10n.t('{0} Nothing was inserted.', why), 400),
    vscode.l10n.t('OK'),
  );
}
