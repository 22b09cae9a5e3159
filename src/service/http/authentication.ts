import type { MiddlewareHandler } from 'hono';
import { isFromPage } from './hostCheck';
import { HttpRefusal } from './httpRefusal';
import type { KeyRing, OpenedDoor } from './keyRing';

/** What the routes behind the authentication may rely on. */
export interface AuthenticatedEnv {
  Variables: { door: OpenedDoor };
}

/** Lets no page of a browser in (403), and nobody without a right key (401). */
export function authentication(keys: KeyRing): MiddlewareHandler<AuthenticatedEnv> {
  return async (context, next) => {
    if (isFromPage((name) => context.req.header(name))) {
      throw new HttpRefusal(403, 'Requests from a web page are refused.');
    }
    const door = keys.find(context.req.header('Authorization'));
    if (door === undefined) {
      throw new HttpRefusal(401, 'The key is missing or wrong.', { 'WWW-Authenticate': 'Bearer' });
    }
    context.set('door', door);
    await next();
  };
}
