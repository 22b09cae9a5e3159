import { LOCAL_SERVICE } from '../jobs/events';
import type { TrackedJob } from '../jobs/trackedJob';
import { isReviewLink } from '../shared/protocol/reviewLink';
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

/**
 * The id of a job whose link is a review page of the local service. Its address opens nothing by itself, and whoever has the
 * port now may be another program: the page is opened by asking the service (see `openPullRequest`).
 */
export function localReview({ home, snapshot }: Pick<TrackedJob, 'home' | 'snapshot'>): string | undefined {
  const { id = '', prLink = null } = snapshot ?? {};
  return home.service === LOCAL_SERVICE && prLink !== null && isReviewLink(prLink, id) ? id : undefined;
}
