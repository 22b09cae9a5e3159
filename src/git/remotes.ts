import { isLoopback } from '../base/network';
import { getCanonicalHost } from '../protocol/forgeKinds';
import { folderOfRemote } from './programPaths';

/** The location of a repository on a Git host. */
export interface HostedAddress {
  /** Host name, with the port unless it is the default of HTTPS: `github.com`. */
  host: string;
  /** `https://` and the host; `http://` only for this machine. */
  origin: string;
  /** The path between the host and `.git`: owner and name, on GitLab including all groups. */
  path: string;
}

export type RemoteAddress = { folder: string } | HostedAddress;

const MAX_LENGTH = 2000;

/**
 * Parses the URL of a remote.
 *
 * @param base the folder that a relative path is resolved against
 * @returns undefined when pushing to it is not allowed: another scheme, or HTTP to another machine
 */
export function remoteAddress(url: string, base: string, platform?: NodeJS.Platform): RemoteAddress | undefined {
  // oxlint-disable-next-line no-control-regex -- no address holds these
  if (url === '' || url.length > MAX_LENGTH || /[\u0000-\u0020\u007f]/.test(url.trim().replaceAll(' ', ''))) {
    return undefined;
  }
  const folder = folderOfRemote(url, base, platform);
  if (folder !== undefined) {
    return { folder };
  }
  if (/^[A-Za-z0-9]+::/.test(url) || /[\s\\]/.test(url)) {
    return undefined;
  }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase() ?? 'ssh';
  if (scheme === 'https' || scheme === 'http') {
    return webAddress(url);
  }
  return scheme === 'ssh' || scheme === 'git+ssh' || scheme === 'ssh+git' ? sshAddress(url) : undefined;
}

function webAddress(text: string): HostedAddress | undefined {
  if (!URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  const path = repositoryPath(url.pathname);
  if (path === undefined || (url.protocol === 'http:' && !isLoopback(url.hostname))) {
    return undefined;
  }
  return { host: url.host, origin: url.origin, path };
}

function sshAddress(url: string): HostedAddress | undefined {
  try {
    // Expands the scp-like short form.
    const short = /^(?:[^@/:]+@)?([^@/:]+):(?!\/\/)(.+)$/.exec(url);
    const parsed = new URL(short ? `ssh://${short[1] ?? ''}/${(short[2] ?? '').replace(/^\/+/, '')}` : url);
    const name = parsed.hostname.toLowerCase();
    const path = repositoryPath(parsed.pathname);
    // ssh would parse a host name that starts with a dash as an option.
    if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(name) || path === undefined) {
      return undefined;
    }
    const host = getCanonicalHost(name);
    return { host, origin: `https://${host}`, path };
  } catch {
    // The URL can't be parsed.
    return undefined;
  }
}

/** Hosts such as Azure DevOps have names with spaces and other signs; none has a sign that ends the path of a URL. */
const PATH_PART = /^(?! )[\p{L}\p{M}\p{N} \w.~+()@&,'!-]+(?<! )$/u;

function repositoryPath(pathname: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  path = path.replace(/^[/:~]+|(?<!\/)\/+$/g, '').replace(/\.git$/, '');
  const parts = path.split('/');
  const isPlain = parts.every((part) => PATH_PART.test(part) && part !== '.' && part !== '..');
  return isPlain ? path : undefined;
}
