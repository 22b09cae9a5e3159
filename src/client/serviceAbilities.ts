import { decodeJson } from '../base/json';
import { type Route, ROUTES } from '../protocol/routes';
import type { Transport } from './transport';

/** What a hosted service may offer beyond the three operations of the agent job API. */
export type ServiceAbility = 'follow' | 'cancel' | 'archive';

/** Longer documents are not read. In characters: a hostile one of a million takes a tenth of a second. */
const MAX_DOCUMENT = 524_288;

const ABILITIES = [
  ['follow', ROUTES.followJob],
  ['cancel', ROUTES.cancelJob],
  ['archive', ROUTES.archiveJob],
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
  const has = ({ method, path }: Route): boolean => memberOf(memberOf(paths, path), method) !== undefined;
  return new Set(ABILITIES.filter(([, route]) => has(route)).map(([ability]) => ability));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
