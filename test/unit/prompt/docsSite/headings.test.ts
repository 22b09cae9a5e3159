import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { headingsAt, headingsOf } from '../../../../src/prompt/docsSite/headings';

function names(text: string, path: string): string[] {
  return headingsOf(text, path).map((heading) => `${heading.level} ${heading.text}`);
}

describe('the headings of a page', () => {
  it('are those of Markdown, outside of code and front matter', () => {
    const text = [
      '---',
      '# a comment of the front matter',
      '---',
      '# Title #',
      'Second',
      '------',
      '```sh',
      '# no heading',
      '```',
      '~~~~',
      '~~~',
      '## nor this',
      '~~~~',
      '### Deep `code`',
      '#hashtag',
      '- item',
      '---',
    ];
    deepStrictEqual(names(text.join('\r\n'), 'a.mdx'), ['1 Title', '2 Second', '3 Deep `code`']);
  });

  it('are those of AsciiDoc and reStructuredText', () => {
    deepStrictEqual(names('= Title\n\n== One\n----\n== code\n----\n=== Two\n====\nblock\n====', 'a.adoc'), [
      '1 Title',
      '2 One',
      '3 Two',
    ]);
    deepStrictEqual(names('=====\nTitle\n=====\n\nOne\n===\n\ntext\n\nTwo\n---\n', 'a.rst'), [
      '1 Title',
      '2 One',
      '3 Two',
    ]);
  });

  it('tell which of them a line stands under', () => {
    const headings = headingsOf('# A\n## B\n### C\n## D\ntext\n# E', 'a.md');
    const at = (line: number): string[] => headingsAt(headings, line).map(({ text }) => text);
    deepStrictEqual([at(2), at(4), at(9)], [['A', 'B', 'C'], ['A', 'D'], ['E']]);
  });

  it('are found whatever the text holds', () => {
    const piece = fc.constantFrom(
      '# ',
      '```',
      '~~~',
      '---',
      '===',
      'text',
      '\n',
      '\n',
      '    ',
      '=',
      '#',
      '....',
      '/////',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom('a.md', 'a.adoc', 'a.rst'), (pieces, path) => {
        const text = pieces.join('');
        const lines = text.split('\n').length;
        ok(headingsOf(text, path).every(({ line, level }) => line < lines && level > 0));
      }),
    );
  });
});
