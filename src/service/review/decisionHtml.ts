import { escapeHtml } from './escapeHtml';
import type { Review } from './review';

/** What can be done with the work: merge or close it here, or go to its pull request. Buttons are for the script. */
export function decision(review: Review): string {
  const { folder, branch, pullRequest, review: state } = review;
  const { t } = review.language;
  if (pullRequest !== undefined) {
    return `<section aria-labelledby="decision">
<h2 id="decision">${t('Pull request')}</h2>
<p>${t('This work is reviewed and merged on the code host:')}</p>
<p><a href="${escapeHtml(pullRequest)}" rel="noreferrer">${escapeHtml(pullRequest)}</a></p>
</section>`;
  }
  if (state !== 'open') {
    const words =
      state === 'merged'
        ? t('This work is merged into your branch.')
        : t('This review is closed. Nothing was merged; the branch is still there.');
    return `<section aria-labelledby="decision">
<h2 id="decision">${state === 'merged' ? t('Merged') : t('Closed')}</h2>
<p>${words} ${t('To have more done, send a follow-up from the editor.')}</p>
</section>`;
  }
  return `<section aria-labelledby="decision">
<h2 id="decision">${t('Merge')}</h2>
${review.script === '' ? '' : buttons(review)}
<div id="by-hand">
<p>${t('The branch is in your repository already. To merge it by hand, run this in {0}:', `<code>${escapeHtml(folder)}</code>`)}</p>
<pre class="command"><code>git merge ${escapeHtml(branch)}</code></pre>
</div>
</section>`;
}

function buttons({ merge, branch, language: { t, sentence } }: Review): string {
  const kept = `<code>${escapeHtml(branch)}</code>`;
  return `<div id="actions" class="actions" hidden>
<div id="choices">
<p id="merge-words">${escapeHtml(sentence(merge.words))} ${t('Only the changed files are written; no hook runs.')}</p>
<p id="close-words">${t('Closing merges nothing: the branch {0} stays as it is.', kept)}</p>
<p class="buttons">
<button type="button" class="primary" id="merge" aria-describedby="merge-words">${t('Merge')}</button>
<button type="button" id="close" aria-describedby="close-words">${t('Close')}</button>
</p>
</div>
<p id="decided" class="decided" role="status" tabindex="-1"></p>
</div>`;
}
