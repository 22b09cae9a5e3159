import { fail } from 'node:assert/strict';
import { systemClock } from '../../src/base/async';
import type { Admission, JobStore, NewJob, Turn } from '../../src/local-service/store/jobStore';
import { openDatabase } from '../../src/local-service/store/openDatabase';
import { SqlJobStore } from '../../src/local-service/store/sqlJobStore';
import { type ProjectSettings, projectSettingsSchema } from '../../src/protocol/localService';

/** A queued turn, with the fields that a test wants to change. */
export function sampleTurn(other: Partial<Turn> = {}): Turn {
  return {
    id: 1,
    jobId: 'j1',
    prompt: '',
    state: 'queued',
    reason: null,
    createdAt: 0,
    attempt: 0,
    uncountedAttempts: 0,
    stopRequested: null,
    agentPid: null,
    agentStartTime: null,
    startedAt: null,
    endedAt: null,
    summary: null,
    usage: null,
    commit: null,
    resumesAt: null,
    phase: null,
    ...other,
  };
}

/** A new job of the project `p1`, with the name that its branch gets. */
export function sampleJob(other: Partial<NewJob> & { branch?: string } = {}): NewJob & { branch: string } {
  const branch = other.branch ?? `docs-agent/${other.id ?? 'j1'}`;
  return {
    id: 'j1',
    projectId: 'p1',
    branch,
    branches: [branch],
    model: 'agent',
    repository: 'file:///docs',
    baseCommit: null,
    baseBranch: null,
    ...other,
  };
}

/** More requests per hour than a test sends. */
export const NO_LIMIT = 1_000_000;

/** Creates a job and returns its queued turn. */
export async function createTurn(store: JobStore, job: NewJob, prompt: string): Promise<Turn> {
  return newestTurn(store, await store.createJob(job, prompt, NO_LIMIT));
}

/** Sends a follow-up to a job of the project `p1` and returns its queued turn. */
export async function followUp(store: JobStore, jobId: string, prompt: string): Promise<Turn> {
  return newestTurn(store, await store.addFollowUp({ id: jobId, projectId: 'p1' }, prompt, NO_LIMIT));
}

/** Claims a turn and returns it as it is then. */
export async function claim(store: JobStore, turn: Turn): Promise<Turn> {
  return (await store.claimTurn(turn)) ?? fail('someone else has claimed the turn');
}

async function newestTurn(store: JobStore, admission: Admission | undefined): Promise<Turn> {
  const job = admission !== undefined && 'job' in admission ? admission.job : fail('the request was refused');
  const newest = job.turns.at(-1);
  return (await store.turns(job.id)).find(({ id }) => id === newest?.id) ?? fail('the turn was not saved');
}

/** The settings of a project whose agent is this program, which reads its prompt from standard input. */
export function customAgent(command: readonly string[]): ProjectSettings {
  return projectSettingsSchema.parse({ agent: 'custom', command });
}

/** Opens the local service's store in a file, as a service does that isn't waiting for another one to end. */
export async function openStore(file: string, now = Date.now): Promise<SqlJobStore> {
  const onSetAside = (): never => {
    throw new Error('the file is damaged');
  };
  const isStaying = async (): Promise<boolean> => true;
  return SqlJobStore.open(await openDatabase(file, { clock: { ...systemClock, now }, isStaying, onSetAside }));
}
