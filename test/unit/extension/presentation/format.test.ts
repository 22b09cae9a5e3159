import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { fill, formatOf } from '../../../../src/extension/presentation/format';

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
