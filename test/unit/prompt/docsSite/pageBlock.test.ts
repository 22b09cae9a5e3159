import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { renderBlock } from '../../../../src/prompt/contextBlock';
import { type PageContext, pageContext } from '../../../../src/prompt/docsSite/pageBlock';
import { memoryFiles } from './memoryFiles';

const RETRIES = ['---', 'title: Retries', '---', '', 'Calls are repeated.', '', '## Backoff', '', 'It doubles.'].join(
  '\n',
);

function context(path: string, files: Record<string, string>, line?: number): Promise<PageContext> {
  const text = files[path] ?? '';
  const languageId = path.endsWith('.mdx') ? 'mdx' : 'markdown';
  return pageContext({ path, text, languageId, line }, memoryFiles(files));
}

const DOCS_JSON = JSON.stringify({
  navigation: {
    tabs: [
      { tab: 'Guides', groups: [{ group: 'API', pages: ['api/limits', { group: 'Faults', pages: ['api/retries'] }] }] },
      { tab: 'Reference', pages: ['api/retries', 'reference/errors'] },
    ],
  },
});

describe('a documentation page as context', () => {
  it('says where it stands, what is beside it and where the cursor is', async () => {
    const files = { 'docs/docs.json': DOCS_JSON, 'docs/api/retries.mdx': RETRIES };
    const { block } = await context('docs/api/retries.mdx', files, 8);
    const golden = readFileSync(new URL('pageBlock.golden.md', import.meta.url), 'utf8');
    strictEqual(`${renderBlock(block)}\n`, golden);
  });

  it('says that a page is not in the navigation', async () => {
    const { block } = await context('new.md', { 'docs.json': DOCS_JSON, 'new.md': '# New' });
    deepStrictEqual(block.notes, ['Title: `New`', 'Mintlify site, configured in `docs.json`', 'Not in the navigation']);
  });

  for (const [name, text] of [
    ['docs.json', '{"navigation": [,'],
    ['mkdocs.yml', 'nav: [a\nb: }'],
  ] as const) {
    it(`takes a page whose ${name} is broken, and says so`, async () => {
      const { block, problem } = await context('docs/a.md', { [name]: text, 'docs/a.md': '# A\n\ntext' });
      strictEqual(problem?.file, name);
      ok(problem.reason !== '');
      match(block.notes.join('\n'), /navigation is not known: `\S+` can’t be read$/m);
      strictEqual(block.text, '# A\n\ntext');
    });
  }

  it('takes a page of no site', async () => {
    const { block, problem } = await context('notes.md', { 'notes.md': 'plain' });
    strictEqual(problem, undefined);
    deepStrictEqual(block.notes, ['Title: `notes`', 'In no documentation site whose configuration is known here']);
  });

  it('finds the nearest site whose pages it is among', async () => {
    const files = {
      'mkdocs.yml':
        'docs_dir: ./handbook/ # ours\nnav:\n  - Start: index.md\n  - How:\n      - Retries: how/retries.md\n',
      'handbook/how/retries.md': '# Other',
      'other/mkdocs.yaml': 'site_name: x',
      'readme.md': '# Root',
    };
    match(
      (await context('handbook/how/retries.md', files)).block.notes.join('\n'),
      /`How › Retries`.*before it `index.md`/s,
    );
    match((await context('readme.md', files)).block.notes.join('\n'), /In no documentation site/);
  });

  it('follows the folders of a MkDocs site without a navigation', async () => {
    const files = {
      'mkdocs.yml': 'site_name: x',
      'docs/how-to/b.md': '# B',
      'docs/how-to/index.md': '',
      'docs/how-to/c.md': '',
    };
    const notes = (await context('docs/how-to/b.md', files)).block.notes.join('\n');
    match(notes, /Place in the navigation: `How to › B`/);
    match(notes, /before it `index.md`, after it `c.md`/);
  });

  it('breaks no line and no code span of the notes, whatever the configuration says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (label, title) => {
        const config = JSON.stringify({ navigation: { groups: [{ group: label, pages: ['a'] }] } });
        const text = `---\ntitle: ${JSON.stringify(title)}\n---\n# ${title}`;
        const { block } = await context('a.md', { 'docs.json': config, 'a.md': text }, 3);
        ok(block.notes.every((note) => !/[\n\r]/.test(note)));
      }),
    );
  });
});
