import { isConfidential } from '../../base/network';
import { MAX_FIELD } from '../../base/limits';

/** Why a base URL is invalid. */
export type BaseUrlProblem = 'invalid' | 'insecure' | 'userInfo' | 'query';

/**
 * Parses the base URL of a hosted service: https, http on a loopback address only, no user info, query or fragment, and
 * at most 2,000 characters.
 * Returns origin and path prefix without a trailing slash.
 */
export function parseBaseUrl(text: string): { origin: string; baseUrl: string } | { problem: BaseUrlProblem } {
  if (text.length > MAX_FIELD || !URL.canParse(text)) {
    return { problem: 'invalid' };
  }
  const url = new URL(text);
  if (!isConfidential(url)) {
    return { problem: 'insecure' };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'userInfo' };
  }
  if (url.search !== '' || url.hash !== '') {
    return { problem: 'query' };
  }
  return { origin: url.origin, baseUrl: url.origin + url.pathname.replace(/(?<!\/)\/+$/, '') };
}
