import * as vscode from 'vscode';
import type { App } from '../../app';
import { toLabel, toNotice } from '../../platform/sanitize';
import type { Proof } from '../../platform/serviceAccess';
import { ask, getStepPosition } from './ask';
import { hostedName } from './askHosted';
import { checkHosted, gatherFacts } from './check';
import {
  back,
  begin,
  type Draft,
  type Facts,
  failed,
  type Flow,
  keep,
  keepUnchecked,
  next,
  type Problem,
  projectOf,
  retry,
} from './flow';
import { showProgressBox } from './inputBoxes';
import { checkLocal, type LocalProject, writeHosted, writeLocal } from './localProjects';

/** How the flow starts. */
export interface WizardStart {
  /** Already answered; the user can go back to it. */
  service?: 'hosted' | 'local' | undefined;
  /** The folder that a command applies to, if several are open. */
  folder?: string | undefined;
  /** Another command continues afterwards, so no notification offers the first job. */
  goesOn?: boolean;
}

/**
 * Runs the setup: service, project, key, or the local agent; then checks the connection and saves the answers. Nothing
 * is saved before that, and Escape discards everything. Resolves to true if it was completed.
 */
export async function connect(options: App, { service, folder, goesOn }: WizardStart = {}): Promise<boolean> {
  let flow = begin({ ...(service !== undefined && { service }), ...(folder !== undefined && { folder }) });
  let facts = await gatherFacts(options, flow.draft);
  let to: Flow | 'check' = service === undefined ? flow : next(flow, facts);
  for (;;) {
    if (to === 'check') {
      const ended = await end(options, flow, facts);
      if (ended.way === 'done') {
        showConnected(ended, goesOn === true).catch((error: unknown) =>
          options.log.error('couldn’t offer the next step after the setup', error),
        );
        return true;
      }
      if (ended.way === 'cancel') {
        return false;
      }
      flow = ended.flow;
    } else {
      flow = to;
    }
    const move = await ask(options, flow, facts);
    if (move.way === 'cancel') {
      return false;
    }
    if (move.way === 'leave') {
      await vscode.commands.executeCommand(move.command, ...(move.argument === undefined ? [] : [move.argument]));
      return false;
    }
    if (move.way === 'failed') {
      to = failed(flow, move.problem, facts);
      continue;
    }
    flow = keep(flow, move.change);
    facts = await gatherFacts(options, flow.draft);
    if (move.way === 'keep') {
      flow = keepUnchecked(flow);
    }
    to = { next, keep: next, back, retry }[move.way](flow, facts);
  }
}

type Found = { problem: Problem } | { proof: Proof } | { project: LocalProject } | 'unchecked';

/** The result of the last step: done, with a text for the user; back into the flow; or cancelled with Escape. */
export type WizardResult =
  | { way: 'done'; text: string; isTested: boolean }
  | { way: 'again'; flow: Flow }
  | { way: 'cancel' };

/** The last step: checks the answers, unless the user skips the check, then saves them. */
export async function end(options: App, flow: Flow, facts: Facts): Promise<WizardResult> {
  const found = flow.unchecked === true ? 'unchecked' : await checked(options, flow, facts);
  if (found === undefined) {
    return { way: 'cancel' };
  }
  if (found === 'back') {
    return { way: 'again', flow: { step: flow.step, draft: flow.draft } };
  }
  if (found !== 'unchecked' && 'problem' in found) {
    return { way: 'again', flow: failed(flow, found.problem, facts) };
  }
  const isLocal = flow.draft.service === 'local';
  try {
    await (isLocal ? writeLocal(flow.draft.agent) : writeHosted(options.keys, flow, facts));
  } catch (error) {
    const text = vscode.l10n.t(
      'Couldn’t save the settings: {0}',
      error instanceof Error ? error.message : String(error),
    );
    return { way: 'again', flow: failed(flow, { step: isLocal ? 'agent' : 'project', text }, facts) };
  }
  if (found !== 'unchecked') {
    options.milestones.record(isLocal ? 'localConnected' : 'hostedConnected');
  }
  return { way: 'done', text: doneText(found, flow.draft, facts), isTested: found !== 'unchecked' };
}

async function checked(options: App, flow: Flow, facts: Facts): Promise<Found | 'back' | undefined> {
  const isLocal = flow.draft.service === 'local';
  const title = isLocal
    ? vscode.l10n.t('Checking the repository…')
    : vscode.l10n.t('Testing the connection to {0}…', hostedName(flow.draft, facts));
  const checking: Promise<Found> = isLocal
    ? checkLocal(options.localAccess, flow, facts)
    : checkHosted(options, flow, facts);
  const left = await showProgressBox({ ...getStepPosition(flow, facts, true), title }, checking);
  return left?.way === 'back' ? 'back' : left?.value;
}

function doneText(found: Exclude<Found, { problem: Problem }>, draft: Draft, facts: Facts): string {
  const host = hostedName(draft, facts);
  const project = toLabel(projectOf(draft, facts), 60);
  if (found === 'unchecked') {
    return vscode.l10n.t('Saved project “{1}” on {0}. The connection wasn’t tested.', host, project);
  }
  if ('project' in found) {
    const { name, agent } = found.project;
    return vscode.l10n.t('Local service running. {0} handles jobs for {1}.', toLabel(agent, 60), toLabel(name, 60));
  }
  return found.proof === 'read'
    ? vscode.l10n.t('Connected to project “{1}” on {0}.', host, project)
    : vscode.l10n.t('Connected to {0}. Project “{1}” will be verified when you send the first job.', host, project);
}

/** Says that the setup is done and offers the next step, unless another command continues. */
async function showConnected(
  said: Pick<Extract<WizardResult, { way: 'done' }>, 'text' | 'isTested'>,
  goesOn: boolean,
): Promise<void> {
  const text = toNotice(said.text, 400);
  if (goesOn) {
    vscode.window.setStatusBarMessage(`$(check) ${text}`, 10_000);
    return;
  }
  const [label, command] = said.isTested
    ? [vscode.l10n.t('New Job'), 'docsAgent.createJob']
    : [vscode.l10n.t('Test Connection'), 'docsAgent.checkConnection'];
  if ((await vscode.window.showInformationMessage(text, label)) === label) {
    await vscode.commands.executeCommand(command);
  }
}
