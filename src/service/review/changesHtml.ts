import { escapeHtml } from './escapeHtml';
import type { ChangedFile } from './numstat';
import { renderDiff } from './renderDiff';
import type { Language } from './language';
import type { Review } from './review';

/** The list of files with what was added and deleted. */
export function fileList({ files, diff, language }: Review): string {
  const { t } = language;
  const items = files.map((file, index) => {
    const name = escapeHtml(file.from === undefined ? file.path : `${file.from} → ${file.path}`);
    const label =
      diff === undefined ? `<span class="path">${name}</span>` : `<a class="path" href="#f${index}">${name}</a>`;
    return `<li>${label} ${counts(file, language)}</li>`;
  });
  return `<nav aria-labelledby="files">
<h2 id="files">${t('Files')}</h2>
<ul class="files">${items.join('\n')}</ul>
</nav>`;
}

/** The diff of each file in its unified form, of which the script makes the split one. */
export function changes({ diff, baseCommit, branch, script, language }: Review): string {
  const { t } = language;
  if (diff === undefined) {
    const command = `git diff ${baseCommit.slice(0, 10)}...${branch}`;
    return `<section aria-labelledby="changes"><h2 id="changes">${t('Changes')}</h2>
<p>${t('The changes are too large to show here. Read them with:')}</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre></section>`;
  }
  const files = renderDiff(diff, language).map(({ name, note, rows }, index) => {
    const table = `<div class="scroll" role="region" tabindex="0" aria-label="${t('Changes in {0}', name)}"><table><tbody>${rows}</tbody></table></div>`;
    return `<article id="f${index}" aria-labelledby="n${index}" data-path="${name}">
<h3 id="n${index}"><span class="path">${name}</span>${note && ` <span class="note">${note}</span>`}</h3>
${rows === '' ? `<p class="nothing">${t('No text to compare.')}</p>` : table}
</article>`;
  });
  return `<section aria-labelledby="changes"><h2 id="changes">${t('Changes')}</h2>
${script === '' ? '' : viewSwitch(language)}
${files.join('\n')}</section>`;
}

function viewSwitch({ t }: Language): string {
  return `<div id="tools" hidden>
<div class="views" role="group" aria-label="${t('View')}">
<button type="button" data-view="unified" aria-pressed="true">${t('Unified')}</button>
<button type="button" data-view="split" aria-pressed="false">${t('Split')}</button>
</div>
<p class="hint" id="comment-hint">${t('Select a line number to comment on it. Shift and another one, or Shift and the arrow keys, take a range.')}</p>
</div>`;
}

export function totals({ files, language }: Review): string {
  const sum = (pick: (file: ChangedFile) => number | null): number =>
    files.reduce((total, file) => total + (pick(file) ?? 0), 0);
  const all = { added: sum((file) => file.added), deleted: sum((file) => file.deleted) };
  const { t } = language;
  const count = counts(all, language);
  return files.length === 1 ? t('1 file changed {0}', count) : t('{0} files changed {1}', files.length, count);
}

function counts({ added, deleted }: Pick<ChangedFile, 'added' | 'deleted'>, { t }: Language): string {
  if (added === null || deleted === null) {
    return `<span class="counts">${t('binary')}</span>`;
  }
  const words = t('{0} added, {1} deleted', added, deleted);
  return `<span class="counts" role="img" aria-label="${words}"><ins>+${added}</ins> <del>−${deleted}</del></span>`;
}
