import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readPage } from '../../../src/checks/pages/readPage';
import { type ScriptTool, ScriptsNow, wantScript } from '../../../src/checks/scripts';
import { scriptsOnPage } from '../../../src/checks/scriptsOnPage';
import { WordTable } from '../../../src/checks/wordTable';

describe('the scripts on a page', () => {
  const FOUND: Readonly<Record<string, readonly string[]>> = {
    'Run `npm run serve`, then `make docs`.': ['npm serve: npm run serve', 'make docs: make docs'],
    '`pnpm run a:b`, `yarn run a-b`, `bun run a.b`': [
      'npm a:b: pnpm run a:b',
      'npm a-b: yarn run a-b',
      'npm a.b: bun run a.b',
    ],
    '`npm run -w x serve` `npm --prefix web run-script serve -- --open` `yarn workspace x run serve`': [
      'npm serve: npm run -w x serve',
      'npm serve: npm --prefix web run-script serve',
      'npm serve: yarn workspace x run serve',
    ],
    '`make -C web -j4 MODE=fast docs` `sudo gmake docs`': [
      'make docs: make -C web -j4 MODE=fast docs',
      'make docs: gmake docs',
    ],
    '`cd web && npm run serve; just build`': ['npm serve: npm run serve', 'just build: just build'],
    '```sh\n# comment\n$ npm install && npm run serve # now\n~/web$ make docs | less\nCI=1 just build\n```': [
      'npm serve: npm run serve',
      'make docs: make docs',
      'just build: just build',
    ],
    '1. Start\n\n   ```\n   npm run serve\n   ```': ['npm serve: npm run serve'],
    '`npm run <script>` `npm run $NAME` `npm run {a}` `npm run build:*` `npm run a/b.js` `npm run NAME` `npm run env`':
      [],
    '`npm run` `npm test` `npm install serve` `npm run serve --if-present` `npm run --if-present serve`': [],
    '`make TARGET` `make $(X)` `make -f other docs` `just mod::build` `make docs/a` `cmake docs` `make docs=1`': [],
    'It is `not npm run serve`. Just build. `# npm run serve`': [],
    '```ts\nnpm run serve\n```\n\nNo longer `npm run serve`.\n\n## Removed\n\n`npm run serve`\n': [],
  };
  for (const [text, expected] of Object.entries(FOUND)) {
    it(`of ${JSON.stringify(text)}`, () => {
      const page = readPage(text, 'markdown');
      const found = scriptsOnPage(page, 'a.md').map(({ tool, script, shown, place: { line, column, endColumn } }) => {
        strictEqual(page.lines[line - 1]?.slice(column - 1, endColumn - 1), shown);
        return `${tool} ${script}: ${shown}`;
      });
      deepStrictEqual(found, expected);
    });
  }

  it('are not found in long lines that almost have one', () => {
    // A pattern that tries all combinations would run into the time limit of the test.
    const page = readPage(`\`npm${' -w x'.repeat(90)} run\` \`${'a=1 '.repeat(120)}\``, 'markdown');
    deepStrictEqual(scriptsOnPage(page, 'a.md'), []);
  });
});

describe('the scripts of manifests', () => {
  const has = (path: string, text: string, tool: ScriptTool, script: string): boolean => {
    const now = new ScriptsNow();
    now.add(path, text);
    return now.has(tool, script);
  };

  for (const [path, text, tool, there, missing] of [
    ['package.json', '{ "scripts": { "a:b": "x", "c": "y" } }', 'npm', ['a:b', 'c'], ['a', 'b', 'x']],
    ['web/package.yaml', 'scripts:\n  a:b: x y\n', 'npm', ['a:b'], ['a', 'x']],
    ['package.json', '{ "devDependencies": { "eslint": "9" } }', 'npm', ['eslint'], []],
    ['package-lock.json', '{ "a": 1 }', 'npm', [], ['a']],
    [
      'Makefile',
      'x := 1\nall: dep\na b:: c\n\techo: d\nifdef y\n  e: f\nendif\n',
      'make',
      ['all', 'a', 'b', 'e'],
      ['x', 'dep', 'c', 'echo', 'd', 'f'],
    ],
    ['tools/build.mk', 'doc-%.html: a\n$(NAME)-run:\n', 'make', ['doc-x.html', 'some-run'], []],
    ['GNUmakefile', 'doc-%: a\n', 'make', ['doc-x'], ['docs']],
    ['makefile', '-include more.mk\n', 'make', ['any'], []],
    ['vendor/makefile', 'include more.mk\nown:\n', 'make', ['own'], ['any']],
    ['CMakeLists.txt', 'project(a)\nadd_custom_target(docs)\n', 'make', ['docs'], []],
    ['justfile', 'x := "1"\n[private]\n@a b="c": d\n  e: f\nalias g := a\n', 'just', ['a', 'g'], ['x', 'b', 'd', 'e']],
    ['.justfile', "import 'more.just'\n", 'just', ['any'], []],
  ] as const) {
    it(`of ${path} with ${JSON.stringify(text)}`, () => {
      deepStrictEqual(
        there.filter((each) => !has(path, text, tool, each)),
        [],
      );
      deepStrictEqual(
        missing.filter((each) => has(path, text, tool, each)),
        [],
      );
    });
  }

  const defines = (tool: ScriptTool, script: string, text: string): boolean => {
    const table = new WordTable();
    const want = wantScript({ tool, script }, table);
    let isThere = false;
    const bytes = Buffer.from(text);
    table.scan(
      bytes,
      (word, start, end) => (isThere ||= word === want.word && want.isAt?.(bytes, start, end) === true),
    );
    return isThere;
  };

  it('had a script only where a manifest defined it', () => {
    strictEqual(defines('npm', 'build:prod', '{ "scripts": { "build:prod": "x" } }'), true);
    strictEqual(defines('npm', 'prod', '{ "scripts": { "build:prod": "x" } }'), false);
    strictEqual(defines('npm', 'serve', '{ "scripts": {}, "devDependencies": { "serve": "1" } }'), false);
    strictEqual(defines('npm', 'serve', '{ "scripts": { "a": "serve" } }'), false);
    strictEqual(defines('make', 'docs', 'all: x\ntest docs: all\n'), true);
    strictEqual(defines('make', 'docs', 'all: docs\n\tdocs: x\n# docs: x\n'), false);
    strictEqual(defines('just', 'docs', 'docs a="b":\n  x\n'), true);
    strictEqual(defines('just', 'docs', 'docs := "x"\nall: docs\n'), false);
  });
});
