import * as vscode from 'vscode';
import type { AgentsAnswer } from '../../protocol/localService';
import { SETTINGS, SETTINGS_SECTION } from '../ids';
import { settings } from '../settings';
import { serviceText } from './serviceText';

/** Which agents run in a sandbox, and if none does, why. */
export function sandboxText({ sandbox }: Pick<AgentsAnswer, 'sandbox'>): string {
  const { confine } = settings.localJobs();
  const setting = `${SETTINGS_SECTION}.${SETTINGS.confine}`;
  if (confine === 'off') {
    return vscode.l10n.t('Agents run without a sandbox, as set in {0}.', setting);
  }
  if (sandbox === null) {
    return confine === 'require'
      ? vscode.l10n.t('Agents run in a sandbox.')
      : vscode.l10n.t('Agents that were tested in the sandbox run in it.');
  }
  const why = serviceText(sandbox.coded, sandbox.why);
  return confine === 'require'
    ? vscode.l10n.t('Agents can’t run without the sandbox, as set in {0}. {1}', setting, why)
    : vscode.l10n.t('Agents run without a sandbox. {0}', why);
}
