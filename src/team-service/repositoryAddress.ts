import { isConfidential } from '../base/network';
import { countInvisible } from '../base/text';
import { remoteAddress } from '../git/remotes';
import { toPublicUrl } from '../local-service/git/userRepository';
import { UsageError } from '../local-service/options';
import { type ForgeKind, inferForgeKind } from '../protocol/forgeKinds';

const PLAIN =
  '--repository must be a plain address to clone from, such as https://git.example.com/team/docs.git, git@git.example.com:team/docs.git, or file:///srv/docs.git.';

/** What Git, URLs, and people read differently, so that a project could have another repository than it seems. */
const NOT_PLAIN: readonly [isFound: (given: string, url: URL | undefined) => boolean, advice: string][] = [
  [
    (given) => /\s|%(?:[01][\da-f]|7f)/i.test(given) || countInvisible(given) > 0,
    'Leave out spaces, line breaks, and invisible characters.',
  ],
  [(given) => /^[\w+.-]+::/.test(given), 'Leave out the part up to “::”.'],
  [(given) => /[?#]/.test(given), 'Leave out the part from “?” or “#” on.'],
  [
    // Over https, the user name may be a token.
    (_, url) => url !== undefined && (url.password !== '' || (url.username !== '' && /^https?:$/.test(url.protocol))),
    'Leave out user name and password: a worker takes them from its environment or a file.',
  ],
  [(given) => /^(?:[^/]*:\/\/)?(?:[^/]*@)?-/.test(given), 'Its user and host can’t begin with a hyphen.'],
  [(_, url) => url?.protocol === 'file:' && url.host !== '', 'A folder has three slashes: file:///srv/docs.git.'],
  [(given) => given.startsWith('/'), 'For a folder that all workers can read, begin with file://.'],
  [
    (given) => /\\|\/\/|^\/|(?:^|[/:@])(?:\.|%2e){1,2}(?:[/:]|$)/i.test(given.replace(/^(?:file:\/|\w+:)\/\//i, '')),
    'Leave out backslashes, double slashes, and the parts “.” and “..” of its path.',
  ],
  [
    (_, url) => url?.protocol === 'http:' && !isConfidential(url),
    'Use https, because others can read what http sends.',
  ],
];

/** The paths of repositories on hosts that have other pages, too: `OWNER/NAME`, or on GitLab no part `-`. */
const PATHS: Partial<Record<ForgeKind, RegExp>> = {
  github: /^[^/]+\/[^/]+$/,
  bitbucket: /^[^/]+\/[^/]+$/,
  gitlab: /^[^/]+(?:\/(?!-\/)[^/]+)+$/,
};

/** The short form `git@host:path`, which isn’t a URL with a slash missing. */
const SHORT = /^(?!(?:https?|ssh|git|file):)[^/:]+:(?!\/\/)/i;

/** Returns the address of a repository as it is to be saved. Throws UsageError unless workers can clone from it. */
export function readRepository(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const advice = NOT_PLAIN.find(([isFound]) => isFound(given, url))?.[1];
  const isUrl = url !== undefined && url.pathname !== '/' && /^(?:https?|ssh|file):\/\//i.test(given);
  const address = isUrl ? url.href : given;
  const at = remoteAddress(address, '/');
  if (advice !== undefined || !(isUrl || SHORT.test(given)) || at === undefined) {
    // The address isn't shown, because it may contain a token.
    throw new UsageError(advice === undefined ? PLAIN : `${PLAIN} ${advice}`);
  }
  if ('origin' in at && PATHS[inferForgeKind(at.origin) ?? 'gitea']?.test(at.path) === false) {
    throw new UsageError(`${PLAIN} Copy the address from the page’s clone button.`);
  }
  return address;
}

/** Returns the same text for all addresses of a repository: with any user name, with or without `.git`. */
export function identityOf(address: string): string {
  return (toPublicUrl(address) ?? address).replace(/(?:\.git)?\/?$/, '');
}
