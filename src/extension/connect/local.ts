import * as vscode from 'vscode';
import type { AgentsAnswer, RegisteredProject } from '../../shared/protocol/localService';
import { ServiceError } from '../../shared/protocol/serviceError';
import { reasonText } from '../services/errorText';
import type { LocalAccess } from '../services/localAccess';
import { settings } from '../settings';
import { type Facts, type Flow, type Problem, folderOf } from './flow';
import { serviceText } from '../presentation/serviceText';

/** Starts the local service and asks it which agents are installed. */
export function findAgents(access: LocalAccess): {
  title: string;
  work: Promise<{ answer: AgentsAnswer } | { problem: Problem }>;
} {
  const work = access.agents().then(
    (answer) => ({ answer }),
    (error: unknown) => ({ problem: notStarted(error) }),
  );
  return { title: vscode.l10n.t('Starting the local service and looking for coding agents…'), work };
}

/** What is known when the local service can do the jobs of a folder. */
export interface LocalProject {
  name: string;
  agent: string;
}

/** Has the local service look at the repository of the folder, and for the agent that was chosen: present jobs keep theirs. */
export async function checkLocal(
  access: LocalAccess,
  { draft }: Flow,
  facts: Facts,
): Promise<{ project: LocalProject } | { problem: Problem }> {
  const { id, name } = folderOf(draft, facts);
  const folder = vscode.Uri.parse(id).fsPath;
  try {
    const present = settings.localJobs();
    const { name: project, agent } = await access.register(folder);
    const wanted = draft.agent ?? present.agent;
    const title =
      wanted === present.agent ? titleOf(agent) : titleAmong(await access.agents(), wanted, present.command);
    return title === undefined
      ? { problem: { step: 'agent', text: vscode.l10n.t('This agent is not installed. Which one does the jobs?') } }
      : { project: { name: project, agent: title } };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'rejected') {
      return { problem: notStarted(error) };
    }
    const text = serviceText(error.coded, error.detail).replaceAll(folder, name);
    return { problem: { step: 'obstacle', obstacle: 'repository', text } };
  }
}

/** Undefined when it is not installed; a service of an older version says nothing of it. */
function titleOf(agent: RegisteredProject['agent']): string | undefined {
  return agent === null ? undefined : (agent?.title ?? '');
}

/** The service does not look for a program of the user's own before its first job. */
function titleAmong({ agents, chosen }: AgentsAnswer, wanted: string, command: readonly string[]): string | undefined {
  if (wanted === 'custom') {
    return command[0]?.split(/[/\\]/).at(-1);
  }
  const name = wanted === 'auto' ? chosen : wanted;
  return agents.find((agent) => agent.name === name && agent.path !== null)?.title;
}

function notStarted(error: unknown): Problem {
  const text = error instanceof ServiceError ? reasonText(error) : String(error);
  return { step: 'obstacle', obstacle: 'notStarted', text };
}
