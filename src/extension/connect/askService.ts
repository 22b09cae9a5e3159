import * as vscode from 'vscode';
import { toPickLabel } from '../text';
import { type Place, askPick } from './boxes';
import type { Choice, Facts, Flow } from './flow';
import { type Move, moveOf } from './move';

const { t } = vscode.l10n;

/** The first question: who runs the jobs. */
export async function askForService({ draft }: Flow, facts: Facts, present: Choice, place: Place): Promise<Move> {
  const items: (vscode.QuickPickItem & { value: Choice })[] = [
    {
      label: `$(cloud) ${t('Hosted service')}`,
      description: toPickLabel(new URL(facts.address).host),
      detail: t('Needs a project ID and an API key of your organisation. Opens pull requests in its repository.'),
      value: 'hosted',
    },
    {
      label: `$(device-desktop) ${t('Local service')}`,
      description: facts.blocked === undefined ? t('no account needed') : t('not in this window yet'),
      detail: t('Runs a coding agent that is installed here, in a private clone of the open repository.'),
      value: 'local',
    },
    {
      label: `$(server) ${t('Hosted service at another address…')}`,
      detail: t('The same service run by somebody else.'),
      value: 'other',
    },
  ];
  const placeholder = t('Choose one. Nothing is changed before the last step, and Escape leaves everything as it was.');
  const active = draft.service ?? present;
  const left = await askPick({ ...place, title: t('Connect: who runs the jobs?'), placeholder, items, active });
  return moveOf(left, (service) => (service === undefined ? {} : { service }));
}
