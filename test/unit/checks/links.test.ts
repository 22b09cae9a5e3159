import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { anchorsOf, checkLink, findTarget, LinkIndex, linkReader } from '../../../src/checks/links';
import { readPage } from '../../../src/checks/pages/readPage';
import type { PageFormat } from '../../../src/checks/paths';

const FILES = [
  'README.md',
  'src/client.ts',
  'docs/index.md',
  'docs/guide/page.md',
  'docs/guide/start.md',
  'docs/guide/index.mdx',
  'docs/img/a.png',
  'docs/snippets/a.py',
  'examples/run.py',
  'docs/linked',
  'site/content/docs/b.md',
];
const HOSTS = [
  { host: 'github.com', path: 'owner/name' },
  { host: 'gitlab.example.org', path: 'group/sub/name' },
];
const index = new LinkIndex(FILES);
const read = linkReader({ hosts: HOSTS, branches: ['develop'] });
const pageLink = (target: string, kind: 'link' | 'image' | 'include' = 'link') => {
  return { target, kind, line: 3, column: 1, endColumn: 9 };
};

describe('links of pages', () => {
  const found: readonly (readonly [target: string, path: string | undefined, from?: string])[] = [
    ['start.md', 'docs/guide/start.md'],
    ['start', 'docs/guide/start.md'],
    ['start.html#x', 'docs/guide/start.md'],
    ['../start/?tab=1', 'docs/guide/start.md'],
    ['../guide/', 'docs/guide/index.mdx'],
    ['../../src', 'src'],
    ['../', 'docs/index.md'],
    ['../../', 'README.md'],
    ['/guide/start', 'docs/guide/start.md'],
    ['/docs/guide/start.md', 'docs/guide/start.md'],
    ['/b', 'site/content/docs/b.md', 'site/content/docs/c.md'],
    ['sub%2Fgone.md', undefined],
    ['start.mdx', undefined],
    ['https://github.com/owner/name/blob/main/src/client.ts#L10', 'src/client.ts'],
    ['http://www.github.com/Owner/Name/tree/develop/examples', 'examples'],
    ['https://raw.githubusercontent.com/owner/name/HEAD/docs/img/a.png', 'docs/img/a.png'],
    ['https://gitlab.example.org/group/sub/name/-/blob/master/README.md', 'README.md'],
  ];
  for (const [target, path, from = 'docs/guide/page.md'] of found) {
    it(`follows ${target} from ${from}`, () => {
      const link = read(pageLink(target), from);
      strictEqual(link === undefined ? link : findTarget(link, index), path);
    });
  }

  const elsewhere = [
    '',
    'https://github.com/owner/name/blob/v1.0/gone.ts',
    'https://github.com/owner/name/blob/0123abc/gone.ts',
    'https://github.com/owner/name/issues/1',
    'https://github.com/owner/name/tree/main',
    'https://github.com/owner/named/blob/main/gone.ts',
    'mailto:a@example.org',
    '//example.org/a',
    '{{ site.url }}/a',
    '../../../issues',
    '@docs/a',
  ];
  for (const target of elsewhere) {
    it(`leaves out ${target === '' ? 'an empty link' : target}`, () => {
      strictEqual(read(pageLink(target), 'docs/guide/page.md'), undefined);
    });
  }

  const included = [
    '../snippets/a.py',
    'snippets/a.py',
    'docs/snippets/a.py',
    '/snippets/a.py',
    '@site/docs/snippets/a.py',
  ];
  for (const target of included) {
    it(`finds the included file ${target}`, () => {
      const link = read(pageLink(target, 'include'), 'docs/guide/page.md');
      strictEqual(link && findTarget(link, index), 'docs/snippets/a.py');
    });
  }

  it('finds the folders and pages that were removed as links name them', () => {
    const gone = new LinkIndex(['old/api/client.md', 'old/run.py']);
    const targets = ['../../old/api/client', '../../old/', '/old/run.py'].map((each) =>
      read(pageLink(each), 'docs/guide/page.md')!,
    );
    deepStrictEqual(
      targets.map((target) => [findTarget(target, index), findTarget(target, gone)]),
      [
        [undefined, 'old/api/client.md'],
        [undefined, 'old'],
        [undefined, 'old/run.py'],
      ],
    );
  });

  const checked: readonly (readonly [
    target: string,
    kind: 'link' | 'image' | 'include',
    result: string | undefined,
  ])[] = [
    ['gone.md', 'link', 'file'],
    ['gone', 'link', 'file'],
    ['gone.png', 'image', 'missing-image'],
    ['/gone.png', 'image', 'missing-image'],
    ['/gone', 'link', undefined],
    ['../linked/gone.md', 'link', undefined],
    ['https://github.com/owner/name/blob/main/gone.ts', 'link', undefined],
    ['./gone.py', 'include', 'file'],
    ['out/gone.py', 'include', undefined],
    ['start.md#here', 'link', undefined],
    ['start.md#gone', 'link', 'anchor'],
    ['start.md#:~:text=gone', 'link', undefined],
    ['#gone', 'link', 'anchor'],
    ['../index.md#gone', 'link', undefined],
  ];
  for (const [target, kind, result] of checked) {
    it(`says ${result ?? 'nothing'} about ${kind} ${target}`, async () => {
      const anchors = (path: string) =>
        Promise.resolve(path === 'docs/index.md' ? undefined : (name: string) => name === 'here');
      const finding = await checkLink(pageLink(target, kind), 'docs/guide/page.md', { read, index, anchors });
      strictEqual(finding?.rule === 'broken-link' ? finding.problem : finding?.rule, result);
      strictEqual(finding?.target, result === undefined ? undefined : target);
    });
  }

  const anchors: readonly (readonly [source: string, anchor: string, has: boolean | undefined, format?: PageFormat])[] =
    [
      ['## Getting *started* with `load()`', 'getting-started-with-load', true],
      ['## Getting started', 'getting-started-1', true],
      ['## Getting started', 'getting-stopped', false],
      ['## 2. Größe ändern', '2-größe-ändern', true],
      // Python-Markdown drops what isn't ASCII after taking accents off, kramdown the number.
      ['## 2. Größe ändern', '2-groe-andern', true],
      ['## 2. Größe ändern', 'größe-ändern', true],
      ['## One {#other}', 'other', true],
      ['## One {: .wide #other }', 'other', true],
      ['[](){#other}', 'other', true],
      ['<h2>Only HTML</h2>', 'only-html', true],
      ['=== "A tab"', 'a-tab', true],
      ['::: package.module.Class', 'package.module.Class', undefined],
      ['--8<-- "part.md"', 'of-the-part', undefined],
      ['{% include part.html %}', 'of-the-part', undefined],
      ["import Part from './_part.mdx'", 'of-the-part', undefined],
      ["import Part from './part'", 'of-the-part', undefined, 'mdx'],
      ['.. _label:', 'label', undefined, 'restructuredText'],
    ];
  for (const [source, anchor, has, format = 'markdown'] of anchors) {
    it(`${has === true ? 'finds' : has === false ? 'misses' : 'can’t tell'} #${anchor} in ${format} ${source}`, () => {
      strictEqual(anchorsOf(readPage(`# Title\n\n${source}\n`, format))?.(anchor), has);
    });
  }
});
