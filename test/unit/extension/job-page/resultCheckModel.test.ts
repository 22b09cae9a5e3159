import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import type { Finding } from '../../../../src/checks/finding';
import { fixRequest } from '../../../../src/extension/features/job-page/fixRequest';
import { resultCheckModel } from '../../../../src/extension/features/job-page/resultCheckModel';
import { coverage, place, SAMPLE_FINDINGS as ALL } from '../../../support/runCheck';

describe('the check of a result on the page of a job', () => {
  const model = (findings: readonly Finding[], more: number, covered = coverage(2)) =>
    resultCheckModel({ findings, more, coverage: covered });

  it('says on one line that nothing was found, and nothing if no page has new lines', () => {
    strictEqual(model([], 0)?.title, 'Checked against the code: no problems in the lines added to 2 pages.');
    deepStrictEqual(model([], 0, coverage(1)), {
      title: 'Checked against the code: no problems in the lines added to 1 page.',
      findings: [],
    });
    strictEqual(model([], 0, coverage(0, 'shallow')), undefined);
  });

  it('lists what was found, each with its page and line, and a follow-up about it', () => {
    const shown = model(ALL.slice(0, 1), 0);
    deepStrictEqual(
      [shown?.title, shown?.findings, shown?.more],
      [
        '1 problem in the added lines',
        [{ place: 'docs/a.md:3', text: '“--retry⟨U+200B⟩-`max`” was not found in the code.' }],
        undefined,
      ],
    );
    const many = model(ALL, 1_000);
    deepStrictEqual([many?.title, many?.more], ['1,006 problems in the added lines', '… and 1,000 more']);
    ok(many?.request?.includes('found 1,006 problems'));
  });

  it('says briefly what was not checked', () => {
    strictEqual(model([], 0, coverage(1, 'shallow', 'time'))?.notChecked?.startsWith('The time limit'), true);
    strictEqual(
      model([], 0, coverage(1, 'shallow'))?.notChecked,
      'The clone is shallow, so its history wasn’t searched.',
    );
    strictEqual(model([], 0, coverage(1, 'submodule'))?.notChecked, 'Not everything could be checked.');
  });

  it('is bounded, whatever a repository contains', () => {
    const long = 'x\u202e'.repeat(5_000);
    const findings: Finding[] = Array.from({ length: 100 }, () => ({
      rule: 'missing-image',
      place: place(long.slice(0, 4_096), 1),
      target: long.slice(0, 300),
    }));
    const shown = model(findings, 0);
    ok(JSON.stringify(shown?.findings).length < 200_000);
    ok((shown?.request?.length ?? 0) < 500_000);
    ok(!JSON.stringify(shown).includes('\u202e'));
  });
});

describe('the follow-up about the check of a result', () => {
  it('lists each problem in one line, with foreign text in code font', () => {
    const [task, empty, ...lines] = fixRequest(ALL, 2).split('\n');
    match(task ?? '', /^A check of the lines that you added found 8 problems\. /);
    strictEqual(empty, '');
    deepStrictEqual(lines, [
      '- `docs/a.md`, line 3: `` --retry[U+200B]-`max` `` was not found in the code',
      '- `docs/a.md`, line 4: `attempts` is no longer in the code, removed in 0123456789ab, likely successor `maxAttempts`',
      '- `docs/b.md`, line 1: the link `x.md` doesn’t lead to a file',
      '- `docs/b.md`, line 2: the link `a.md#x` leads to a page without this heading',
      '- `docs/b.md`, line 3: the image `x.png` doesn’t exist',
      '- `docs/b.md`, line 5: this `json` isn’t valid: `Unexpected end`',
      '- … and 2 more',
    ]);
  });
});
