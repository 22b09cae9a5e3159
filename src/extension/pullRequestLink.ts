import { isLoopback } from './services/serviceUrl';

/**
 * Returns the address when a browser may be sent to it: https, or http on this machine (the local service's review
 * page), without user info, which can make one host look like another, and without anything that a parser of addresses
 * would take out or turn round: what is opened is the text itself.
 */
export function safeLink(link: string | null | undefined): URL | undefined {
  if (link == null || /[\s\\\p{Cc}]/u.test(link) || !URL.canParse(link)) {
    return undefined;
  }
  const url = new URL(link);
  const web = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return web && url.username === '' && url.password === '' && url.hostname !== '' ? url : undefined;
}
