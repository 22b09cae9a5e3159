import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { readFrontMatter } from '../../../../src/prompt/template/frontMatter';

const at = (source: string): unknown[] =>
  readFrontMatter(source).problems.map(({ kind, detail, start, end }) => [kind, detail, source.slice(start, end)]);

describe('the header of a template file', () => {
  it('names the template and says what it is for', () => {
    const source = '---\nname: "Write: a guide"\n# a comment\ndescription: 2026-11-21\n---\n\nText\n---\nmore';
    const { name, description, bodyStart, problems } = readFrontMatter(source);
    deepStrictEqual(
      { name, description, problems },
      { name: 'Write: a guide', description: '2026-11-21', problems: [] },
    );
    strictEqual(source.slice(bodyStart), '\nText\n---\nmore');
  });

  it('may be missing, and may begin with a byte order mark and end lines as Windows does', () => {
    deepStrictEqual(readFrontMatter('# Text\n---\n'), { bodyStart: 0, problems: [] });
    const source = '\uFEFF---\r\nname: Guide\r\n---\r\nText';
    const { name, bodyStart } = readFrontMatter(source);
    deepStrictEqual([name, source.slice(bodyStart)], ['Guide', 'Text']);
  });

  for (const [source, problem] of [
    ['---\nname: x\nText', ['unclosed', '', '---']],
    ['---\ntitle: x\nname: y\n---\n', ['unknownKey', 'title', 'title']],
    ['---\nname: [x]\n---\n', ['value', 'name', 'name']],
    ['---\ndescription: x\n---\n', ['noName', '', '---']],
    ['---\n# nothing\n---\n', ['noName', '', '---']],
    ['---\n- x\n---\n', ['shape', '', '- x']],
  ] as const) {
    it(`tells of ${JSON.stringify(source)}`, () => deepStrictEqual(at(source), [problem]));
  }

  it('costs nothing but itself when it is no YAML, and tells the line', () => {
    const source = '---\nname: x\n bad: [\n---\nText';
    const [problem] = readFrontMatter(source).problems;
    strictEqual(problem?.kind, 'yaml');
    strictEqual(source.slice(problem.start, problem.end), ' bad: [');
    strictEqual(source.slice(readFrontMatter(source).bodyStart), 'Text');
  });

  it('never throws, and tells only places that there are', () => {
    const piece = fc.oneof(
      fc.constantFrom('---', '\n', 'name', ':', ' ', '[', '{', '&a', '*a', '!!x', '"', '- ', '\r\n'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const source = `---\n${pieces.join('')}`;
        const { bodyStart, problems } = readFrontMatter(source);
        ok(bodyStart >= 0 && bodyStart <= source.length);
        ok(problems.every(({ start, end }) => start >= 0 && start < end && end <= source.length));
      }),
      { numRuns: 2000 },
    );
  });
});
