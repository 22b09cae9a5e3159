import * as vscode from 'vscode';
import { toLabel } from '../text';
import { type AskOptions, placeOf } from './ask';
import { hostedName } from './askHosted';
import { askToWait } from './boxes';
import { checkHosted } from './check';
import { type Draft, type Facts, type Flow, type Problem, failed, projectOf } from './flow';
import { type LocalProject, checkLocal } from './local';
import type { Proof } from '../services/serviceAccess';
import { writeHosted, writeLocal } from './write';

type Found = { problem: Problem } | { proof: Proof } | { project: LocalProject } | 'unchecked';

/** How the last step came out: done, with the words to say so; or back in the flow; or left with Escape. */
export type Ended = { way: 'done'; text: string } | { way: 'again'; flow: Flow } | { way: 'cancel' };

/** The last step: checks, unless the user keeps what was typed without it, then writes. */
export async function end(options: AskOptions, flow: Flow, facts: Facts): Promise<Ended> {
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
      'The settings could not be written: {0}',
      error instanceof Error ? error.message : String(error),
    );
    return { way: 'again', flow: failed(flow, { step: isLocal ? 'agent' : 'project', text }, facts) };
  }
  if (found !== 'unchecked') {
    options.milestones.reach(isLocal ? 'localConnected' : 'hostedConnected');
  }
  return { way: 'done', text: doneText(found, flow.draft, facts) };
}

async function checked(options: AskOptions, flow: Flow, facts: Facts): Promise<Found | 'back' | undefined> {
  const isLocal = flow.draft.service === 'local';
  const title = isLocal
    ? vscode.l10n.t('Checking the repository…')
    : vscode.l10n.t('Checking the connection to {0}…', hostedName(flow.draft, facts));
  const checking: Promise<Found> = isLocal
    ? checkLocal(options.localAccess, flow, facts)
    : checkHosted(options, flow, facts);
  const left = await askToWait({ ...placeOf(flow, facts, true), title }, checking);
  return left?.way === 'back' ? 'back' : left?.value;
}

function doneText(found: Exclude<Found, { problem: Problem }>, draft: Draft, facts: Facts): string {
  const host = hostedName(draft, facts);
  const project = toLabel(projectOf(draft, facts), 60);
  if (found === 'unchecked') {
    return vscode.l10n.t(
      '{0} is set up for project “{1}”, but the connection was not checked. Run “Check Connection” to do so.',
      host,
      project,
    );
  }
  if ('project' in found) {
    const { name, agent } = found.project;
    return vscode.l10n.t('The local service runs. {0} does the jobs of {1}.', toLabel(agent, 60), toLabel(name, 60));
  }
  return found.proof === 'read'
    ? vscode.l10n.t('Connected to {0}. Key and project “{1}” are good.', host, project)
    : vscode.l10n.t(
        'Connected to {0}: the key was not rejected. Send a first job to prove project “{1}”.',
        host,
        project,
      );
}
