import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Finding } from '../../../../src/checks/finding';
import type { GoneName } from '../../../../src/checks/process/checkOutput';
import { findingMessage } from '../../../../src/extension/presentation/findingMessage';

const finding: GoneName = {
  rule: 'gone-name',
  place: { path: 'docs/a.md', line: 3, column: 5, endColumn: 18 },
  name: 'maxRetryCount',
  kind: 'identifier',
  written: 'a'.repeat(40),
  removed: { commit: '0123456789abcdef', subject: 'Rename the retry options', date: 1 },
  successor: 'retryLimit',
};

describe('the text of a finding', () => {
  it('names the commit that removed the name, and the likely successor', () => {
    strictEqual(
      findingMessage(finding),
      '“maxRetryCount” is no longer in the code. Removed in 0123456 (“Rename the retry options”). Probably replaced by “retryLimit”.',
    );
  });

  it('says only what is known', () => {
    strictEqual(
      findingMessage({ ...finding, removed: null, successor: null }),
      '“maxRetryCount” is no longer in the code.',
    );
  });

  it('is one line without hidden characters, whatever a commit says', () => {
    const removed = { commit: '0123456789abcdef', subject: `a\n\u202eb${'c'.repeat(1_000)}`, date: 1 };
    const text = findingMessage({ ...finding, removed });
    strictEqual(/[\n\u202e]/.test(text), false);
    strictEqual(text.length < 300, true);
  });

  it('says for each rule what is wrong, with invisible characters shown', () => {
    const { place } = finding;
    const all: Finding[] = [
      { rule: 'unknown-name', place, name: '--retry\u200b-max', kind: 'flag', certainty: 'certain' },
      { rule: 'unknown-name', place, name: 'retryMax', kind: 'identifier', certainty: 'likely' },
      { rule: 'broken-link', place, target: 'setup.md', problem: 'file' },
      { rule: 'broken-link', place, target: 'setup.md#start', problem: 'anchor' },
      { rule: 'missing-image', place, target: 'logo.png' },
      { rule: 'invalid-code', place, language: 'json', message: 'Unexpected end' },
    ];
    deepStrictEqual(all.map(findingMessage), [
      '“--retry⟨U+200B⟩-max” isn’t in the code, its history, or its dependencies.',
      '“retryMax” was not found in the code.',
      'The link “setup.md” doesn’t lead to a file.',
      'The link “setup.md#start” leads to a page without this heading.',
      'The image “logo.png” doesn’t exist.',
      'This block isn’t valid JSON: Unexpected end',
    ]);
  });
});
