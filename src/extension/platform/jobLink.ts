import * as z from 'zod/mini';
import { LOCAL_SERVICE } from '../../jobs/events';
import { isPathSafeId } from '../../protocol/status';
import { EXTENSION_ID } from '../ids';
import { parseBaseUrl } from './baseUrl';

/** The contents of a link to a job. It contains no key and grants no access: whoever opens it uses their own key. */
export interface JobLink {
  /** The origin of a hosted service, or `local`. */
  service: string;
  project: string;
  id: string;
}

/** Longer than any link made here: two ids of 512 characters, with several bytes per character when encoded. */
const MAX_LINK = 20_000;

const jobLinkShape = z.strictObject({
  service: z.string().check(z.refine(isService)),
  project: z.string().check(z.refine(isPathSafeId)),
  id: z.string().check(z.refine(isPathSafeId)),
});

/** Matches the URI scheme of any editor, so links work in VS Code, its Insiders build and forks. */
const OURS = new RegExp(`^[a-z][a-z0-9+.-]*://${EXTENSION_ID.replaceAll('.', '\\.')}(?=[/?#]|$)`, 'i');

/** Returns true for text that is meant as a link of this extension, valid or not. */
export function looksLikeJobLink(text: string): boolean {
  return OURS.test(text);
}

/** Parses a pasted link; undefined if any part of it differs from the format written here. */
export function parseJobLink(text: string): JobLink | undefined {
  const [, query] = /^[^?#]*\/job\?([^#]*)$/.exec(text) ?? [];
  const isOurs = OURS.test(text) && text.replace(OURS, '').startsWith('/job?');
  const decoded = query === undefined || !isOurs || text.length > MAX_LINK ? undefined : decode(query);
  return decoded === undefined ? undefined : parseJobQuery(decoded);
}

/** Parses a link that the editor was asked to open. The editor's `Uri` has already decoded it once. */
export function parseJobUri(uri: { path: string; query: string; fragment: string }): JobLink | undefined {
  return uri.path === '/job' && uri.fragment === '' && uri.query.length <= MAX_LINK
    ? parseJobQuery(uri.query)
    : undefined;
}

/**
 * Formats the link to a job. The editor decodes the query before it is parsed, so an `&` in a value would end that
 * value. Everything but plain characters is therefore encoded twice.
 *
 * @param scheme the editor's URI scheme, such as `vscode`
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

/**
 * Accepts `local`, or an exact origin that a key may be sent to: no path, no user info, nothing that a parser would
 * normalize.
 */
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
