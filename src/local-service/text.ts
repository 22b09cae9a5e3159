import { dropInvisible } from '../base/text';

/** Cuts a text to a number of characters, the last one an ellipsis. Never cuts inside a character. */
export function cutText(text: string, maxCharacters: number): string {
  // A character is at most two UTF-16 units, so the rest of a long text makes no difference.
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 1));
  const kept = characters.slice(0, maxCharacters - 1);
  return characters.length > maxCharacters ? `${kept.join('').trimEnd()}…` : text;
}

const MAX_TITLE = 100;

/** The first line of a prompt. */
export function titleOf(prompt: string): string {
  return cutText(prompt.trim().split('\n', 1)[0] ?? '', MAX_TITLE);
}

/**
 * Keeps a Git host from notifying people (`@name`, or `@{id}` at Bitbucket) and from linking or closing issues (`#1`, `!1`, `owner/name#1`,
 * `GH-1`, "fixes #1"), by an invisible word joiner.
 */
export function neutralizeMentions(text: string): string {
  return text
    .replace(/@(?=[A-Za-z0-9_{-])/g, '@\u2060')
    .replace(/([#!])(?=\d)/g, '$1\u2060')
    .replace(/\b(GH-)(?=\d)/gi, '$1\u2060')
    .replace(/https?:\/\/[^\s)]+/gi, (address) =>
      address.replace(/(\/(?:issues|pull|pulls|merge_requests|work_items)\/)(?=\d)/gi, '$1\u2060'),
    );
}

/** Maximum length of a path in a message, in characters. */
const MAX_SHOWN = 200;

/** Formats a path for a message: invalid UTF-8 becomes replacement characters, and a long path is cut. */
export function shownPath(path: string | Buffer): string {
  return cutText(path.toString(), MAX_SHOWN);
}

/** How many paths a message names. */
export const MAX_NAMED = 5;

/** Lists paths for a message, the first ones by name; undefined if there are none. */
export function shownPaths(paths: readonly (string | Buffer)[]): string | undefined {
  const named = paths.slice(0, MAX_NAMED).map(shownPath);
  return paths.length === 0 ? undefined : [...named, ...(paths.length > MAX_NAMED ? ['…'] : [])].join(', ');
}

/** Characters of a host's words: they may end with a link to follow, as those of GitHub do. */
const MAX_WORDS = 1_000;

/** How much text is read, in UTF-16 units, because a host decides how much it sends. */
const MAX_READ = 4_000;

/** Prepares external text for our sentences: one short line, no secrets, invisible characters or user names in URLs. */
export function sanitize(words: string, secrets: readonly string[] = []): string {
  const printed = redactSecrets(words, secrets)
    .slice(0, MAX_READ)
    // Terminal sequences first, so that no part of them remains.
    // oxlint-disable-next-line no-control-regex -- that is what is taken out
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '');
  const line = dropInvisible(printed)
    .replace(/\s+/g, ' ')
    .replace(/:\/\/[^/\s]*@/g, '://')
    .trim();
  return cutText(line, MAX_WORDS);
}

/** Redacts secrets. Do this before cutting a text, because the cut could leave the first half of a secret. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3).sort((a, b) => b.length - a.length);
  return known.reduce((rest, secret) => {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replaceAll('=', '')];
    return forms.reduce((left, form) => left.replaceAll(form, '[secret]'), rest);
  }, text);
}
