import * as z from 'zod/mini';
import { LOCAL_SERVICE } from '../../jobs/events';
import { isPathSafeId } from '../../protocol/status';
import { EXTENSION_ID } from '../ids';
import { parseBaseUrl } from './serviceAccess';

/** What a link to a job names. It holds no key and gives no right: who opens it asks the service with a key of their own. */
export interface JobLink {
  /** The origin of a hosted service, or `local`. */
  service: string;
  project: string;
  id: string;
}

/** Longer than any link that is made here: two ids of 512 characters, each written as several bytes. */
const MAX_LINK = 20_000;

const jobLinkShape = z.strictObject({
  service: z.string().check(z.refine(isService)),
  project: z.string().check(z.refine(isPathSafeId)),
  id: z.string().check(z.refine(isPathSafeId)),
});

/** Any editor's: the same link works in VS Code, its preview, and the editors made of it. */
const OURS = new RegExp(`^[a-z][a-z0-9+.-]*://${EXTENSION_ID.replaceAll('.', '\\.')}(?=[/?#]|$)`, 'i');

/** True for what is meant as a link of ours, whether or not it is a good one. */
export function looksLikeJobLink(text: string): boolean {
  return OURS.test(text);
}

/** Reads a link that somebody pasted; undefined when any of it is not as we write it. */
export function parseJobLink(text: string): JobLink | undefined {
  const [, query] = /^[^?#]*\/job\?([^#]*)$/.exec(text) ?? [];
  const isOurs = OURS.test(text) && text.replace(OURS, '').startsWith('/job?');
  const decoded = query === undefined || !isOurs || text.length > MAX_LINK ? undefined : decode(query);
  return decoded === undefined ? undefined : parseJobQuery(decoded);
}

/** Reads a link that the editor was asked to open, in the parts of the editor's `Uri`, which has decoded them once. */
export function parseJobUri(uri: { path: string; query: string; fragment: string }): JobLink | undefined {
  return uri.path === '/job' && uri.fragment === '' && uri.query.length <= MAX_LINK
    ? parseJobQuery(uri.query)
    : undefined;
}

/**
 * The link to a job. The editor decodes a query before anybody has taken it apart, so that an `&` in a value would end it:
 * what is not plain is encoded twice.
 *
 * @param scheme the editor's own, `vscode` for one
 */
export function formatJobLink(scheme: string, { service, project, id }: JobLink): string {
  return `${scheme}://${EXTENSION_ID}/job?service=${encode(service)}&project=${encode(project)}&id=${encode(id)}`;
}

function parseJobQuery(query: string): JobLink | undefined {
  const pairs = query.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    return equals === -1 ? undefined : ([pair.slice(0, equals), decode(pair.slice(equals + 1))] as const);
  });
  const whole = pairs.filter((pair) => pair !== undefined);
  const fields: unknown = Object.fromEntries(whole);
  const isPlain = whole.length === pairs.length && new Set(whole.map(([name]) => name)).size === whole.length;
  const parsed = z.safeParse(jobLinkShape, fields);
  return isPlain && parsed.success ? parsed.data : undefined;
}

/** `local`, or exactly an origin to which a key may go: no path, no name of a user, nothing that a parser would change. */
function isService(service: string): boolean {
  if (service === LOCAL_SERVICE) {
    return true;
  }
  const url = parseBaseUrl(service);
  return !('problem' in url) && url.origin === service;
}

function encode(value: string): string {
  return encodeURIComponent(value)
    .replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%3A', ':')
    .replaceAll('%2F', '/')
    .replaceAll('%', '%25');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
