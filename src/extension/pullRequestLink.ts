import { isLoopback } from './services/serviceUrl';

/** What no address has in it, or at its beginning: browsers and the editor do not agree on what it means. */
const UNLIKE_ADDRESS = /[\s\\\p{Cc}\p{Cf}]|^(?!https?:\/\/[^/])|^[^/]*\/\/[^/?#]*@/iu;

/**
 * Returns the address when a browser may be sent to it: https, or http on this machine (the local service's review
 * page), without user info, which can make one host look like another, and without anything that a parser of addresses
 * would take out or turn round, or that can't be seen: what is opened is the text itself.
 */
export function safeLink(link: string | null | undefined): URL | undefined {
  if (link == null || UNLIKE_ADDRESS.test(link) || !URL.canParse(link)) {
    return undefined;
  }
  const url = new URL(link);
  const web = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return web && url.username === '' && url.password === '' && url.hostname !== '' ? url : undefined;
}
