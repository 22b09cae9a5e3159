import { createHash } from 'node:crypto';
import { showInvisible } from '../../shared/util/invisible';
import { REVIEW_STYLE } from './reviewStyle';

export interface HtmlPage {
  html: string;
  /** The page's Content-Security-Policy: one style sheet and at most one script, known by their hashes. */
  policy: string;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text for an element or a quoted attribute; invisible characters are written as their numbers. */
export function escapeHtml(text: string): string {
  return escapeMarkup(showInvisible(text));
}

/** The same for part of a text whose invisible characters are replaced already: a cut can leave half of an emoji. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * @param page all of it escaped; `script` is the page's own and may send requests to the service
 */
export function htmlPage(page: {
  lang: string;
  title: string;
  body: string;
  head?: string;
  script?: string;
}): HtmlPage {
  const { lang, title, body, head = '', script = '' } = page;
  const html = `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${title} · Docs Agent</title>
<style>${REVIEW_STYLE}</style>
</head>
<body>
${body}
${script === '' ? '' : `<script type="module">${script}</script>`}
</body>
</html>
`;
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `style-src ${hash(REVIEW_STYLE)}`,
    ...(script === '' ? [] : [`script-src ${hash(script)}`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return { html, policy: policy.join('; ') };
}
