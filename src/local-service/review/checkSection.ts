import { showInvisible } from '../../base/text';
import type { CheckedResult } from '../../checks/process/checkResult';
import type { Finding, NotCheckedReason } from '../../checks/finding';
import type { CheckState } from '../check/jobChecks';
import { cutText } from '../text';
import { escapeMarkup } from './html';
import type { Language } from './language';

/** Further findings are folded, so that the changes aren't far down the page. */
const MAX_UNFOLDED = 10;

const HASH_LENGTH = 7;

/** Maximum length of a name, a link target, a message, or the subject of a commit, and of a path, in characters. */
const MAX_TEXT = 120;
const MAX_PATH = 200;

/** What the check of the added lines has found, in the words of the job's page in the editor. */
export function checkSection(check: CheckState, language: Language): string {
  const { t } = language;
  if (check === 'running') {
    return section(`<p id="check" class="note">${t('The added lines are still being checked against the code.')}</p>`);
  }
  const found = (check?.findings.length ?? 0) + (check?.more ?? 0);
  if (check === undefined || (found === 0 && check.coverage.pages === 0)) {
    return '';
  }
  const notChecked = notCheckedText(new Set(check.coverage.notChecked.map(({ reason }) => reason)), language);
  const rest = notChecked === undefined ? '' : `\n<p class="note">${notChecked}</p>`;
  return section((found === 0 ? nothingFound(check.coverage.pages, language) : list(check, found, language)) + rest);
}

function section(body: string): string {
  return `<section class="check" aria-labelledby="check">\n${body}\n</section>`;
}

function nothingFound(pages: number, { t }: Language): string {
  const text =
    pages === 1
      ? t('Checked against the code: no problems in the lines added to 1 page.')
      : t('Checked against the code: no problems in the lines added to {0} pages.', pages);
  return `<p id="check" class="note">${text}</p>`;
}

function list({ findings, more }: CheckedResult, found: number, language: Language): string {
  const { t } = language;
  const title = found === 1 ? t('1 problem in the added lines') : t('{0} problems in the added lines', found);
  const items = findings.map((finding) => {
    const place = `${shown(finding.place.path, MAX_PATH)}:${finding.place.line}`;
    return `<li><bdi class="path">${place}</bdi> <bdi>${findingText(finding, language)}</bdi></li>`;
  });
  const rest = more === 0 ? [] : [`<li class="note">${t('… and {0} more', more)}</li>`];
  const [first, folded] = [items.slice(0, MAX_UNFOLDED), [...items.slice(MAX_UNFOLDED), ...rest]];
  const ul = (lines: readonly string[]): string => `<ul class="findings">\n${lines.join('\n')}\n</ul>`;
  const fold = `<details><summary>${t('… and {0} more', found - first.length)}</summary>${ul(folded)}</details>`;
  return [`<h2 id="check">${title}</h2>`, ul(first), ...(folded.length === 0 ? [] : [fold])].join('\n');
}

function findingText(finding: Finding, { t }: Language): string {
  switch (finding.rule) {
    case 'gone-name': {
      const { name, removed, successor } = finding;
      return [
        t('“{0}” is no longer in the code.', shown(name)),
        removed &&
          t('Removed in {0} (“{1}”).', escapeMarkup(removed.commit.slice(0, HASH_LENGTH)), shown(removed.subject)),
        successor === null ? null : t('Probably replaced by “{0}”.', shown(successor)),
      ]
        .filter((each) => each !== null)
        .join(' ');
    }
    case 'unknown-name':
      return finding.certainty === 'certain'
        ? t('“{0}” isn’t in the code, its history, or its dependencies.', shown(finding.name))
        : t('“{0}” was not found in the code.', shown(finding.name));
    case 'broken-link':
      return finding.problem === 'file'
        ? t('The link “{0}” doesn’t lead to a file.', shown(finding.target))
        : t('The link “{0}” leads to a page without this heading.', shown(finding.target));
    case 'missing-image':
      return t('The image “{0}” doesn’t exist.', shown(finding.target));
    case 'invalid-code':
      return t('This block isn’t valid {0}: {1}', shown(finding.language).toUpperCase(), shown(finding.message));
  }
}

function notCheckedText(reasons: ReadonlySet<NotCheckedReason>, { t }: Language): string | undefined {
  if (reasons.has('time')) {
    return t('The time limit was reached before everything was checked.');
  }
  if (reasons.has('shallow')) {
    return t('The clone is shallow, so its history wasn’t searched.');
  }
  return reasons.size === 0 ? undefined : t('Not everything could be checked.');
}

/** Foreign text on one line. An invisible character can be why a name isn't found, so it is shown. */
function shown(text: string, max = MAX_TEXT): string {
  return escapeMarkup(cutText(showInvisible(text.slice(0, max * 4)).replace(/\s+/g, ' '), max));
}
