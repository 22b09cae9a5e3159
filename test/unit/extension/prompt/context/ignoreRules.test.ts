import assert from 'node:assert/strict';
import { IgnoreRules } from '../../../../../src/extension/features/prompt/context/ignoreRules';

describe('.gitignore rules without git', () => {
  const files: Record<string, string> = { '': '*.env\nbuild/\n', 'packages/app': '!shown.env\nlocal.md\n' };
  const rules = new IgnoreRules((folder) => Promise.resolve(files[folder]));
  const cases: [path: string, isFolder: boolean, ignored: boolean][] = [
    ['packages/app/secret.env', false, true],
    ['packages/app/shown.env', false, false],
    ['packages/app/local.md', false, true],
    ['packages/local.md', false, false],
    ['packages/app/build', true, true],
    ['packages/app/build', false, false],
    ['packages/app/build/deep/page.md', false, true],
  ];
  for (const [path, isFolder, ignored] of cases) {
    it(`${ignored ? 'ignore' : 'keep'} ${isFolder ? 'the folder' : 'the file'} ${path}`, async () => {
      assert.equal(await rules.isIgnored(path, isFolder), ignored);
    });
  }

  /** The answer for a file, with this `.gitignore` at the root. */
  const isIgnored = (text: string, path: string): Promise<boolean> =>
    new IgnoreRules((folder) => Promise.resolve(folder === '' ? text : undefined)).isIgnored(path, false);

  it('ignore too much rather than try every possible match of many **', async () => {
    const deep = `${'a/'.repeat(90)}page.md`;
    assert.equal(await isIgnored(`/**${'/?/**'.repeat(30)}/b`, deep), true);
    assert.equal(await isIgnored('docs/**/a/**/b', 'docs/x/a/y/c'), true);
    assert.equal(await isIgnored('docs/**/a/**/b', 'docs/x/y/c'), false);
    assert.equal(await isIgnored('*.md\n!docs/**/a/**/*.md', 'docs/x/a/y/c.md'), true);
    assert.equal(await isIgnored('*.md\n!**/docs/*.md', 'docs/c.md'), false);
  });

  it('ignore whatever Git ignores with either setting for upper and lower case', async () => {
    assert.equal(await isIgnored('*.key\n!PUBLIC.KEY', 'public.key'), true);
    assert.equal(await isIgnored('*.key\n!PUBLIC.KEY', 'PUBLIC.KEY'), false);
    assert.equal(await isIgnored('*.KEY', 'a.key'), true);
    assert.equal(await isIgnored('[!a]*', 'A.md'), true);
    assert.equal(await isIgnored('[!A]*', 'A.md'), true);
    assert.equal(await isIgnored('*\n![A].md', 'A.md'), true);
    assert.equal(await isIgnored('*\n![Aa].md', 'A.md'), false);
  });

  it('match bytes like Git', async () => {
    assert.equal(await isIgnored('a??', 'aä'), true);
    assert.equal(await isIgnored('*\n!a?', 'aä'), true);
  });

  it('ignore too much rather than too little for unusual patterns', async () => {
    for (const [pattern, path] of [
      ['key**/*/**', 'key/a/b/c'],
      ['.***/**', '.a/b'],
      ['docs/a**/x', 'docs/a/b/c/x'],
      ['*?*?', 'ab'],
      ['a**\\/x', 'a/b/x'],
      ['a\0b', 'a'],
      ['[a/**/**/]', 'a'],
    ] as const) {
      assert.equal(await isIgnored(pattern, path), true, pattern);
      assert.equal(await isIgnored(`*\n!${pattern}`, path), true, `not ${pattern}`);
    }
  });

  it('read lines like Git', async () => {
    assert.equal(await isIgnored('a \r', 'a'), true);
    assert.equal(await isIgnored('a \0b', 'a'), true);
    assert.equal(await isIgnored('a\r\r\n', 'a\r'), true);
  });

  it('keep what usual patterns don’t match', async () => {
    for (const [pattern, path] of [
      ['[Bb]in/', 'win/a.md'],
      ['*.py[cod]', 'a.py'],
      ['\\#*#', 'a.md'],
      ['**/*.log', 'a.md'],
      ['**.log', 'a.md'],
      ['?.md', 'ab.md'],
      ['*.l?g', 'a.lg'],
      ['docs/**/*.bak', 'docs/a/b.md'],
      ['/build', 'docs/build.md'],
      ['*\n!*.md\n!docs/', 'docs/a.md'],
      ['*.[0-9][0-9]\n!a.[0-9][0-9]', 'a.12'],
    ] as const) {
      assert.equal(await isIgnored(pattern, path), false, pattern);
    }
  });

  it('ignore everything beside a .gitignore with too many patterns, and everything that is nested too deep', async () => {
    const patterns = (count: number): string => '# Comment\n\n' + '*.env\n'.repeat(count);
    assert.equal(await isIgnored(patterns(1_000), 'docs/a.md'), false);
    assert.equal(await isIgnored(patterns(1_001), 'docs/a.md'), true);
    assert.equal(await isIgnored('*.env', `${'a/'.repeat(99)}a.md`), false);
    assert.equal(await isIgnored('*.env', `${'a/'.repeat(100)}a.md`), true);
  });

  it('let other work run while many files are checked', async () => {
    const text = Array.from({ length: 500 }, (_, at) => `*.x${at}\n`).join('');
    const many = new IgnoreRules((folder) => Promise.resolve(folder === '' ? text : undefined));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => many.isIgnored(`src/${at}/a.ts`, false)));
    isOver = true;
    assert.ok(turns > 2, `${turns} turns`);
  });
});
