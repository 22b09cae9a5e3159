import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { readYaml } from '../../../src/prompt/readYaml';

describe('readYaml', () => {
  it('reads what stands behind tags of other programs, and runs nothing', () => {
    const text = [
      'emoji: !!python/name:materialx.emoji.twemoji',
      'slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}',
      'url: !ENV [SITE_URL, "https://example.com"]',
      'home: !relative $config_dir',
      'list: !custom',
      '  - 1',
      'map: !custom {a: 1, 2: b}',
    ].join('\n');
    deepStrictEqual(readYaml(text), {
      emoji: '',
      slugify: { kwds: { case: 'lower' } },
      url: ['SITE_URL', 'https://example.com'],
      home: '$config_dir',
      list: [1],
      map: { a: 1, '2': 'b' },
    });
  });

  it('reads plain YAML 1.2 with merge keys', () => {
    deepStrictEqual(readYaml('base: &b {a: 1}\nuse:\n  <<: *b\n  c: yes\n'), {
      base: { a: 1 },
      use: { a: 1, c: 'yes' },
    });
    strictEqual(readYaml(' \n'), undefined);
  });

  it('says where what is no YAML breaks', () => {
    throws(() => readYaml('a: [1\nb: 2'), /\(2:\d+\)|line 2/);
    throws(() => readYaml('a: 1\na: 2'), /duplicate/i);
  });

  it('refuses what is made to grow', () => {
    throws(() => readYaml('['.repeat(5_000)));
    throws(() => readYaml(`a: &a 1\nb: [${'*a,'.repeat(2_000)}]`));
  });

  it('gives any JSON back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto'));
        deepStrictEqual(JSON.parse(JSON.stringify(readYaml(dump(plain)))), plain);
      }),
    );
  });
});
