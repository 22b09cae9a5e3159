/** `127.0.0.0/8`, `[::1]` and `localhost`, as the URL standard writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Why a base URL can't be used. */
export type BaseUrlProblem = 'invalid' | 'insecure' | 'userInfo' | 'query';

/**
 * Reads the base URL of a hosted service: https, http on a loopback address only, no user info, query or fragment.
 * Returns origin and path prefix without a slash at the end.
 */
export function parseBaseUrl(text: string): { origin: string; baseUrl: string } | { problem: BaseUrlProblem } {
  if (!URL.canParse(text)) {
    return { problem: 'invalid' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return { problem: 'insecure' };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'userInfo' };
  }
  if (url.search !== '' || url.hash !== '') {
    return { problem: 'query' };
  }
  return { origin: url.origin, baseUrl: url.origin + url.pathname.replace(/\/+$/, '') };
}
