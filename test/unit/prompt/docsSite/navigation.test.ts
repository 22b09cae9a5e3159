import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { mintlifyKey, readMintlify } from '../../../../src/prompt/docsSite/mintlify';
import { folderTitle, readMkDocs } from '../../../../src/prompt/docsSite/mkdocs';
import { placeIn } from '../../../../src/prompt/docsSite/navigation';

const mintlify = (config: unknown): ReturnType<typeof readMintlify> => readMintlify(JSON.stringify(config));

describe('the navigation of a Mintlify site', () => {
  it('is read through languages, versions, tabs, anchors and groups in groups', () => {
    const pages = [{ group: 'API', root: 'api', pages: ['/api/a.mdx', { group: 'Deep', pages: ['api/b'] }] }];
    const of = (language: string, version: string): unknown => ({
      language,
      versions: [{ version, tabs: [{ tab: 'Guides', anchors: [{ anchor: 'Start', groups: pages }] }] }],
    });
    const navigation = mintlify({ navigation: { languages: [of('en', 'v1'), of('de', 'v2')] } });
    const place = placeIn(navigation, 'api/b');
    deepStrictEqual(place.trails, [
      ['en', 'v1', 'Guides', 'Start', 'API', 'Deep'],
      ['de', 'v2', 'Guides', 'Start', 'API', 'Deep'],
    ]);
    deepStrictEqual([place.before, place.after], ['api/a', undefined], 'no neighbour in another language');
    deepStrictEqual(placeIn(navigation, 'api').after, 'api/a');
  });

  it('is read from the old mint.json with its tabs by path', () => {
    const navigation = mintlify({
      primaryTab: { name: 'Docs' },
      tabs: [{ name: 'API', url: 'api' }],
      anchors: [{ name: 'Forum', url: 'https://example.com' }],
      navigation: [
        { group: 'Start', pages: ['intro'] },
        { group: 'Endpoints', version: 'v2', pages: ['api/a', 'apiary'] },
      ],
    });
    deepStrictEqual(placeIn(navigation, 'intro').trails, [['Docs', 'Start']]);
    deepStrictEqual(placeIn(navigation, 'api/a').trails, [['API', 'v2', 'Endpoints']]);
    deepStrictEqual(placeIn(navigation, 'apiary').trails, [['Docs', 'v2', 'Endpoints']]);
  });

  it('names what stands in other files', () => {
    const { elsewhere } = mintlify({ navigation: { tabs: [{ $ref: './tabs/api.json' }] } });
    deepStrictEqual(elsewhere, ['./tabs/api.json']);
  });

  it('bears any JSON, and gives back what it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (navigation) => {
        ok(Array.isArray(mintlify({ navigation }).entries));
      }),
    );
    const name = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), (pages) => {
        const { entries } = mintlify({ navigation: { groups: [{ group: 'G', pages }] } });
        deepStrictEqual(
          entries.map(({ page }) => page),
          pages.map((page) => mintlifyKey(page)),
        );
      }),
    );
  });
});

describe('the navigation of a MkDocs site', () => {
  it('is read with titles, sections, addresses left out, and tags of other programs', () => {
    const text = [
      'markdown_extensions:',
      '  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji}',
      'site_url: !ENV SITE_URL',
      'nav:',
      '  - index.md',
      '  - Guides:',
      '      - guides/index.md',
      '      - Retries: ./guides/retries.md',
      '  - Forum: https://example.com',
      '  - Blog: "*"',
    ].join('\n');
    const { navigation } = readMkDocs(text);
    ok(navigation !== undefined);
    deepStrictEqual(placeIn(navigation, 'guides/retries.md'), {
      trails: [['Guides']],
      title: 'Retries',
      before: 'guides/index.md',
      after: undefined,
    });
    deepStrictEqual(navigation.elsewhere, ['*']);
  });

  it('is unknown without a nav, and names what it goes on from', () => {
    deepStrictEqual(readMkDocs('INHERIT: ../base.yml\n'), { navigation: undefined, inherits: '../base.yml' });
  });

  it('ends where aliases would make it endless', () => {
    const levels = Array.from({ length: 24 }, (_, at) =>
      at === 0 ? 'l0: &l0 [{a: a.md}]' : `l${at}: &l${at} [{x: *l${at - 1}}, {y: *l${at - 1}}]`,
    );
    const started = process.cpuUsage();
    const { navigation } = readMkDocs([...levels, 'nav: *l23'].join('\n'));
    ok((navigation?.entries.length ?? 0) <= 20_000);
    ok(process.cpuUsage(started).user < 5_000_000);
  });

  it('bears any YAML', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (nav) => {
        const plain: unknown = JSON.parse(JSON.stringify(nav).replaceAll('__proto__', 'proto'));
        readMkDocs(dump({ nav: plain }));
      }),
    );
  });

  it('names folders as MkDocs does', () => {
    strictEqual(folderTitle('getting-started'), 'Getting started');
    strictEqual(folderTitle('REST_API'), 'REST API');
  });
});
