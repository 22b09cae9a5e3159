import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { ConfigurationError, globMatcher, readConfiguration } from '../../../src/checks/configuration';
import { isLeftOutPage, pathRules } from '../../../src/checks/paths';
import { seed } from '../../support/scale';

describe('checks.json', () => {
  it('can contain ignored names with a reason, and globs', () => {
    const text = '{ "ignore": [{ "name": "a", "reason": "b" }], "documentation": ["docs/**"] }';
    deepStrictEqual(readConfiguration(text), {
      ignore: [{ name: 'a', reason: 'b' }],
      documentation: ['docs/**'],
      code: [],
    });
  });

  for (const text of ['', '[]', '{ "ignored": [] }', '{ "ignore": [{ "name": "a" }] }', '{ "code": [""] }']) {
    it(`is rejected if it is ${JSON.stringify(text)}`, () => throws(() => readConfiguration(text), ConfigurationError));
  }
});

describe('globs', () => {
  const matching = (glob: string, ...paths: string[]): string[] => paths.filter(globMatcher([glob]));

  it('match folders, any number of folders, and parts of names', () => {
    deepStrictEqual(matching('docs/**', 'docs/a.md', 'docs/b/c.md', 'x/docs/a.md', 'docs'), [
      'docs/a.md',
      'docs/b/c.md',
      'docs',
    ]);
    deepStrictEqual(matching('**/api/*.md', 'api/a.md', 'x/y/api/a.md', 'api/b/a.md'), ['api/a.md', 'x/y/api/a.md']);
    deepStrictEqual(matching('src/?.t*', 'src/a.ts', 'src/ab.ts', 'src/a.tsx'), ['src/a.ts', 'src/a.tsx']);
    deepStrictEqual(matching('docs/', 'docs/a/b.md', 'doc/a.md'), ['docs/a/b.md']);
  });

  it('match a path that is written out, but not a longer one', () => {
    const names = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, (parts) => {
        const path = parts.join('/');
        strictEqual(globMatcher([path])(path) && globMatcher(['**'])(path), true);
        strictEqual(globMatcher([`${path}x`])(path), false);
      }),
      { seed },
    );
  });
});

describe('pages', () => {
  const PAST = [
    'CHANGELOG.md',
    'docs/migration-guide.md',
    'docs/release_notes/1.md',
    'docs/v1.2/a.md',
    'sep/sep-019.rst',
    'docs/pep-8.md',
    'docs/change-history.adoc',
    'blog/a.md',
    'docs/migration/index.md',
    'MIGRATING.md',
    'docs/v2-migration.md',
    'docs/design/a.md',
    'docs/proposal/a.md',
    'docs/archive/a.md',
  ];
  for (const path of [...PAST, 'docs/upgrading-to-3.mdx', 'versioned_docs/version-1/a.md', 'vendor/a/README.md']) {
    it(`are left out: ${path}`, () => strictEqual(isLeftOutPage(path), true));
  }

  const NOW = [
    'README.md',
    'docs/guide/settings.md',
    'docs/history-of-requests.md',
    'docs/api.rst',
    'docs/migrations.md',
    'docs/migrations/01-why.md',
    'packages/migrations/README.md',
    'docs/archives.md',
    'docs/configuration/changelog.md',
    'src/design/README.md',
  ];
  for (const path of NOW) {
    it(`are checked: ${path}`, () => strictEqual(isLeftOutPage(path), false));
  }

  it('do not count as code, and neither do images and scripts beside them', () => {
    const rules = pathRules({ documentation: [], code: [] });
    const paths = ['src/a.ts', 'docs/a.md', 'docs/conf.py', 'docs/openapi.json', 'a.png', 'package.json'];
    deepStrictEqual(
      paths.filter((path) => rules.isCode(path)),
      ['src/a.ts', 'docs/openapi.json', 'package.json'],
    );
  });
});
