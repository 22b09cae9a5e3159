import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import { assert, array, constantFrom, jsonValue, nat, property, record, string } from 'fast-check';
import { CheckOutput, parseCheckLine } from '../../../src/checks/process/checkOutput';
import { EVIDENCE, evidenceOf, goneName, invalidCode, SAMPLE_FINDINGS } from '../../support/findings';

const finding = goneName({ place: { path: 'docs/a.md', line: 3, column: 5, endColumn: 18 }, name: 'maxRetryCount' });
const line = (changes: object = {}): string => JSON.stringify({ type: 'finding', finding: { ...finding, ...changes } });

describe('the output of a check', () => {
  it('is read the same however it is cut into chunks', () => {
    const lines = ['{"type":"progress","done":1,"total":2}', line(), 'no JSON', line({ name: 'größe' })];
    const text = `${lines.join('\n')}\n`;
    assert(
      property(array(nat(text.length)), (cuts) => {
        const output = new CheckOutput();
        const points = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const events = points.flatMap((at, index) => output.push(text.slice(at, points[index + 1])));
        deepStrictEqual(
          events.map(({ type }) => type),
          ['progress', 'finding', 'finding'],
        );
        strictEqual(output.dropped, 1);
      }),
    );
  });

  it('yields an event or counts a dropped line for each line, whatever the lines contain', () => {
    const some = record({
      type: constantFrom('progress', 'finding', 'end', 'x'),
      finding: jsonValue(),
      done: jsonValue(),
    });
    assert(
      property(array(some), array(string()), (objects, texts) => {
        const lines = [
          ...objects.map((each) => JSON.stringify(each)),
          ...texts.map((text) => text.replaceAll('\n', '')),
        ];
        const output = new CheckOutput();
        const events = output.push(`${lines.join('\n')}\n`);
        strictEqual(events.length + output.dropped, Math.max(1, lines.length));
      }),
    );
  });

  for (const [what, changes] of [
    ['an absolute path', { place: { ...finding.place, path: '/etc/passwd' } }],
    ['a path on a drive', { place: { ...finding.place, path: 'C:/secrets.md' } }],
    ['a path out of the repository', { place: { ...finding.place, path: 'docs/../../a.md' } }],
    ['a path out of the repository on Windows', { place: { ...finding.place, path: 'docs\\..\\..\\a.md' } }],
    ['a line that is not there', { place: { ...finding.place, line: 0 } }],
    ['no characters', { place: { ...finding.place, endColumn: 5 } }],
    ['an endless name', { name: 'a'.repeat(201) }],
    ['a commit that is no hash', { evidence: { ...EVIDENCE, commit: { ...EVIDENCE.commit, commit: '--output=x' } } }],
    ['evidence out of the repository', { evidence: { ...EVIDENCE, path: '../a.ts' } }],
    ['a name that can’t be compared', { name: { length: { toString: 1, valueOf: 1 } } }],
    ['the parts of another rule', { rule: 'broken-link' }],
    ['a rule that does not exist', { rule: 'typo' }],
  ] as const) {
    it(`drops a finding with ${what}`, () => strictEqual(parseCheckLine(line(changes)), undefined));
  }

  it('can contain findings of every rule', () => {
    // At an empty line.
    const empty = invalidCode({ place: { ...finding.place, column: 1, endColumn: 1 } });
    for (const each of [...SAMPLE_FINDINGS, empty]) {
      deepStrictEqual(parseCheckLine(JSON.stringify({ type: 'finding', finding: each })), {
        type: 'finding',
        finding: each,
      });
    }
  });

  it('shortens the subject of a commit, which has no limit in git', () => {
    const event = parseCheckLine(line({ evidence: evidenceOf('a'.repeat(5_000)) }));
    ok(event?.type === 'finding' && event.finding.rule === 'gone-name');
    strictEqual(event.finding.evidence?.commit.subject.length, 300);
  });

  it('drops an endless line and continues after it', () => {
    const output = new CheckOutput();
    for (let count = 0; count < 100; count++) {
      deepStrictEqual(output.push('x'.repeat(10_000)), []);
    }
    strictEqual(output.push(`\n${line()}\n`).length, 1);
    strictEqual(output.dropped, 1);
  });

  it('is rejected if it has too many lines', () => {
    const output = new CheckOutput();
    throws(() => output.push('\n'.repeat(500_001)));
  });
});
