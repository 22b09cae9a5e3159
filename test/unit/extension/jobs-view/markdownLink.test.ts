import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { markdownLink } from '../../../../src/extension/features/jobs-view/jobCommands';

describe('markdownLink', () => {
  it('contains the title and the address', () => {
    strictEqual(
      markdownLink('Document the retries', 'https://github.com/acme/docs/pull/12'),
      '[Document the retries](https://github.com/acme/docs/pull/12)',
    );
  });

  it('escapes markup in the title', () => {
    strictEqual(
      markdownLink('a ](b) `c` <d>\n*e*', 'https://x.example'),
      '[a \\](b) \\`c\\` \\<d\\> \\*e\\*](https://x.example)',
    );
  });

  it('encodes in the address what would end it', () => {
    strictEqual(markdownLink('a', 'https://x.example/(\u2003<\\>)'), '[a](https://x.example/%28%E2%80%83%3C%5C%3E%29)');
  });

  it('renders as the title linked to the address for any title', () => {
    const markdown = new MarkdownIt({ html: true });
    const titles = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'[]()<>`*_\\!~|&a #-1.'.split(/(?:)/)) }),
      fc.string(),
    );
    fc.assert(
      fc.property(titles, (title) => {
        // Titles with control characters or lone surrogates do not render unchanged.
        fc.pre(!/[\p{Cc}\p{Cs}]/u.test(title) && title.trim() !== '');
        const [inline] = markdown
          .parse(`x ${markdownLink(title, 'https://x.example/(a)')} y`, {})
          .filter(({ type }) => type === 'inline');
        const all = inline?.children ?? [];
        const link = all.find(({ type }) => type === 'link_open');
        strictEqual(link?.attrGet('href'), 'https://x.example/%28a%29');
        deepStrictEqual(
          all.map(({ type }) => type).filter((type) => type !== 'text' && type !== 'text_special'),
          ['link_open', 'link_close'],
        );
        const inside = all.slice(all.indexOf(link) + 1, -2).map(({ content }) => content);
        strictEqual(inside.join(''), title.replace(/\s+/g, ' ').trim());
      }),
      { numRuns: 1000 },
    );
  });
});
