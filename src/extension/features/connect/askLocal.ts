import * as vscode from 'vscode';
import type { AgentsAnswer, FoundAgent } from '../../../protocol/localService';
import { toPickLabel } from '../../platform/sanitize';
import { howToGet, installCommand, lacksAdapter, serviceText } from '../../presentation/serviceText';
import { settings } from '../../settings';
import { askPick, askText, CANCEL, type StepPosition, type StepResult, toStepResult } from './inputBoxes';
import { type Facts, type Flow, folderOf, type Problem } from './flow';

type Item = vscode.QuickPickItem & { value?: string };

/** Prefix of the pick values of missing agents. */
const MISSING = 'missing:';

/** Asks which of the installed agents to use; missing ones show how to get them. */
export async function askForAgent(
  flow: Flow,
  { agents, chosen }: AgentsAnswer,
  place: StepPosition,
): Promise<StepResult> {
  const found = agents.filter(({ path }) => path !== null);
  const missing = agents.filter(({ path }) => path === null);
  const present = settings.localJobs();
  const own: Item[] = present.command.length > 0 ? [ownProgram(present.command)] : [];
  const first = agents.find(({ name }) => name === chosen);
  const automatic: Item[] = first === undefined ? [] : [firstOf(first)];
  const items: Item[] = [
    ...automatic,
    ...own,
    ...headed(vscode.l10n.t('Installed'), found.map(installed)),
    ...headed(vscode.l10n.t('Not found'), missing.map(notFound)),
  ];
  const isNone = found.length === 0 && own.length === 0;
  const placeholder = isNone
    ? vscode.l10n.t('No coding agent is installed. Select one to see how to install it.')
    : vscode.l10n.t('Works in a private clone, not in your files.');
  const active = flow.draft.agent ?? present.agent;
  const title = flow.problem?.text ?? vscode.l10n.t('Choose a coding agent');
  const left = await askPick<string>({ ...place, title, placeholder, items, active });
  const name = left?.value?.startsWith(MISSING) === true ? left.value.slice(MISSING.length) : undefined;
  const wanted = missing.find((agent) => agent.name === name);
  return wanted === undefined
    ? toStepResult(left, (agent) => (agent === undefined ? {} : { agent }))
    : showHow(wanted, place);
}

/** Shows how to get an agent, for copying; Enter checks again. */
async function showHow(agent: FoundAgent, place: StepPosition): Promise<StepResult> {
  const told = serviceText(agent.coded, agent.how);
  const left = await askText({
    ...place,
    step: Math.max(place.step, 2),
    title: vscode.l10n.t('How to install {0}', agent.title),
    value: installCommand(agent) ?? told,
    prompt: vscode.l10n.t('{0} Then sign in once in a terminal, and press Enter to check again.', told),
    validate: () => undefined,
  });
  return left === undefined ? CANCEL : { way: 'retry', change: {} };
}

/** Shows what prevents the local service from running, and what the user can do about it. */
export async function askAtObstacle(
  { draft }: Flow,
  facts: Facts,
  problem: Problem,
  place: StepPosition,
): Promise<StepResult> {
  const { name } = folderOf(draft, facts);
  const leave = (command: string, argument?: unknown): StepResult => ({ way: 'leave', command, argument });
  const again = { label: `$(refresh) ${vscode.l10n.t('Retry')}`, value: { way: 'retry', change: {} } as StepResult };
  const help: Record<NonNullable<Problem['obstacle']>, (vscode.QuickPickItem & { value: StepResult })[]> = {
    remote: [
      {
        label: `$(gear) ${vscode.l10n.t('Run Extension on the Remote')}`,
        description: 'remote.extensionKind',
        value: leave('workbench.action.openSettings', 'remote.extensionKind'),
      },
    ],
    untrusted: [
      { label: `$(shield) ${vscode.l10n.t('Manage Workspace Trust')}`, value: leave('workbench.trust.manage') },
      again,
    ],
    noFolder: [{ label: `$(folder-opened) ${vscode.l10n.t('Open Folder…')}`, value: leave('vscode.openFolder') }],
    repository: [
      again,
      {
        label: `$(source-control) ${vscode.l10n.t('Initialize {0} as Repository', toPickLabel(name))}`,
        value: leave('git.init'),
      },
      { label: `$(source-control) ${vscode.l10n.t('Open Source Control')}`, value: leave('workbench.view.scm') },
      { label: `$(folder-opened) ${vscode.l10n.t('Open Folder…')}`, value: leave('vscode.openFolder') },
    ],
    notStarted: [again, { label: `$(output) ${vscode.l10n.t('Show Log')}`, value: leave('docsAgent.showLog') }],
  };
  const title = vscode.l10n.t('The local service isn’t available yet');
  const items = help[problem.obstacle ?? 'notStarted'];
  const left = await askPick<StepResult>({
    ...place,
    title,
    placeholder: toPickLabel(problem.text),
    items,
  });
  if (left?.way === 'back') {
    return { way: 'back', change: {} };
  }
  return left?.value ?? CANCEL;
}

function headed(label: string, items: readonly Item[]): Item[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function firstOf({ title }: FoundAgent): Item {
  return {
    label: `$(check) ${vscode.l10n.t('Automatic')}`,
    description: toPickLabel(vscode.l10n.t('currently {0}', title)),
    value: 'auto',
  };
}

function ownProgram(command: readonly string[]): Item {
  return {
    label: `$(settings-gear) ${vscode.l10n.t('Custom command')}`,
    detail: toPickLabel(command.join(' ')),
    value: 'custom',
  };
}

function installed({ name, title, path }: FoundAgent): Item {
  return { label: `$(terminal) ${toPickLabel(title)}`, detail: toPickLabel(path ?? ''), value: name };
}

/** Does not say that it is missing, because the heading does and a row has room for one line. */
function notFound(agent: FoundAgent): Item {
  const { name, title, coded, how } = agent;
  return {
    label: `$(circle-slash) ${toPickLabel(title)}`,
    detail: toPickLabel(lacksAdapter(agent) ? serviceText(coded, how) : howToGet(agent)),
    value: MISSING + name,
  };
}
