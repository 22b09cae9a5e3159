/** Cuts a text to a number of characters, the last one an ellipsis. Never cuts inside a character. */
export function cutText(text: string, maxCharacters: number): string {
  // A character is at most two UTF-16 units, so the rest of a long text makes no difference.
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 1));
  const kept = characters.slice(0, maxCharacters - 1);
  return characters.length > maxCharacters ? `${kept.join('').trimEnd()}…` : text;
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
