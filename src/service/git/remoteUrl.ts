import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A remote's address as it may be shown and sent: user name, password, query and fragment are taken out, and the short
 * form `git@host:path` is written as a URL.
 *
 * @returns undefined when there is no address in it
 */
export function shownRemoteUrl(remote: string): string | undefined {
  if (remote === '') {
    return undefined;
  }
  if (isAbsolute(remote)) {
    return pathToFileURL(remote).href;
  }
  const short = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/.exec(remote);
  const text = short ? `ssh://${short[1] ?? ''}/${(short[2] ?? '').replace(/^\/+/, '')}` : remote;
  if (!URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
