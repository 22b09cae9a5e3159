import { strictEqual } from 'node:assert/strict';
import { formatPage, pageTitle } from '../../../src/prompt/blocks';

describe('the title of a documentation page', () => {
  for (const [page, expected] of [
    ['---\ntitle: "Retry policy"\n---\n\n# Other\n', 'Retry policy'],
    ["\uFEFF---\r\nsidebar: x\r\ntitle: It's\r\n---\r\n", "It's"],
    ['---\nname: x\n---\nIntro.\n\n## How to retry \n', 'How to retry'],
    ['---\ntitle: not front matter\n# Heading', 'Heading'],
    ['= AsciiDoc title\n', 'AsciiDoc title'],
    ['reStructuredText\n================\n', 'reStructuredText'],
    ['Text only\n', undefined],
  ] as const) {
    it(`is ${expected ?? 'unknown'} for ${JSON.stringify(page)}`, () => strictEqual(pageTitle(page), expected));
  }

  it('is named with the path', () => {
    strictEqual(formatPage('docs/a.md', 'A `b`'), '`docs/a.md` (titled `` A `b` ``)');
    strictEqual(formatPage('docs/a.md', undefined), '`docs/a.md`');
  });
});
