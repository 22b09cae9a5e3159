import { systemClock } from '../../src/base/async';
import { AgentClient } from '../../src/client/agentClient';
import { LocalServiceClient } from '../../src/client/localServiceClient';
import { Transport } from '../../src/client/transport';
import type { WireJob } from '../../src/protocol/job';
import { projectSettingsSchema } from '../../src/protocol/localService';
import { pathOf } from '../../src/protocol/routes';
import { isTerminal } from '../../src/protocol/status';
import { type EventReader, readEvents } from '../support/eventStream';
import { WAIT_LIMIT } from '../support/scale';
import {
  type RunningService,
  SCRIPTED_AGENT,
  type ServiceSettings,
  startService,
  testNode,
} from '../support/serviceProcess';
import { sampleRepository } from '../support/temporaryRepository';

/** The service under test and the client that talks to it. */
export interface ContractBench {
  client: AgentClient;
  target: { baseUrl: string; projectId: string; apiKey: string };
  /** Undefined if the environment selects another service. */
  service: RunningService | undefined;
  /** Polls until the job has ended; rejects after a minute. */
  ended(jobId: string): Promise<WireJob>;
  close(): Promise<void>;
}

/** A local service with a new sample repository, isolated from the variables that may select another service. */
export interface LocalBench extends ContractBench {
  service: RunningService;
  repo: string;
}

/** The service that `DOCS_AGENT_CONTRACT_URL`, `_KEY` and `_PROJECT` select, otherwise a local one. */
export async function contractBench(): Promise<ContractBench> {
  const { DOCS_AGENT_CONTRACT_URL: baseUrl, DOCS_AGENT_CONTRACT_KEY, DOCS_AGENT_CONTRACT_PROJECT } = process.env;
  if (baseUrl === undefined) {
    return localBench();
  }
  return bench(
    { baseUrl, projectId: DOCS_AGENT_CONTRACT_PROJECT ?? '', apiKey: DOCS_AGENT_CONTRACT_KEY ?? '' },
    undefined,
  );
}

export async function localBench(settings: ServiceSettings = {}): Promise<LocalBench> {
  const repo = settings.repo ?? (await sampleRepository());
  const service = await startService({ ...settings, repo });
  return { ...bench(targetOf(service), service), service, repo };
}

/**
 * Another repository on a running service, which is faster than another service. The owner of that service closes it.
 */
export async function projectAt(
  bench: LocalBench,
  { agentCommand = [testNode(), SCRIPTED_AGENT], acp = false, publish = false, repo }: ServiceSettings = {},
): Promise<LocalBench> {
  const folder = repo ?? (await sampleRepository());
  const transport = new Transport();
  const settings = projectSettingsSchema.parse({
    ...{ agent: 'custom', command: agentCommand, protocol: acp ? 'acp' : 'stdin', publish, confine: 'off' },
  });
  const { projectId } = await new LocalServiceClient(transport).registerProject(bench.target, { folder, settings });
  await transport.dispose();
  const target = { ...bench.target, projectId };
  return { ...bench, target, repo: folder, ended: (jobId) => ended(bench.client, target, jobId) };
}

export function targetOf(service: RunningService): ContractBench['target'] {
  return { baseUrl: service.baseUrl, projectId: service.projectId, apiKey: service.key };
}

function bench(target: ContractBench['target'], service: RunningService | undefined): ContractBench {
  const client = new AgentClient({ clock: systemClock, random: Math.random });
  return {
    client,
    target,
    service,
    ended: (jobId) => ended(client, target, jobId),
    async close() {
      await client.dispose();
      await service?.stop();
    },
  };
}

async function ended(client: AgentClient, target: ContractBench['target'], jobId: string): Promise<WireJob> {
  for (const start = Date.now(); Date.now() - start < WAIT_LIMIT;) {
    const job = await client.retrieveJob(target, jobId);
    if (isTerminal(job.status)) {
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`job ${jobId} did not end`);
}

/** Waits until the check is true; rejects after `ms`. */
export async function waitUntil(check: () => boolean | Promise<boolean>, ms = WAIT_LIMIT): Promise<void> {
  for (const start = Date.now(); !(await check());) {
    if (Date.now() - start > ms) {
      throw new Error(`not within ${ms} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** An answer, with JSON bodies decoded. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Calls of a local service beyond the API that the client covers. */
export function localCalls(bench: LocalBench) {
  const { baseUrl, projectId, apiKey } = bench.target;
  const call = async (method: string, path: string, body?: unknown, key = apiKey): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
  const events = (jobId: string, more: { last?: number; follow?: boolean } = {}): Promise<EventReader> => {
    const query = more.follow === false ? '?follow=false' : '';
    return readEvents(`${baseUrl}${pathOf('followJob', { projectId, jobId })}${query}`, apiKey, more.last);
  };
  return {
    call,
    events,
    cancel: (jobId: string) => call('POST', pathOf('cancelJob', { projectId, jobId })),
    archive: (jobId: string, body?: unknown) => call('POST', pathOf('archiveJob', { projectId, jobId }), body),
    unarchive: (jobId: string) => call('POST', pathOf('unarchiveJob', { projectId, jobId })),
    list: (query = '') => call('GET', `/v2/agent/${projectId}/jobs${query}`),
  };
}
