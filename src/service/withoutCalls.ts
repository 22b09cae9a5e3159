/**
 * A text in which nothing calls a person (`@name`), leaves a mark on an issue (`#1`, `!1`, `owner/name#1`, `GH-1`) or
 * closes it ("fixes #1") where a code host shows it. An invisible character that joins words stands in between.
 */
export function withoutCalls(text: string): string {
  return text
    .replace(/@(?=[A-Za-z0-9_-])/g, '@\u2060')
    .replace(/([#!])(?=\d)/g, '$1\u2060')
    .replace(/\b(GH-)(?=\d)/gi, '$1\u2060')
    .replace(/https?:\/\/[^\s)]+/gi, (address) =>
      address.replace(/(\/(?:issues|pull|pulls|merge_requests|work_items)\/)(?=\d)/gi, '$1\u2060'),
    );
}
