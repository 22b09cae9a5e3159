import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { array, assert, constantFrom, nat, property, string, tuple } from 'fast-check';
import {
  movePlace,
  type TextPlace,
  placeTexts,
  readShift,
  standsAt,
} from '../../../../src/extension/features/checks/textPlaces';

const at = (line: number, start: number, text: string): { text: string; place: TextPlace } => ({
  text,
  place: { line, start, end: start + text.length },
});

describe('the place of a text', () => {
  it('is kept on a page that has not changed', () => {
    deepStrictEqual(placeTexts(['', 'Set `limit`.'], [at(1, 5, 'limit')]), [{ line: 1, start: 5, end: 10 }]);
  });

  it('is the nearest line with the name on a page that has changed, and is given to one name only', () => {
    const lines = ['new', 'new', 'Set `limit`.', '', 'And `limit`.', 'unlimited, limits'];
    deepStrictEqual(placeTexts(lines, [at(0, 5, 'limit'), at(2, 5, 'limit'), at(5, 20, 'limit')]), [
      undefined,
      { line: 2, start: 5, end: 10 },
      { line: 4, start: 5, end: 10 },
    ]);
  });

  it('is unknown when the name is too far away', () => {
    const lines = [...Array.from({ length: 150 }, () => ''), '`limit`'];
    deepStrictEqual(placeTexts(lines, [at(10, 1, 'limit'), at(60, 1, 'limit')]), [
      undefined,
      { line: 150, start: 1, end: 6 },
    ]);
  });

  it('is searched for nearby first when many names are gone, and only as far as the editor can wait', () => {
    const lines = Array.from({ length: 300 }, () => 'limits'.repeat(300));
    lines[101] = '`limit`';
    lines[180] = '`timeout`';
    const gone = Array.from({ length: 30 }, () => at(100, 5_000, 'limits'));
    const places = placeTexts(lines, [at(100, 1, 'timeout'), ...gone, at(100, 1, 'limit')]);
    deepStrictEqual([places.at(0), places.at(-1)], [undefined, { line: 101, start: 1, end: 6 }]);
    deepStrictEqual(placeTexts(lines, [at(100, 1, 'timeout')]), [{ line: 180, start: 1, end: 8 }]);
  });

  it('moves with every edit outside of the name, like a mark in the text', () => {
    const text = constantFrom('a', 'b c', '\n', 'x\ny', '');
    const edits = array(tuple(nat(100), nat(100), text), { maxLength: 5 });
    assert(
      property(array(string(), { maxLength: 4 }), edits, (before, changes) => {
        let whole = `${before.join('\n').replaceAll('\r', '')} NAME\nend`;
        let offset = whole.lastIndexOf('NAME');
        let place = placeAt(whole, offset);
        for (const [one, other, added] of changes) {
          const [from = 0, to = 0] = [one, other].map((each) => each % (whole.length + 1)).toSorted((a, b) => a - b);
          const range = { start: positionAt(whole, from), end: positionAt(whole, to) };
          const moved = movePlace(place, readShift({ range, text: added }));
          if (to > offset && from < offset + 4) {
            strictEqual(moved, undefined);
            return;
          }
          whole = whole.slice(0, from) + added + whole.slice(to);
          offset += to <= offset ? added.length - (to - from) : 0;
          place = placeAt(whole, offset);
          deepStrictEqual(moved, place);
        }
      }),
    );
  });

  it('contains the name only if it is not part of a longer one', () => {
    const place = { start: 1, end: 4 };
    deepStrictEqual(
      ['`max`', '`maxi`', '$max', '_max', '`max-1`', '`mix`'].map((line) => standsAt(line, 'max', place)),
      [true, false, false, false, true, false],
    );
  });
});

function placeAt(text: string, offset: number): TextPlace {
  const { line, character } = positionAt(text, offset);
  return { line, start: character, end: character + 4 };
}

function positionAt(text: string, offset: number): { line: number; character: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)!.length };
}
