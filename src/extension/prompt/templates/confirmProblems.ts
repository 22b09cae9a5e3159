import * as vscode from 'vscode';
import { nearestVariable } from '../../../prompt/template/nearestVariable';
import type { Template } from '../../../prompt/template/parseTemplate';
import { toLabel, toPickLabel } from '../../text';
import type { PromptTemplate } from './promptTemplate';
import { templateProblemText } from './templateWords';

/** Tells what of a template is no variable although it looks like one, before anything is inserted. */
export async function confirmProblems(
  { name, text, uri }: PromptTemplate,
  { problems }: Template,
): Promise<'insert' | 'open' | undefined> {
  if (problems.length === 0) {
    return 'insert';
  }
  type Item = vscode.QuickPickItem & { decision?: 'insert' | 'open' };
  const items: Item[] = [
    {
      label: vscode.l10n.t('Insert it as it is'),
      description: vscode.l10n.t('these places stay in the text'),
      decision: 'insert',
    },
    { label: uri === undefined ? vscode.l10n.t('Open the setting') : vscode.l10n.t('Open the file'), decision: 'open' },
    { label: vscode.l10n.t('what looks like a variable and is none'), kind: vscode.QuickPickItemKind.Separator },
    ...problems.map((problem) => ({
      label: toPickLabel(text.slice(problem.start, problem.end)),
      detail: toPickLabel(templateProblemText(problem, nearestVariable(problem.name))),
      decision: 'open' as const,
    })),
  ];
  const placeHolder =
    problems.length === 1
      ? vscode.l10n.t('1 place of it is not filled in')
      : vscode.l10n.t('{0} places of it are not filled in', problems.length);
  const picked = await vscode.window.showQuickPick(items, {
    title: toLabel(name, 80),
    placeHolder,
    ignoreFocusOut: true,
  });
  return picked?.decision;
}
