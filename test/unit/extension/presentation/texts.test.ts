import assert, { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { fill, formatOf } from '../../../../src/extension/presentation/format';
import { failureText } from '../../../../src/extension/presentation/serviceText';
import type { Snapshot } from '../../../../src/jobs/events';
import { coded } from '../../../../src/protocol/codedText';
import { findingForAgent, findingMessage } from '../../../../src/extension/presentation/findingMessage';
import { changedDefault, EVIDENCE, evidenceOf, goneName, unknownName } from '../../../support/findings';

describe('job page formatting', () => {
  it('shows the two largest units of a duration', () => {
    const { duration } = formatOf('en');
    const seconds = [0, 0.4, 59, 60, 61, 3600, 3661, 90_000, 86_400, 1e9, -5, Number.NaN];
    deepStrictEqual(
      seconds.map((each) => duration(each * 1000)),
      [
        ...['0 sec', '0 sec', '59 sec', '1 min', '1 min 1 sec', '1 hr', '1 hr 1 min', '1 day 1 hr', '1 day'],
        ...['11,574 days 1 hr', '0 sec', '0 sec'],
      ],
    );
    strictEqual(formatOf('de').duration(3_661_000), '1 Std. 1 Min.');
  });

  it('uses English for an unknown language and shows nothing for an invalid time', () => {
    strictEqual(formatOf('not a language').number(1000), '1,000');
    strictEqual(formatOf('en').time(Number.NaN), '');
    strictEqual(formatOf('en').time(1e300), '');
  });

  it('writes an amount as the language does, and a small one not as zero', () => {
    const { cost } = formatOf('en');
    deepStrictEqual(
      [0, 0.12, 0.0012, 1234.5].map((amount) => cost(amount, 'USD')),
      ['$0.00', '$0.12', '$0.0012', '$1,234.50'],
    );
    strictEqual(formatOf('de').cost(0.125, 'EUR'), '0,13\u00a0€');
    strictEqual(cost(1, 'JPY'), '¥1');
    strictEqual(cost(2, 'XQX'), 'XQX\u00a02.00');
  });

  it('inserts values into the placeholders of a text', () => {
    strictEqual(fill('{0} of {1}, {2}', '3', '$&'), '3 of $&, {2}');
  });
});

describe('the reason why a job failed', () => {
  const none = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  const snapshot: Snapshot = { id: 'j1', status: 'failed', ...none };

  it('says what the agent reported, and then how it ended', () => {
    const end = coded('agentEndedWithCode', { code: 1 });
    const error = coded('endedSaying', { text: end, words: 'No model' });
    const told = 'No model. The agent failed with exit code 1.';
    assert.equal(failureText({ ...snapshot, error: 'other words', coded: { error } }), told);
  });

  it('says so when the service gives no reason', () => {
    assert.equal(failureText(snapshot), 'The service gave no reason.');
    assert.equal(failureText({ ...snapshot, error: '' }), 'The service gave no reason.');
    assert.equal(failureText({ ...snapshot, error: 'no such branch' }), 'no such branch');
  });

  it('is empty for a job that was stopped or did not fail', () => {
    assert.equal(failureText({ ...snapshot, stopped: true }), '');
    assert.equal(failureText({ ...snapshot, status: 'completed' }), '');
    assert.equal(failureText(undefined), '');
  });
});

describe('the text of a finding', () => {
  it('is one line without hidden characters, whatever a commit says', () => {
    const text = findingMessage(goneName({ evidence: evidenceOf(`a\n\u202eb${'c'.repeat(1_000)}`) }));
    strictEqual(/[\n\u202e]/.test(text), false);
    strictEqual(text.length < 300, true);
  });

  it('shows the invisible characters of a name', () => {
    strictEqual(findingMessage(unknownName()), '“--retry⟨U+200B⟩-`max`” was not found in the code.');
  });

  it('tells an agent what happened to the line of code', () => {
    const removed = goneName({ evidence: { ...EVIDENCE, after: null }, successor: null });
    deepStrictEqual([changedDefault(), removed].map(findingForAgent), [
      'The default of `retries` is `3`, not `5`. Changed in `0123456789` (`Rename the retry options`). In `src/retry.ts`, `retries = 5` became `retries = 3`.',
      '`attempts` is no longer in the code. Removed in `0123456789` (`Rename the retry options`). In `src/retry.ts`, `const attempts = 5;` was removed.',
    ]);
  });
});
