import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { spotsInSettings } from '../../../../src/prompt/template/templateSpots';

const texts = (source: string): string[] => spotsInSettings(source, 'x.templates').map(({ text }) => text);

describe('templates in a file of settings', () => {
  it('are found beside comments, as texts and as lines, also in the settings of a workspace file', () => {
    const held = '{"One": "a", /* no */ "Two": ["b", 3, "c"], "Gone": null, "Number": 1,}';
    deepStrictEqual(texts(`{ // settings\n "y": {"x.templates": {"No": "no"}}, "x.templates": ${held} }`), [
      'a',
      'b',
      'c',
    ]);
    deepStrictEqual(texts(`{ "folders": [], "settings": {"x.templates": ${held}} }`), ['a', 'b', 'c']);
  });

  it('are none in what is no object, or is just being typed', () => {
    deepStrictEqual(['', '[]', '{"x.templates": 3}', '{"x.templates": ["a"]}'].flatMap(texts), []);
    deepStrictEqual(texts('{"x.templates": {"One": "a ${fi'), ['a ${fi']);
  });

  it('say what JSON says, and know where each part of it stands', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, escaped) => {
        const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
        const json = escaped ? `"${text.replace(/[^]/g, (unit) => `\\u${hex(unit)}`)}"` : JSON.stringify(text);
        const source = `{"x.templates": {"One": ${json}}}`;
        const [spot] = spotsInSettings(source, 'x.templates');
        strictEqual(spot?.text, text);
        for (let at = 0; at < text.length; at++) {
          const written = source.slice(spot.offsetOf(at), spot.offsetOf(at + 1));
          strictEqual(JSON.parse(`"${written}"`), text[at]);
        }
        strictEqual(source.slice(spot.offsetOf(text.length)), '"}}');
      }),
      { numRuns: 1000 },
    );
  });
});
