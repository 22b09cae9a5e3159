import { isPathSafeId } from '../../../protocol/status';
import { keyProblem } from '../../platform/apiKeys';
import { parseBaseUrl } from '../../platform/serviceAccess';

/** What is asked, one box each. */
export type Step = 'service' | 'address' | 'folder' | 'project' | 'scope' | 'key' | 'agent' | 'obstacle';

/** Who is to run the jobs: the hosted service of the settings, one at another address, or this machine. */
export type Choice = 'hosted' | 'other' | 'local';

/** Where a project ID is written: settings of the folder, of the workspace file, or of the user. */
export type Scope = 'folder' | 'workspace' | 'user';

/** A folder that is open, or, with an empty id, that none is. */
export interface FolderFacts {
  id: string;
  name: string;
  /** The project that counts for it now; empty for none. */
  project: string;
  /** Where another project could be written so that it counts. */
  scopes: readonly Scope[];
}

/** What is so before anything is changed; found out anew for each box. */
export interface Facts {
  /** The address of the hosted service by the settings. */
  address: string;
  folders: readonly [FolderFacts, ...FolderFacts[]];
  /** The origins for which a key is kept. */
  storedKeys: ReadonlySet<string>;
  /** Why the local service can't run in this window, in words. */
  blocked?: Problem | undefined;
}

/** What was typed and chosen so far. Nothing is taken out of it: who goes back finds it again. */
export interface Draft {
  readonly service?: Choice;
  readonly address: string;
  readonly folder?: string;
  /** By folder. */
  readonly projects: Readonly<Record<string, string>>;
  readonly scope?: Scope;
  /** By origin, so that a key never goes to another service than the one it was typed for. */
  readonly keys: Readonly<Record<string, string>>;
  readonly agent?: string;
}

/** Why the flow could not end, told in the box of the step that can mend it. */
export interface Problem {
  step: Step;
  text: string;
  /** What was typed may be kept all the same: it is not known to be wrong. */
  canKeep?: boolean;
  /** What stands in the way of the local service. */
  obstacle?: 'remote' | 'untrusted' | 'noFolder' | 'repository' | 'notStarted';
}

export interface Flow {
  readonly step: Step;
  readonly draft: Draft;
  /** Shown once, in the box of its step. */
  readonly problem?: Problem;
  /** The end was reached once: what is still answered is not asked again. */
  readonly mending?: true;
  /** What is typed is kept without a check at the end, for as long as the user only goes on. */
  readonly unchecked?: true;
}

export function begin(draft: Partial<Draft> = {}): Flow {
  return { step: 'service', draft: { address: '', projects: {}, keys: {}, ...draft } };
}

/** The steps that this draft leads through, in order; an unanswered first question counts as the hosted service. */
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

/** What was typed in the present box, whichever way the user leaves it. */
export function keep(flow: Flow, change: Partial<Draft>): Flow {
  return { ...flow, draft: { ...flow.draft, ...change } };
}

/** The user wants what was typed to be kept without a check. What it needs beside is still asked. */
export function keepUnchecked(flow: Flow): Flow {
  return { ...flow, unchecked: true };
}

/** One step on, or `check` when nothing is left to ask. */
export function next(flow: Flow, facts: Facts): Flow | 'check' {
  const steps = stepsOf(flow, facts);
  const later = steps.slice(steps.indexOf(flow.step) + 1);
  const to = flow.mending === true ? later.find((step) => !isAnswered(step, flow.draft, facts)) : later[0];
  return to === undefined ? 'check' : at(flow, to);
}

/** One step back; the first one stays. Who goes back by hand is led through what follows again. */
export function back(flow: Flow, facts: Facts): Flow {
  const steps = stepsOf(flow, facts);
  const { step, draft } = flow;
  return { step: steps[steps.indexOf(step) - 1] ?? 'service', draft };
}

/** The check found something: back to the step that can mend it. An address that does not answer can be changed. */
export function failed(flow: Flow, problem: Problem, facts: Facts): Flow {
  const { draft } = flow;
  const address: Partial<Draft> =
    problem.step === 'address' ? { service: 'other', address: addressOf(draft, facts) } : {};
  return { step: problem.step, draft: { ...draft, ...address }, problem, mending: true };
}

/** Once more, after the user has mended what stood in the way elsewhere. */
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

/** The address that the draft leads to. */
export function addressOf(draft: Draft, facts: Facts): string {
  return draft.service === 'other' ? draft.address.trim() : facts.address;
}

/** Service and base URL that the draft leads to; undefined while the address is of no use. */
export function hostedOf(draft: Draft, facts: Facts): { origin: string; baseUrl: string } | undefined {
  const url = parseBaseUrl(addressOf(draft, facts));
  return 'problem' in url ? undefined : url;
}

export function folderOf(draft: Draft, { folders }: Facts): FolderFacts {
  return folders.find(({ id }) => id === draft.folder) ?? folders[0];
}

/** The project as it was typed for the folder, or else as it is set. */
export function projectOf(draft: Draft, facts: Facts): string {
  const { id, project } = folderOf(draft, facts);
  return (draft.projects[id] ?? project).trim();
}

/** Where the project is to be written; undefined when it is set so already, or when that is still to be asked. */
export function scopeOf(draft: Draft, facts: Facts): Scope | undefined {
  const { project, scopes } = folderOf(draft, facts);
  if (projectOf(draft, facts) === project) {
    return undefined;
  }
  return scopes.length === 1 ? scopes[0] : scopes.find((scope) => scope === draft.scope);
}

/** The key that was typed for the service; undefined when the one that is kept is to stay. */
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
