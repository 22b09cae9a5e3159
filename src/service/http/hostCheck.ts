import type { IncomingMessage } from 'node:http';

/**
 * True when a request names this very service as its host. A page on the web can have its own name resolve to
 * 127.0.0.1; its requests then bear that name (DNS rebinding). A target with a host of its own (RFC 9112, 3.2.2) would
 * outrank the header, so only a plain path is taken.
 *
 * @param port the port that the service listens on
 */
export function isOwnHost(request: Pick<IncomingMessage, 'headersDistinct' | 'url'>, port: number): boolean {
  const hosts = request.headersDistinct['host'] ?? [];
  const isOwn = hosts.length === 1 && (hosts[0] === `127.0.0.1:${port}` || hosts[0] === `localhost:${port}`);
  return isOwn && (request.url ?? '').startsWith('/') && !(request.url ?? '').startsWith('//');
}

/** True when a browser's page sent the request: no other client sends these headers (Fetch standard). */
export function isFromPage(header: (name: string) => string | undefined): boolean {
  return header('Origin') !== undefined || header('Sec-Fetch-Site') !== undefined;
}
