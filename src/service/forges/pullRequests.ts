import type { ForgeApi, Wish } from './forgeApi';
import type { ForgeKind } from './hostKind';

/**
 * Opens the pull request of a branch that was pushed, or finds the open one. The libraries are loaded when they are
 * used. Throws ForgeFailure.
 *
 * @returns its link
 */
export async function openPullRequest(kind: Exclude<ForgeKind, 'unknown'>, api: ForgeApi, wish: Wish): Promise<string> {
  switch (kind) {
    case 'github':
      return (await import('./github')).openOnGitHub(api, wish);
    case 'gitlab':
      return (await import('./gitlab')).openOnGitLab(api, wish);
    case 'gitea':
      return (await import('./gitea')).openOnGitea(api, wish);
    case 'bitbucket':
      return (await import('./bitbucket')).openOnBitbucket(api, wish);
  }
}

/** Where the API of a host is. */
export function apiUrl(kind: ForgeKind, origin: string): string {
  const { host } = new URL(origin);
  switch (kind) {
    case 'github': {
      const isCloud = host === 'github.com' || host.endsWith('.ghe.com');
      return isCloud ? `https://api.${host}` : `${origin}/api/v3`;
    }
    case 'bitbucket':
      return 'https://api.bitbucket.org/2.0';
    case 'gitlab':
    case 'gitea':
    case 'unknown':
      return origin;
  }
}

/** The name under which git takes a token as a password. */
export function loginName(kind: ForgeKind): string {
  switch (kind) {
    case 'github':
      return 'x-access-token';
    case 'bitbucket':
      return 'x-token-auth';
    case 'gitlab':
    case 'gitea':
    case 'unknown':
      return 'oauth2';
  }
}
