import { pathOf } from '../../src/protocol/routes';
import { type EventReader, readEvents } from '../support/eventStream';
import type { LocalBench } from './contractBench';

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
    list: (query = '') => call('GET', `/v2/agent/${projectId}/jobs${query}`),
  };
}
