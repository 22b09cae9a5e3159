import { ServiceError } from '../shared/protocol/serviceError';

/** Where a request goes and with which key. */
export interface Target {
  /** Origin and path prefix, for example `https://api.mintlify.com`. */
  baseUrl: string;
  projectId: string;
  apiKey: string;
  /** It is the local service of this user: its state file, its process and its start time were checked. */
  isLocal?: boolean | undefined;
}

/** The address of a route; throws {@link ServiceError} of kind `notFound` for an id that can't stand in one. */
export function address(target: Target, route: () => string): string {
  try {
    return target.baseUrl.replace(/(?<!\/)\/+$/, '') + route();
  } catch (error) {
    throw new ServiceError('notFound', { effect: 'none', code: 'UNSAFE_ID', cause: error });
  }
}

/** What stands in the head of each request. */
export function headers(target: Target, accept = 'application/json'): Record<string, string> {
  return { authorization: `Bearer ${target.apiKey}`, accept, 'accept-encoding': 'identity' };
}
