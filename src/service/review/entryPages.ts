import { routes } from '../../shared/protocol/routes';
import { escapeHtml, type HtmlPage, htmlPage } from './html';
import type { Language } from './language';

/**
 * Answers a one-time address and leads to the page. Not a redirect: when the first page came from another site, browsers
 * send no `SameSite=Strict` cookie along a chain of redirects. A refresh starts from this page, which is of the same
 * site, and replaces the address with the code in the history.
 */
export function entryPageOf(path: string, { tag, t }: Language): HtmlPage {
  const head = `<meta http-equiv="refresh" content="0; url=${escapeHtml(path)}">`;
  const body = `<main><p><a href="${escapeHtml(path)}">${t('Go on to the review')}</a></p></main>`;
  return htmlPage({ lang: tag, title: t('Review'), body, head });
}

/** Tells how the review page is opened, to anyone who has only its address. */
export function closedPageOf(origin: string, jobId: string, { tag, t }: Language): HtmlPage {
  const url = origin + routes.reviewLink('PROJECT', jobId);
  const command = `curl -X POST -H "Authorization: Bearer $(cat KEYFILE)" ${url}`;
  const title = t('Open this review from the editor');
  const body = `<header><p class="kicker">Docs Agent</p></header>
<main>
<h1>${title}</h1>
<p>${t('The address alone shows nothing, so that no one else on this machine can use it. In the editor, run {0} on the job in the Docs Agent list. Do so again after the local service was restarted.', `<b>${t('Open Pull Request')}</b>`)}</p>
<p>${t('Without the editor, this asks the service for an address that opens the page once. PROJECT and KEYFILE are in the line that the service wrote when it was started:')}</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre>
</main>`;
  return htmlPage({ lang: tag, title, body });
}
