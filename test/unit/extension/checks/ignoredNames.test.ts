import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { ConfigurationError } from '../../../../src/checks/configuration';
import { addIgnoredName } from '../../../../src/extension/features/checks/ignoreFinding';

describe('the file with the ignored names', () => {
  it('is created with the name and the reason', () => {
    strictEqual(
      addIgnoredName(undefined, 'maxRetryCount', 'An option of curl'),
      '{\n  "ignore": [\n    {\n      "name": "maxRetryCount",\n      "reason": "An option of curl"\n    }\n  ]\n}\n',
    );
  });

  it('keeps the other settings, their order and the indentation', () => {
    const before =
      '{\n\t"documentation": ["docs/**"],\n\t"ignore": [{ "name": "a", "reason": "b" }],\n\t"code": []\n}\n';
    const after = addIgnoredName(before, 'c', 'd');
    deepStrictEqual(Object.entries(JSON.parse(after) as object), [
      ['documentation', ['docs/**']],
      [
        'ignore',
        [
          { name: 'a', reason: 'b' },
          { name: 'c', reason: 'd' },
        ],
      ],
      ['code', []],
    ]);
    strictEqual(after.split('\n')[1], '\t"documentation": [');
  });

  it('keeps Windows line endings', () => {
    const after = addIgnoredName('{\r\n    "ignore": []\r\n}\r\n', 'a', 'b');
    strictEqual(after.replaceAll('\r\n', '').includes('\n'), false);
    strictEqual(after.split('\r\n')[1], '    "ignore": [');
  });

  it('contains each name once, with the latest reason', () => {
    const once = addIgnoredName(undefined, 'a', 'old');
    deepStrictEqual(JSON.parse(addIgnoredName(once, 'a', 'new')), { ignore: [{ name: 'a', reason: 'new' }] });
  });

  it('may contain colons and quotation marks in its texts', () => {
    const [name, reason] = ['a::b', 'C++: \\"std::\\" \\u003a'];
    deepStrictEqual(JSON.parse(addIgnoredName(addIgnoredName(undefined, name, reason), 'c', 'd')), {
      ignore: [
        { name, reason },
        { name: 'c', reason: 'd' },
      ],
    });
  });

  for (const text of [
    '',
    '{"ignore": [',
    '[]',
    'null',
    '"text"',
    '{"ignore": {}}',
    '{"ignored": []}',
    '{ // comment\n}',
    '{"ignore": [{"name": "mine", "reason": "r"}], "ignore": []}',
    '{"ignore": [{"name": "x", "reason": "a: \\": b", "\\u0072eason": "r"}]}',
    '[['.repeat(200),
  ]) {
    it(`is not touched if it can’t be read: ${text.slice(0, 20)}`, () => {
      throws(() => addIgnoredName(text, 'a', 'b'), ConfigurationError);
    });
  }
});
