import { HttpRefusal } from './httpRefusal';

/** The handler of every other method on a path: 405 and what is allowed (RFC 9110, 15.5.6). */
export function onlyMethod(allowed: string): () => never {
  return () => {
    throw new HttpRefusal(405, `Only ${allowed} is allowed here.`, { Allow: allowed });
  };
}
