import * as vscode from 'vscode';
import type { Snapshot } from '../../jobs/events';
import { type CodedText, renderText } from '../../protocol/codedText';
import type { FoundAgent } from '../../protocol/localService';
import { DEMO_AGENT } from '../../protocol/localIds';

/**
 * Renders a text of the service in the editor's language; not escaped for any sink.
 *
 * @param plain the service's own words, used if there is no code or the code is from a newer version
 */
export function serviceText(coded: CodedText | undefined, plain: string | null | undefined): string {
  return (coded && renderText(coded, translate)) ?? plain ?? '';
}

/** Inserts the values into an English text of the service or the check, in the editor's language. */
export function translate(message: string, args: Readonly<Record<string, string>>): string {
  return vscode.l10n.t({ message, args, comment: 'service' });
}

/** Why a job failed; empty for a job that did not fail. */
export function failureText(snapshot: Snapshot | undefined): string {
  const reported = serviceText(snapshot?.coded?.error, snapshot?.error);
  const isFailed = snapshot?.status === 'failed' && snapshot.stopped !== true;
  return reported === '' && isFailed ? vscode.l10n.t('The service gave no reason.') : reported;
}

/** What the user should know about a job's result; empty if nothing. */
export function noteText(snapshot: Snapshot | undefined): string {
  return serviceText(snapshot?.coded?.note, snapshot?.note);
}

/** The name of an agent in lists. */
export function agentName({ name, title }: FoundAgent): string {
  return name === DEMO_AGENT ? vscode.l10n.t('Demo agent (fixed rules, no model)') : title;
}

/** How to get a missing agent. That it is missing is said only with its adapter, a name that nobody knows. */
export function howToGet(agent: FoundAgent): string {
  const { coded, how } = agent;
  return serviceText(coded?.code === 'agentNotInstalled' ? partToGet(agent) : coded, how);
}

/** The command that installs an agent; undefined if there is none. */
export function installCommand(agent: FoundAgent): string | undefined {
  const command = partToGet(agent)?.params?.['command'];
  return typeof command === 'string' ? command : undefined;
}

function partToGet({ coded }: FoundAgent): CodedText | undefined {
  const get = coded?.params?.['get'];
  return typeof get === 'object' ? get : undefined;
}
