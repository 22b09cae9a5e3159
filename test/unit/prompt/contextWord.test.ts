import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contextWord } from '../../../src/prompt/contextBlock';

describe('contextWord', () => {
  for (const [before, letters, start, canBeHeading] of [
    ['#', '', 0, true],
    ['  #', '', 2, true],
    ['#sel', 'sel', 0, false],
    ['See #', '', 4, false],
    ['See #src/read', 'src/read', 4, false],
    ['(#file', 'file', 1, false],
    ['“#file', 'file', 1, false],
    ['#one #two', 'two', 5, false],
  ] as const) {
    it(`recognizes the word in “${before}”`, () =>
      assert.deepEqual(contextWord([], before), { letters, start, canBeHeading }));
  }

  for (const before of ['# ', '# Title', '## ', '##', 'a#b', 'C# ', 'issue#', '    #include', '\t#', '`#', '']) {
    it(`finds no word in “${before}”`, () => assert.equal(contextWord([], before), undefined));
  }

  it('finds no word inside code blocks', () => {
    assert.equal(contextWord(['```sh'], '#'), undefined);
    assert.equal(contextWord(['````', '```', 'x'], '#'), undefined);
    assert.equal(contextWord(['~~~', '```'], '#'), undefined);
    assert.ok(contextWord(['```sh', 'x', '```'], '#'));
    assert.ok(contextWord(['~~~', '```', '~~~~'], '#'));
    assert.ok(contextWord(['``` not `a fence`'], '#'));
  });

  it('returns the start of the mark and the letters after it', () => {
    fc.assert(
      fc.property(fc.string(), (before) => {
        const word = contextWord([], before);
        assert.ok(word === undefined || before.slice(word.start) === `#${word.letters}`);
      }),
    );
  });
});
