import { decodeJson } from '../base/json';
import type { Transport } from './transport';

/** What a hosted service may offer beyond the three operations of the agent job API. */
export type ServiceAbility = 'follow' | 'cancel' | 'archive';

/** Longer documents are not read. In characters: a hostile one of a million takes a tenth of a second. */
const MAX_DOCUMENT = 524_288;

const JOB = '/v2/agent/{projectId}/job/{jobId}';
const OPERATIONS = [
  ['follow', 'get', `${JOB}/events`],
  ['cancel', 'post', `${JOB}/cancel`],
  ['archive', 'post', `${JOB}/archive`],
] as const;

/**
 * Returns what a service offers according to its OpenAPI document, which needs no key; nothing if there is no document.
 * Throws ServiceError if that could not be found out.
 */
export async function readAbilities(
  transport: Pick<Transport, 'send'>,
  baseUrl: string,
): Promise<ReadonlySet<ServiceAbility>> {
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  const { status, body } = await transport.send({ method: 'GET', url: `${baseUrl}/openapi.json`, headers });
  // No schema is used here: it would look at every path of a document, which may have a hundred thousand.
  const paths = memberOf(status === 200 && body.length <= MAX_DOCUMENT ? decodeJson(body) : undefined, 'paths');
  const has = (method: string, path: string): boolean => memberOf(memberOf(paths, path), method) !== undefined;
  return new Set(OPERATIONS.filter(([, method, path]) => has(method, path)).map(([ability]) => ability));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
