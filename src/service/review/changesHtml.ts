import { escapeHtml } from './html';
import { renderDiff } from './renderDiff';
import type { Language } from './language';
import type { Review } from './reviewPage';

/** A file in a diff. The counts are lines; null for a binary file. */
export interface ChangedFile {
  path: string;
  /** The former path of a renamed file. */
  from?: string;
  added: number | null;
  deleted: number | null;
}

/** Reads what `git diff --numstat -z` prints: `added TAB deleted TAB path NUL`, or for a rename an empty path and two more. */
export function parseNumstat(text: string): ChangedFile[] {
  const parts = text.split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const [added, deleted, path] = (parts[index] ?? '').split('\t');
    if (added === undefined || deleted === undefined || path === undefined) {
      continue;
    }
    const counts = { added: added === '-' ? null : Number(added), deleted: deleted === '-' ? null : Number(deleted) };
    if (path === '') {
      files.push({ ...counts, from: parts[index + 1] ?? '', path: parts[index + 2] ?? '' });
      index += 2;
    } else {
      files.push({ ...counts, path });
    }
  }
  return files;
}

/** The changed files and the diff of each. */
export function changes(review: Review): string {
  const { diff, baseCommit, branch, language } = review;
  const { t } = language;
  if (diff === undefined) {
    const command = `git diff ${baseCommit.slice(0, 10)}...${branch}`;
    return `<section aria-labelledby="changes"><h2 id="changes">${t('Changes')}</h2>
<p>${t('The changes are too large to show here. Read them with:')}</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre>
${fileList(review)}</section>`;
  }
  const files = renderDiff(diff, language).map(
    ({ name, note, rows }, index) => `<article id="f${index}" aria-labelledby="n${index}">
<h3 id="n${index}"><span class="path">${name}</span>${note && ` <span class="note">${note}</span>`}</h3>
${rows === '' ? `<p class="nothing">${t('No text to compare.')}</p>` : `<table><tbody>${rows}</tbody></table>`}
</article>`,
  );
  return `<section aria-labelledby="changes"><h2 id="changes">${t('Changes')}</h2>
${files.length > 1 ? fileList(review) : ''}
${files.join('\n')}</section>`;
}

function fileList({ files, diff, language }: Review): string {
  const { t } = language;
  const items = files.map((file, index) => {
    const name = escapeHtml(file.from === undefined ? file.path : `${file.from} → ${file.path}`);
    const label =
      diff === undefined ? `<span class="path">${name}</span>` : `<a class="path" href="#f${index}">${name}</a>`;
    return `<li>${label} ${counts(file, language)}</li>`;
  });
  return `<nav aria-label="${t('Files')}"><ul class="files">${items.join('\n')}</ul></nav>`;
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
