import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import type { Transport } from './transport';

/** What a hosted service may have beyond the three operations of the agent job API. */
export type ServiceAbility = 'follow' | 'cancel' | 'archive';

const JOB = '/v2/agent/{projectId}/job/{jobId}';
const OPERATIONS = [
  ['follow', 'get', `${JOB}/events`],
  ['cancel', 'post', `${JOB}/cancel`],
  ['archive', 'post', `${JOB}/archive`],
] as const;

const documentSchema = z.object({ paths: z.record(z.string(), z.unknown()) });

/**
 * Returns what a service has according to its OpenAPI document, which needs no key; nothing if it has no such document.
 * Throws ServiceError if that could not be found out.
 */
export async function readAbilities(transport: Transport, baseUrl: string): Promise<ReadonlySet<ServiceAbility>> {
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  const { status, body } = await transport.send({ method: 'GET', url: `${baseUrl}/openapi.json`, headers });
  const document = z.safeParse(documentSchema, status === 200 ? decodeJson(body) : undefined);
  const paths = document.data?.paths ?? {};
  const has = (method: string, path: string): boolean => {
    const operations = Object.hasOwn(paths, path) ? paths[path] : undefined;
    return typeof operations === 'object' && operations !== null && Object.hasOwn(operations, method);
  };
  return new Set(OPERATIONS.filter(([, method, path]) => has(method, path)).map(([ability]) => ability));
}
