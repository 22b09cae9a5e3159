import * as vscode from 'vscode';
import { toPickLabel } from '../text';
import { type Place, askPick } from './boxes';
import type { Choice, Facts, Flow } from './flow';
import { type Move, moveOf } from './move';

/** The first question: who runs the jobs. */
export async function askForService({ draft }: Flow, facts: Facts, present: Choice, place: Place): Promise<Move> {
  const items: (vscode.QuickPickItem & { value: Choice })[] = [
    {
      label: `$(cloud) ${vscode.l10n.t('Hosted service')}`,
      description: toPickLabel(new URL(facts.address).host),
      detail: vscode.l10n.t(
        'Needs a project ID and an API key of your organisation. Opens pull requests in its repository.',
      ),
      value: 'hosted',
    },
    {
      label: `$(device-desktop) ${vscode.l10n.t('Local service')}`,
      description:
        facts.blocked === undefined ? vscode.l10n.t('no account needed') : vscode.l10n.t('not in this window yet'),
      detail: vscode.l10n.t('Runs a coding agent that is installed here, in a private clone of the open repository.'),
      value: 'local',
    },
    {
      label: `$(server) ${vscode.l10n.t('Hosted service at another address…')}`,
      detail: vscode.l10n.t('The same service run by somebody else.'),
      value: 'other',
    },
  ];
  const placeholder = vscode.l10n.t(
    'Choose one. Nothing is changed before the last step, and Escape leaves everything as it was.',
  );
  const active = draft.service ?? present;
  const left = await askPick({
    ...place,
    title: vscode.l10n.t('Connect: who runs the jobs?'),
    placeholder,
    items,
    active,
  });
  return moveOf(left, (service) => (service === undefined ? {} : { service }));
}
