import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { frontMatterOf } from '../../../src/prompt/docsSite/frontMatter';
import { headingsOf } from '../../../src/prompt/docsSite/headings';
import { readMintlify } from '../../../src/prompt/docsSite/mintlify';
import { placeIn } from '../../../src/prompt/docsSite/navigation';
import { pagesFolderOf } from '../../../src/prompt/docsSite/siteFiles';
import { formatTemplate } from '../../../src/prompt/template/formatTemplate';
import { readFrontMatter } from '../../../src/prompt/template/frontMatter';
import { parseTemplate } from '../../../src/prompt/template/parseTemplate';

/** What each text is made of; a repository can hold any. */
const LENGTH = 1_000_000;

/** Far more than any takes on a busy machine, and far less than where the work grows with the square of the length. */
const MOST_MS = 3_000;

const many = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));

function bounded<T>(work: () => T): T {
  const start = performance.now();
  const result = work();
  const took = performance.now() - start;
  ok(took < MOST_MS, `it took ${took} ms`);
  return result;
}

describe('a text that was made to keep the editor busy', () => {
  it('is soon read as the configuration of a site', () => {
    for (const config of [
      `docs_dir:${many(' ')}x"y`,
      `docs_dir: "${many(' ')}`,
      `docs_dir: a${many(' ')}'b`,
      many('docs_dir: '),
      many('path:\n'),
    ]) {
      bounded(() => pagesFolderOf('mkdocs', config, 'docs/a.md'));
      bounded(() => pagesFolderOf('docusaurus', config, 'docs/a.md'));
    }
  });

  it('is soon read as a page with headings', () => {
    const separator = '\u2028';
    for (const text of [
      `# a${many(' ')}x`,
      `# a${many(' #')}x`,
      `# a ${many('#')}x`,
      `#${many(' ')}${separator}`,
      `${many('`')}${separator}`,
      `a\n${many('=')}x`,
      `a\n=${many(' ')}x`,
      `=${many(' ')}${separator}`,
      `---\n${many('\n')}`,
      many('# a\n'),
    ]) {
      for (const path of ['a.md', 'a.rst', 'a.adoc']) {
        bounded(() => headingsOf(text, path));
      }
      bounded(() => frontMatterOf(text));
    }
  });

  it('is soon read as a navigation with as many tabs as pages', () => {
    const tabs = Array.from({ length: 15_000 }, (_, at) => ({ name: `T${at}`, url: `t${at}` }));
    const pages = Array.from({ length: 20_000 }, (_, at) => `p${at}/a`);
    const text = JSON.stringify({ tabs: [...tabs, { name: 'Last', url: 'p7' }], navigation: [{ group: 'G', pages }] });
    deepStrictEqual(bounded(() => placeIn(readMintlify(text), 'p7/a')).trails, [['Last', 'G']]);
  });

  it('is soon read as a navigation of many parts below one with a long name', () => {
    const versions = Array.from({ length: 15_000 }, (_, at) => ({ version: 'v', pages: [`p${at}`] }));
    const text = JSON.stringify({ navigation: { language: many('L'), versions } });
    const { entries } = bounded(() => readMintlify(text));
    strictEqual(entries.length, versions.length);
    ok(entries.reduce((sum, { scope }) => sum + scope.length, 0) < 10_000_000);
  });

  it('is soon read as the header of a template', () => {
    for (const header of [
      many('\n'),
      many(' \n'),
      `name: x\n? a${many(' ')}\n: x`,
      Array.from({ length: 80_000 }, (_, at) => `key${at}: x`).join('\n'),
    ]) {
      bounded(() => readFrontMatter(`---\n${header}\n---\nText`));
      bounded(() => readFrontMatter(`---\n${header}`));
    }
  });

  it('is soon read as a template, and written as one', () => {
    for (const text of [
      many('\\'),
      `${many('\\')}a`,
      many('${'),
      many('\\${'),
      many('${a\\'),
      `\${pick:${many('a|')}`,
    ]) {
      const { pieces } = bounded(() => parseTemplate(text));
      strictEqual(pieces.at(-1)?.end, text.length);
      bounded(() => formatTemplate([text, { kind: 'value', name: 'file' }]));
    }
  });
});
