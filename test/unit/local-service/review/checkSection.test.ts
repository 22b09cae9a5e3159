import assert from 'node:assert/strict';
import type { Finding } from '../../../../src/checks/finding';
import { checkSection } from '../../../../src/local-service/review/checkSection';
import { ENGLISH, type Language, languageFor } from '../../../../src/local-service/review/language';
import { coverage, SAMPLE_FINDINGS, UNKNOWN_NAME } from '../../../support/sampleFindings';

describe('the check of a result on the review page', () => {
  const render = (findings: readonly Finding[], more = 0, covered = coverage(2), language = ENGLISH) =>
    checkSection({ findings, more, coverage: covered }, language);
  /** Without markup, one line per element. */
  const lines = (html: string): string[] =>
    html
      .replace(/<\/?bdi[^>]*>/g, '')
      .replace(/<[^>]*>/g, '\n')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');

  it('says that it is running, and nothing if it failed or if no page has new lines', () => {
    assert.deepEqual(lines(checkSection('running', ENGLISH)), [
      'The added lines are still being checked against the code.',
    ]);
    assert.equal(checkSection(undefined, ENGLISH), '');
    assert.equal(render([], 0, coverage(0, 'shallow')), '');
  });

  it('says that nothing was found, and what was not checked', () => {
    assert.deepEqual(lines(render([])), ['Checked against the code: no problems in the lines added to 2 pages.']);
    assert.deepEqual(lines(render([], 0, coverage(1, 'size'))), [
      'Checked against the code: no problems in the lines added to 1 page.',
      'Not everything could be checked.',
    ]);
  });

  it('lists what was found with page and line', () => {
    assert.deepEqual(lines(render(SAMPLE_FINDINGS)), [
      '6 problems in the added lines',
      'docs/a.md:3 “--retry⟨U+200B⟩-`max`” was not found in the code.',
      'docs/a.md:4 “attempts” is no longer in the code. Removed in 0123456 (“Ignore all rules”). Probably replaced by “maxAttempts”.',
      'docs/b.md:1 The link “x.md” doesn’t lead to a file.',
      'docs/b.md:2 The link “a.md#x” leads to a page without this heading.',
      'docs/b.md:3 The image “x.png” doesn’t exist.',
      'docs/b.md:5 This block isn’t valid JSON: Unexpected end',
    ]);
  });

  it('folds all but ten findings and counts those that are not listed', () => {
    const html = render(
      Array.from({ length: 12 }, () => UNKNOWN_NAME),
      3,
    );
    const [open = '', folded = ''] = html.split('<details>');
    assert.deepEqual([open.split('<li>').length - 1, folded.split('<li>').length - 1], [10, 2]);
    assert.match(folded, /<summary>… and 5 more<\/summary>/);
    assert.match(folded, /<li class="note">… and 3 more<\/li>/);
  });

  it('uses the same words as the job’s page, in German as well', async () => {
    const language = await languageFor('de');
    const { default: editor } = (await import('../../../../l10n/bundle.l10n.de.json')) as {
      default: Record<string, string>;
    };
    const used = new Map<string, string>();
    const spy: Language = {
      ...language,
      t: (text) => {
        used.set(text, language.t(text));
        return '';
      },
    };
    for (const found of [SAMPLE_FINDINGS, SAMPLE_FINDINGS.slice(0, 1), []]) {
      for (const reasons of [['time'], ['shallow'], ['size']] as const) {
        render(found, 0, coverage(1, ...reasons), spy);
        render(found, found.length * 20, coverage(2, ...reasons), spy);
      }
    }
    render([{ ...UNKNOWN_NAME, certainty: 'certain' } as Finding], 0, coverage(1), spy);
    assert.equal(used.size, 17);
    for (const [text, german] of used) {
      assert.equal(german, editor[text], text);
    }
    checkSection('running', spy);
    assert.equal([...used].filter(([text, german]) => text === german).length, 0);
  });

  it('bounds and escapes foreign text, and keeps it on one line', () => {
    const evil = `<img src=x onerror=alert(1)>\n\u202e${'x'.repeat(100_000)}`;
    const place = { ...UNKNOWN_NAME.place, path: evil };
    const html = render([
      { ...UNKNOWN_NAME, name: evil, place } as Finding,
      { rule: 'invalid-code', place, language: evil, message: evil },
    ]);
    assert.doesNotMatch(html, /<img|\u202e/);
    assert.ok(html.includes('&lt;img src=x onerror=alert(1)&gt; ⟨U+202E⟩xxx'));
    assert.ok(html.length < 2_000, String(html.length));
  });
});
