import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { renderBlock } from '../../../src/prompt/contextBlock';
import { findDocsFolder, headingsOf, pageContext, pagesFolders, type ProjectFiles } from '../../../src/prompt/docsPage';

/** An in-memory project, by path. */
function project(files: Readonly<Record<string, string>>): ProjectFiles {
  return {
    list: async (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
      return [...new Set(inside.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))];
    },
    read: async (path) => files[path],
  };
}

async function folderOf(page: string, files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const found = await findDocsFolder(page, project(files));
  return found && `${found.generator} ${found.folder || '.'} ${found.config}`;
}

describe('findDocsFolder', () => {
  for (const [page, config, text, expected] of [
    ['docs/api/a.mdx', 'docs/docs.json', '{"navigation": {}}', 'Mintlify docs docs/docs.json'],
    ['docs/api/a.mdx', 'docs/docs.json', '{"other": {}}', undefined],
    ['a.md', 'mint.json', '{"navigation": [', 'Mintlify . mint.json'],
    ['docs/a.md', 'mkdocs.yml', 'site_name: x', 'MkDocs docs mkdocs.yml'],
    ['handbook/a.md', 'mkdocs.yaml', 'docs_dir: "./handbook/" # ours', 'MkDocs handbook mkdocs.yaml'],
    ['readme.md', 'mkdocs.yml', 'site_name: x', undefined],
    ['web/docs/a.mdx', 'web/docusaurus.config.ts', '', 'Docusaurus web/docs web/docusaurus.config.ts'],
    [
      'web/content/a.md',
      'web/docusaurus.config.js',
      "path: 'content'",
      'Docusaurus web/content web/docusaurus.config.js',
    ],
    ['web/readme.md', 'web/docusaurus.config.js', '', undefined],
    ['doc/a.rst', 'doc/conf.py', '', 'Sphinx doc doc/conf.py'],
    ['doc/modules/a.adoc', 'doc/antora.yml', '', 'Antora doc doc/antora.yml'],
    ['docs/a.md', 'docs/_config.yml', '', 'Jekyll docs docs/_config.yml'],
    ['docs/a.md', 'package.json', '', undefined],
  ] as const) {
    it(`returns ${expected ?? 'nothing'} for ${page} beside ${config} with ${JSON.stringify(text)}`, async () => {
      strictEqual(await folderOf(page, { [page]: '', [config]: text }), expected);
    });
  }

  it('prefers the nearest configuration whose pages include the file', async () => {
    const files = { 'mkdocs.yml': 'docs_dir: all', 'all/site/docs.json': '"navigation"', 'all/site/a.md': '' };
    strictEqual(await folderOf('all/site/a.md', files), 'Mintlify all/site all/site/docs.json');
    strictEqual(await folderOf('all/b.md', files), 'MkDocs all mkdocs.yml');
  });
});

it('pagesFolders reads only the beginning of a configuration file, and no overlong path', () => {
  const paths = (text: string): string[] => pagesFolders('Docusaurus', text).slice(4);
  deepStrictEqual(paths(`path: 'a', path: '${'b'.repeat(1_001)}'`), ['a']);
  strictEqual(paths(`path: 'a',`.repeat(500)).length, 100);
  deepStrictEqual(paths(`${' '.repeat(100_000)}path: 'a'`), []);
});

describe('headingsOf', () => {
  const headings = (lines: readonly string[], path: string): string[] =>
    headingsOf(lines.join('\r\n'), path).map(({ line, text }) => `${line} ${text}`);

  it('finds Markdown headings outside of code and front matter', () => {
    const lines = ['---', '# comment', '---', '# Title', 'Second', '------', '```sh', '# code', '```', '~~~~', '~~~'];
    deepStrictEqual(headings([...lines, '## code', '~~~~', '### `Deep`', '#tag', '- item', '---'], 'a.mdx'), [
      '3 Title',
      '4 Second',
      '13 `Deep`',
    ]);
  });

  it('finds AsciiDoc and reStructuredText headings', () => {
    deepStrictEqual(headings(['= Title', '== One', '----', '== code', '----', '=== Two'], 'a.adoc'), [
      '0 Title',
      '1 One',
      '5 Two',
    ]);
    deepStrictEqual(headings(['=====', 'Title', '=====', '', 'One', '---', 'text'], 'a.rst'), ['1 Title', '4 One']);
  });

  it('returns only existing lines for any text', () => {
    const piece = fc.constantFrom('# ', '```', '~~~', '---', '===', 'text', '\n', '    ', '=', '#', '....');
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom('a.md', 'a.adoc', 'a.rst'), (pieces, path) => {
        const text = pieces.join('');
        ok(headingsOf(text, path).every(({ line, text: title }) => line < text.split('\n').length && title !== ''));
      }),
    );
  });
});

describe('pageContext', () => {
  const text = '---\ntitle: Retries\n---\n\nCalls are repeated.\n\n# Retries\n\n## Backoff\n\nIt doubles.';
  const files = project({ 'docs/docs.json': '"navigation"' });
  const notes = async (page: Partial<Parameters<typeof pageContext>[0]>): Promise<readonly string[]> =>
    (await pageContext({ path: 'docs/retries.mdx', text, languageId: 'mdx', ...page }, files)).block.notes;

  it('returns the title, documentation folder and heading at the cursor', async () => {
    const { block, section } = await pageContext({ path: 'docs/a.mdx', text, languageId: 'mdx', line: 10 }, files);
    strictEqual(section, 'Backoff');
    strictEqual(
      renderBlock(block).split('\n```mdx')[0],
      [
        'The documentation page `docs/a.mdx`:',
        '',
        '- Title: `Retries`',
        '- Documentation folder: `docs` (Mintlify, `docs/docs.json`)',
        '- The cursor is under the heading `Backoff`',
        '',
      ].join('\n'),
    );
  });

  it('uses the first heading or the file name as the title when there is no front matter', async () => {
    deepStrictEqual(await notes({ path: 'notes.md', text: 'plain' }), ['Title: `notes`']);
    deepStrictEqual(await notes({ path: 'notes.md', text: '# First\n\n# Second', line: 0 }), ['Title: `First`']);
    deepStrictEqual(await notes({ path: 'notes.md', text: '---\ntitle: [\n---\n# First' }), ['Title: `First`']);
  });

  it('keeps every note on one line for any title', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (title) => {
        const found = await notes({ text: `---\ntitle: ${JSON.stringify(title)}\n---\n# ${title}`, line: 3 });
        ok(found.every((note) => !/[\n\r]/.test(note)));
      }),
    );
  });
});
