import * as vscode from 'vscode';
import { DEFAULT_ORIGIN, keyProblem, serviceName } from '../../platform/apiKeys';
import { keyBoxText, keyProblemText } from '../../platform/keyPrompt';
import { toPickLabel } from '../../platform/sanitize';
import { parseBaseUrl } from '../../platform/baseUrl';
import { addressProblemText, projectIdProblem, projectIdPrompt } from '../../sending/projects';
import { askPick, askText, CANCEL, type StepPosition, type StepResult, toStepResult } from './inputBoxes';
import { addressOf, type Draft, type Facts, type Flow, folderOf, hostedOf, projectOf, type Scope } from './flow';

/** Asks for the address of another hosted service. */
export async function askForAddress({ draft, problem }: Flow, place: StepPosition): Promise<StepResult> {
  const left = await askText({
    ...place,
    title: vscode.l10n.t('URL of the hosted service'),
    value: draft.address,
    prompt: vscode.l10n.t(
      'Enter a URL that starts with https:// (http:// for this machine only). The API key is sent only to this URL.',
    ),
    placeholder: 'https://docs-agent.example.com',
    problem: problem?.text,
    button: keepButton(problem?.canKeep),
    validate: (value) => {
      const url = parseBaseUrl(value.trim());
      return 'problem' in url ? addressProblemText(url.problem) : undefined;
    },
  });
  return toStepResult(left, (address) => ({ address }));
}

/** Asks which of several folders to set up. */
export async function askForFolder({ draft }: Flow, facts: Facts, place: StepPosition): Promise<StepResult> {
  const items = facts.folders.map(({ id, name, project }) => ({
    label: toPickLabel(name),
    description: project === '' ? '' : toPickLabel(vscode.l10n.t('project {0}', project)),
    value: id,
  }));
  const placeholder = vscode.l10n.t('Folders can have different projects. The others stay as they are.');
  const active = draft.folder ?? facts.folders[0].id;
  const left = await askPick({
    ...place,
    title: vscode.l10n.t('Select a folder to set up'),
    placeholder,
    items,
    active,
  });
  return toStepResult(left, (folder) => (folder === undefined ? {} : { folder }));
}

/** Asks for the project ID. */
export async function askForProjectId(
  { draft, problem }: Flow,
  facts: Facts,
  place: StepPosition,
): Promise<StepResult> {
  const { id, name } = folderOf(draft, facts);
  const left = await askText({
    ...place,
    title: id === '' ? vscode.l10n.t('Project for new jobs') : vscode.l10n.t('Project for new jobs in {0}', name),
    value: projectOf(draft, facts),
    prompt: projectIdPrompt(hostedOf(draft, facts)?.origin ?? DEFAULT_ORIGIN),
    problem: problem?.text,
    button: keepButton(problem?.canKeep),
    validate: (value) => projectIdProblem(value.trim()),
  });
  return toStepResult(left, (value) => ({ projects: { ...draft.projects, [id]: value } }));
}

/** Asks in which settings to save the project ID. */
export async function askForScope({ draft }: Flow, facts: Facts, place: StepPosition): Promise<StepResult> {
  const { name, scopes } = folderOf(draft, facts);
  const words: Record<Scope, vscode.QuickPickItem> = {
    folder: {
      label: vscode.l10n.t('For this folder'),
      description: '.vscode/settings.json',
      // A repository can't choose the service, so the URL is only in the settings of the user.
      detail: toPickLabel(
        hostedOf(draft, facts)?.origin === DEFAULT_ORIGIN
          ? vscode.l10n.t('Used for new jobs in {0}, by everyone who shares this file.', name)
          : vscode.l10n.t('Used by everyone who shares this file. They enter the service’s URL themselves.'),
      ),
    },
    workspace: {
      label: vscode.l10n.t('For this workspace'),
      description: vscode.l10n.t('workspace file'),
      detail: vscode.l10n.t(
        'Used for new jobs in all folders of this workspace, unless a folder sets another project.',
      ),
    },
    user: {
      label: vscode.l10n.t('For all my folders'),
      description: vscode.l10n.t('user settings'),
      detail: vscode.l10n.t('Used for new jobs in all folders, unless a folder sets another project.'),
    },
  };
  const items = scopes.map((value) => ({ ...words[value], value }));
  const title = vscode.l10n.t('Save project {0} for…', projectOf(draft, facts));
  const placeholder = vscode.l10n.t('Saved after the connection test.');
  const left = await askPick<Scope>({ ...place, title, placeholder, items, active: draft.scope });
  return toStepResult(left, (scope) => (scope === undefined ? {} : { scope }));
}

/** Asks for the key in a masked box. If one is already stored, an empty box keeps it. */
export async function askForKey({ draft, problem }: Flow, facts: Facts, place: StepPosition): Promise<StepResult> {
  const origin = hostedOf(draft, facts)?.origin;
  if (origin === undefined) {
    return CANCEL;
  }
  const isStored = facts.storedKeys.has(origin);
  const left = await askText({
    ...place,
    title: vscode.l10n.t('API key for {0}', serviceName(origin)),
    value: draft.keys[origin] ?? '',
    prompt: isStored
      ? vscode.l10n.t('A key for {0} is already saved. Leave empty to keep it, or paste a new one.', origin)
      : keyBoxText(origin),
    placeholder: isStored ? vscode.l10n.t('Leave empty to keep the saved key') : '',
    password: true,
    problem: problem?.text,
    button: keepButton(problem?.canKeep),
    validate: (value) => (value === '' && isStored ? undefined : keyProblemText(keyProblem(value, origin))),
  });
  return toStepResult(left, (key) => ({ keys: { ...draft.keys, [origin]: key } }));
}

/** The name of the draft's hosted service. */
export function hostedName(draft: Draft, facts: Facts): string {
  const hosted = hostedOf(draft, facts);
  return hosted === undefined ? addressOf(draft, facts) : serviceName(hosted.origin);
}

function keepButton(canKeep: boolean | undefined): vscode.QuickInputButton | undefined {
  const button = { iconPath: new vscode.ThemeIcon('save'), tooltip: vscode.l10n.t('Save Without Testing') };
  return canKeep === true ? button : undefined;
}
