import { isPathSafeId } from '../../../protocol/status';
import { keyProblem } from '../../platform/apiKeys';
import { parseBaseUrl } from '../../platform/baseUrl';

/** The steps, one box each. */
export type Step = 'service' | 'address' | 'folder' | 'project' | 'scope' | 'key' | 'agent' | 'obstacle';

/** Which service runs the jobs: the hosted one from the settings, one at another address, or the local one. */
export type Choice = 'hosted' | 'other' | 'local';

/** Where a project ID is saved: settings of the folder, of the workspace file, or of the user. */
export type Scope = 'folder' | 'workspace' | 'user';

/** An open folder. An empty id stands for no open folder. */
export interface FolderFacts {
  id: string;
  name: string;
  /** The project currently in effect; empty for none. */
  project: string;
  /** Where a new project ID would take effect. */
  scopes: readonly Scope[];
}

/** The state before any change; collected again for each box. */
export interface Facts {
  /** The address of the hosted service from the settings. */
  address: string;
  folders: readonly [FolderFacts, ...FolderFacts[]];
  /** The origins with a stored key. */
  storedKeys: ReadonlySet<string>;
  /** Why the local service can't run in this window. */
  blocked?: Problem | undefined;
}

/** The answers so far. Nothing is ever removed, so the user finds them again after going back. */
export interface Draft {
  readonly service?: Choice;
  readonly address: string;
  readonly folder?: string;
  /** By folder. */
  readonly projects: Readonly<Record<string, string>>;
  readonly scope?: Scope;
  /** By origin, so that a key is only sent to the service that it was entered for. */
  readonly keys: Readonly<Record<string, string>>;
  readonly agent?: string;
}

/** Why the flow could not finish, shown in the box of the step that can fix it. */
export interface Problem {
  step: Step;
  text: string;
  /** The input is not known to be wrong, so the user may keep it. */
  canKeep?: boolean;
  /** What prevents the local service from running. */
  obstacle?: 'remote' | 'untrusted' | 'noFolder' | 'repository' | 'notStarted';
}

export interface Flow {
  readonly step: Step;
  readonly draft: Draft;
  /** Shown once, in the box of its step. */
  readonly problem?: Problem;
  /** The check was reached before, so valid answers are not asked for again. */
  readonly mending?: true;
  /** Skip the check at the end, as long as the user only goes forward. */
  readonly unchecked?: true;
}

export function begin(draft: Partial<Draft> = {}): Flow {
  return { step: 'service', draft: { address: '', projects: {}, keys: {}, ...draft } };
}

/** The steps for this draft, in order. Until the first question is answered, the hosted service is assumed. */
export function stepsOf(flow: Flow, facts: Facts): Step[] {
  const { draft } = flow;
  const folder: Step[] = facts.folders.length > 1 ? ['folder'] : [];
  if (draft.service === 'local') {
    const obstacle: Step[] = flow.step === 'obstacle' ? ['obstacle'] : [];
    return facts.blocked === undefined ? ['service', ...folder, 'agent', ...obstacle] : ['service', 'obstacle'];
  }
  const address: Step[] = draft.service === 'other' ? ['address'] : [];
  const scope: Step[] = asksForScope(draft, facts) ? ['scope'] : [];
  return ['service', ...address, ...folder, 'project', ...scope, 'key'];
}

/** Saves the current box's input in the draft, however the user leaves it. */
export function keep(flow: Flow, change: Partial<Draft>): Flow {
  return { ...flow, draft: { ...flow.draft, ...change } };
}

/** Skips the check at the end. Other missing answers are still asked for. */
export function keepUnchecked(flow: Flow): Flow {
  return { ...flow, unchecked: true };
}

/** Returns the next step, or `check` if there is nothing left to ask. */
export function next(flow: Flow, facts: Facts): Flow | 'check' {
  const steps = stepsOf(flow, facts);
  const later = steps.slice(steps.indexOf(flow.step) + 1);
  const to = flow.mending === true ? later.find((step) => !isAnswered(step, flow.draft, facts)) : later[0];
  return to === undefined ? 'check' : at(flow, to);
}

/** Goes back one step; the first step stays. Afterwards all following steps are shown again. */
export function back(flow: Flow, facts: Facts): Flow {
  const steps = stepsOf(flow, facts);
  const { step, draft } = flow;
  return { step: steps[steps.indexOf(step) - 1] ?? 'service', draft };
}

/** Returns to the step that can fix what the check found. An address that does not answer becomes editable. */
export function failed(flow: Flow, problem: Problem, facts: Facts): Flow {
  const { draft } = flow;
  const address: Partial<Draft> =
    problem.step === 'address' ? { service: 'other', address: addressOf(draft, facts) } : {};
  return { step: problem.step, draft: { ...draft, ...address }, problem, mending: true };
}

/** Tries again, after the user has fixed an obstacle elsewhere. */
export function retry(flow: Flow, facts: Facts): Flow | 'check' {
  const { step, draft } = flow;
  if (step !== 'obstacle') {
    return { step, draft };
  }
  if (facts.blocked !== undefined) {
    return { step, draft, problem: facts.blocked };
  }
  return draft.agent === undefined ? next({ step: 'service', draft }, facts) : 'check';
}

function at({ draft, mending, unchecked }: Flow, step: Step): Flow {
  return { step, draft, ...(mending && { mending }), ...(unchecked && { unchecked }) };
}

/** The address in the draft, otherwise from the settings. */
export function addressOf(draft: Draft, facts: Facts): string {
  return draft.service === 'other' ? draft.address.trim() : facts.address;
}

/** Origin and base URL of the draft; undefined while the address is invalid. */
export function hostedOf(draft: Draft, facts: Facts): { origin: string; baseUrl: string } | undefined {
  const url = parseBaseUrl(addressOf(draft, facts));
  return 'problem' in url ? undefined : url;
}

export function folderOf(draft: Draft, { folders }: Facts): FolderFacts {
  return folders.find(({ id }) => id === draft.folder) ?? folders[0];
}

/** The project entered for the folder, otherwise the configured one. */
export function projectOf(draft: Draft, facts: Facts): string {
  const { id, project } = folderOf(draft, facts);
  return (draft.projects[id] ?? project).trim();
}

/** Where to save the project; undefined if it is already in effect or the user has yet to choose. */
export function scopeOf(draft: Draft, facts: Facts): Scope | undefined {
  const { project, scopes } = folderOf(draft, facts);
  if (projectOf(draft, facts) === project) {
    return undefined;
  }
  return scopes.length === 1 ? scopes[0] : scopes.find((scope) => scope === draft.scope);
}

/** The key entered for the service; undefined to keep the stored one. */
export function keyOf(draft: Draft, facts: Facts): string | undefined {
  const origin = hostedOf(draft, facts)?.origin;
  const typed = origin === undefined ? undefined : draft.keys[origin];
  return typed === '' ? undefined : typed;
}

function asksForScope(draft: Draft, facts: Facts): boolean {
  const { project, scopes } = folderOf(draft, facts);
  return scopes.length > 1 && projectOf(draft, facts) !== project;
}

function isAnswered(step: Step, draft: Draft, facts: Facts): boolean {
  const hosted = hostedOf(draft, facts);
  switch (step) {
    case 'service':
      return draft.service !== undefined;
    case 'address':
      return hosted !== undefined;
    case 'folder':
      return facts.folders.some(({ id }) => id === draft.folder);
    case 'project':
      return isPathSafeId(projectOf(draft, facts));
    case 'scope':
      return scopeOf(draft, facts) !== undefined;
    case 'key':
      return hosted !== undefined && hasKey(draft, facts, hosted.origin);
    case 'agent':
      return draft.agent !== undefined;
    case 'obstacle':
      return false;
  }
}

function hasKey(draft: Draft, facts: Facts, origin: string): boolean {
  const typed = keyOf(draft, facts);
  return typed === undefined ? facts.storedKeys.has(origin) : keyProblem(typed, origin) === undefined;
}
