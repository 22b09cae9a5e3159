import type { NewJob, Turn } from '../../src/local-service/store/jobStore';

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
    agentPid: null,
    agentStartTime: null,
    startedAt: null,
    endedAt: null,
    summary: null,
    usage: null,
    commit: null,
    ...other,
  };
}

/** A newly created job of the project `p1`. */
export function sampleJob(other: Partial<NewJob> = {}): NewJob {
  return {
    id: 'j1',
    projectId: 'p1',
    branch: `docs-agent/${other.id ?? 'j1'}`,
    model: 'agent',
    repository: 'file:///docs',
    baseCommit: null,
    baseBranch: null,
    createdAt: 1000,
    ...other,
  };
}
