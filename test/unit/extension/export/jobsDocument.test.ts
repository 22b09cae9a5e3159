import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { jobsJson, markdownTable } from '../../../../src/extension/features/jobs-view/exportJobs';

const job = {
  key: 'k1',
  id: 'j1',
  projectId: 'docs',
  service: 'local',
  title: 'Explain retries',
  status: 'completed',
  prLink: null,
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:05:05.000Z',
  followUps: 0,
} as const;

describe('job export', () => {
  it('writes JSON with a format, a version and the export time', () => {
    assert.deepEqual(JSON.parse(jobsJson([job], 0)), {
      format: 'docs-agent-jobs',
      version: 1,
      exportedAt: '1970-01-01T00:00:00.000Z',
      jobs: [job],
    });
  });

  it('writes a Markdown table', () => {
    const link = 'https://github.com/o/r/pull/7?a=1|2';
    assert.equal(
      markdownTable(
        ['Job', 'Link'],
        [
          ['Explain | `retries`', { address: link }],
          ['', { address: null }],
        ],
      ),
      '| Job | Link |\n| --- | --- |\n' +
        '| Explain \\| \\`retries\\` | <https://github.com/o/r/pull/7?a=1%7C2> |\n|  |  |\n',
    );
  });

  it('lets no text become markup, a link or another cell', () => {
    const markdown = new MarkdownIt({ html: true, linkify: true });
    const mark = fc.constantFrom(
      '|',
      '\\',
      '`',
      '<b>',
      '](x)',
      '[a',
      '**',
      'https://x.example',
      'www.x.example',
      'me@x.example',
      '\n',
      '&amp;',
      '~~',
      '<!--',
    );
    const text = fc
      .array(fc.oneof(mark, fc.string({ maxLength: 4 })), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (first, second) => {
        const table = markdownTable(
          ['A', 'B'],
          [
            [first, second],
            [{ address: first }, second],
          ],
        );
        const html = markdown.render(table);
        assert.equal(html.match(/<td>/g)?.length, 4, html);
        const inner = [...html.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell = '']) => cell);
        assert.deepEqual(
          inner.filter((cell) => /<(?!a href="https:)/.test(cell.replaceAll('</a>', ''))),
          [],
        );
        assert.equal(
          inner.some((cell, index) => index !== 2 && cell.includes('<a')),
          false,
          html,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps long names whole and inserts no invisible characters', () => {
    const id = 'j'.repeat(512);
    assert.equal(markdownTable(['ID'], [[id]]).split('\n')[2], `| ${id} |`);
    assert.doesNotMatch(markdownTable(['Job'], [['Ask me@x.example at https://x.example <now>']]), /\u2060/);
  });

  it('shows an unsafe address as plain text', () => {
    assert.equal(
      markdownTable(['A'], [[{ address: 'javascript:alert(1)' }]]).split('\n')[2],
      '| javascript\\:alert\\(1\\) |',
    );
  });
});
