import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { ServiceInput } from '../../protocol/localService';
import { HttpError } from './httpError';

/** Context variables of authenticated routes. */
export interface AuthenticatedEnv {
  Variables: { scope: AuthScope };
}

/** The keys that a service accepts. */
export interface Keys {
  /** Returns what the key in an `Authorization` header gives access to; undefined for a missing or unknown key. */
  find(authorization: string | undefined): AuthScope | undefined | Promise<AuthScope | undefined>;
}

/** Rejects browser requests (403) and bad keys (401). */
export function authentication(keys: Keys): MiddlewareHandler<AuthenticatedEnv> {
  return async (context, next) => {
    if (isFromPage((name) => context.req.header(name))) {
      throw new HttpError(403, 'Requests from web pages are refused.');
    }
    const scope = await keys.find(context.req.header('Authorization'));
    if (scope === undefined) {
      throw new HttpError(401, 'The key is missing or wrong.', { 'WWW-Authenticate': 'Bearer' });
    }
    context.set('scope', scope);
    await next();
  };
}

/** The keys of the local service, kept as hashes. */
export class KeyRing implements Keys {
  private readonly keys: readonly { hash: Buffer; projects: readonly string[] | undefined }[];

  constructor(keys: ServiceInput['keys']) {
    this.keys = keys.map(({ key, projects }) => ({ hash: sha256(key), projects }));
  }

  /** Compares with every key, in constant time. */
  find(authorization: string | undefined): AuthScope | undefined {
    const presented = bearerToken(authorization);
    const hash = sha256(presented ?? '');
    let found: AuthScope | undefined;
    for (const key of this.keys) {
      if (timingSafeEqual(key.hash, hash)) {
        const { projects } = key;
        found = {
          opens: (projectId) => projects === undefined || projects.includes(projectId),
          isServiceWide: projects === undefined,
          mayWrite: true,
        };
      }
    }
    return presented === undefined ? undefined : found;
  }
}

/** The key in an `Authorization` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
}

/** What a valid key gives access to. */
export interface AuthScope {
  opens(projectId: string): boolean;
  /** True for a service-wide key, false for a key to individual projects. */
  isServiceWide: boolean;
  /** False for a key that can only read. */
  mayWrite: boolean;
  /** Whether its key has neither expired nor been revoked in the meantime. Absent if keys can't be. */
  isStillValid?: () => Promise<boolean>;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const OWN_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/**
 * Returns whether a request names this service as its host. A website can make its own name resolve to 127.0.0.1; its
 * requests then carry that name (DNS rebinding). A request target with its own host (RFC 9112, 3.2.2) would override
 * the header, so only a plain path is accepted. Any port is: a forwarded one, as with Remote-SSH, may have another number.
 */
export function isOwnHost(request: Pick<IncomingMessage, 'headersDistinct' | 'url'>): boolean {
  const hosts = request.headersDistinct['host'] ?? [];
  const isOwn = hosts.length === 1 && OWN_HOST.test(hosts[0] ?? '');
  return isOwn && (request.url ?? '').startsWith('/') && !(request.url ?? '').startsWith('//');
}

/** Returns whether a web page sent the request: no other client sends these headers (Fetch standard). */
export function isFromPage(header: (name: string) => string | undefined): boolean {
  return header('Origin') !== undefined || header('Sec-Fetch-Site') !== undefined;
}
