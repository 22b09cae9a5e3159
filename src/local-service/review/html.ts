import { createHash } from 'node:crypto';
import { showInvisible } from '../../base/text';
import { pathOf } from '../../protocol/routes';
import type { Language } from './language';
import { REVIEW_STYLE } from './reviewStyle';

export interface HtmlPage {
  html: string;
  /** The page's Content-Security-Policy: allows one style sheet and at most one script, by their hashes. */
  policy: string;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for an element or a quoted attribute, and replaces invisible characters by their numbers. */
export function escapeHtml(text: string): string {
  return escapeMarkup(showInvisible(text));
}

/**
 * Like `escapeHtml`, for part of a text whose invisible characters are already replaced: a cut can leave half of an
 * emoji.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** @param page all values already escaped; `script` is the page's own and may send requests to the service */
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

/**
 * The response to a one-time URL, which forwards to the page. Not a redirect: when the first page came from another
 * site, browsers send no `SameSite=Strict` cookie along a chain of redirects. A refresh starts from this page, which is
 * same-site, and replaces the URL with the code in the history.
 */
export function renderEntryPage(path: string, { tag, t }: Language): HtmlPage {
  const head = `<meta http-equiv="refresh" content="0; url=${escapeHtml(path)}">`;
  const body = `<main><p><a href="${escapeHtml(path)}">${t('Continue to the review page')}</a></p></main>`;
  return htmlPage({ lang: tag, title: t('Review'), body, head });
}

/** Explains how to open the review page, to anyone who has only its URL. */
export function renderClosedPage(origin: string, jobId: string, { tag, t }: Language): HtmlPage {
  const url = origin + pathOf('openReview', { projectId: 'PROJECT', jobId });
  const command = `curl -X POST -H "Authorization: Bearer $(cat KEYFILE)" ${url}`;
  const title = t('Open this review from VS Code');
  const body = `<header><p class="kicker">Docs Agent</p></header>
<main>
<h1>${title}</h1>
<p>${t('For security, this page can’t be opened by its URL alone. In VS Code, open the job’s page and choose {0}. Do this again after the local service restarts.', `<b>${t('Open in Browser')}</b>`)}</p>
<p>${t('Without VS Code, use this command to get a one-time URL for the page. PROJECT and KEYFILE are in the line that the service printed when it started:')}</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre>
</main>`;
  return htmlPage({ lang: tag, title, body });
}
