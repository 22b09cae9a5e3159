import { createHash } from 'node:crypto';
import { routes } from '../../shared/protocol/routes';
import { escapeHtml } from './escapeHtml';
import type { Language } from './language';
import type { ReviewPage } from './reviewPage';
import { REVIEW_STYLE } from './reviewStyle';

/**
 * Answers a one-time address and leads to the page. Not a redirect: where the first page came from another site, browsers
 * send no `SameSite=Strict` cookie along a chain of redirects. A refresh begins at this page, which is of the same site, and
 * takes the place of the address with the code in the history.
 */
export function entryPageOf(path: string, { tag, t }: Language): ReviewPage {
  const refresh = `<meta http-equiv="refresh" content="0; url=${escapeHtml(path)}">`;
  const link = `<p><a href="${escapeHtml(path)}">${t('Go on to the review')}</a></p>`;
  return pageOf(tag, t('Review'), link, refresh);
}

/** Tells how the review page is opened, to whoever comes with its address alone. */
export function closedPageOf(origin: string, jobId: string, { tag, t }: Language): ReviewPage {
  const url = origin + routes.reviewLink('PROJECT', jobId);
  const command = `curl -X POST -H "Authorization: Bearer $(cat KEYFILE)" ${url}`;
  const body = `
<h1>${t('Open this review from the editor')}</h1>
<p>${t('The address alone shows nothing, so that no one else on this machine can use it. In the editor, run {0} on the job in the Docs Agent list. Do so again after the local service was restarted.', `<b>${t('Open Pull Request')}</b>`)}</p>
<p>${t('Without the editor, this asks the service for an address that opens the page once. PROJECT and KEYFILE are in the line that the service wrote when it was started:')}</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre>`;
  return pageOf(tag, t('Open this review from the editor'), body);
}

function pageOf(tag: string, title: string, body: string, head = ''): ReviewPage {
  const html = `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${title} · Docs Agent</title>
<style>${REVIEW_STYLE}</style>
</head>
<body>
<header><p class="kicker">Docs Agent</p></header>
<main>${body}</main>
</body>
</html>
`;
  const style = createHash('sha256').update(REVIEW_STYLE).digest('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${style}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { html, policy: policy.join('; ') };
}
