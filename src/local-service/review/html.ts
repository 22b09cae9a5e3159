import { createHash } from 'node:crypto';
import { showInvisible } from '../../base/text';
import { REVIEW_STYLE } from './reviewStyle';

export interface HtmlPage {
  html: string;
  /** The page's Content-Security-Policy: allows one style sheet, by its hash, and nothing else. */
  policy: string;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for an element or a quoted attribute, and replaces invisible characters by their numbers. */
export function escapeHtml(text: string): string {
  return showInvisible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(REVIEW_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param page all values already escaped */
export function htmlPage({ title, body }: { title: string; body: string }): HtmlPage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Docs Agent</title>
<style>${REVIEW_STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return { html, policy: POLICY };
}
