import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkLines, namesIn } from '../../support/runCheck';
import { seed, seededRandom } from '../../support/scale';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

/** Names of each kind, and how code has them. */
const SHAPES: readonly ((word: string, at: number) => { shown: string; code: string })[] = [
  (word, at) => ({ shown: `--${word}-${at}th-limit`, code: `option('${word}-${at}th-limit');` }),
  (word, at) => ({ shown: `${word.toUpperCase()}_TOKEN_${at}`, code: `read('${word.toUpperCase()}_TOKEN_${at}');` }),
  (word, at) => ({ shown: `client.${word}All${at}()`, code: `class Client${at} { ${word}All${at}() {} }` }),
  (word, at) => ({ shown: `${word}Count${at}`, code: `export const ${word}Count${at} = 1;` }),
];

function names(seeds: number, words: readonly string[]) {
  const dice = seededRandom(seeds);
  return Array.from({ length: 20 }, (_, at) => {
    const word = words[Math.floor(dice() * words.length)]!;
    return SHAPES[at % SHAPES.length]!(word, at);
  });
}

describe('check of added lines', () => {
  let folder: string;

  const commit = async (files: Record<string, string>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Change');
  };
  const check = () => checkLines(folder, 'HEAD~1', 'HEAD');

  beforeEach(async () => {
    folder = await sampleRepository();
  });

  it('reports invented names and no real ones', async () => {
    const real = names(seed, ['fetch', 'merge', 'retry', 'flush', 'parse']);
    const invented = names(seed + 1, ['teleport', 'summon', 'conjure', 'enchant', 'levitate']);
    await commit({ 'src/all.ts': real.map(({ code }) => `${code}\n`).join('') });
    const pages = Array.from({ length: 10 }, (_, page) => {
      const here = [real[2 * page]!, invented[2 * page]!, real[2 * page + 1]!, invented[2 * page + 1]!];
      return [`docs/p${page}.md`, here.map(({ shown }) => `Set \`${shown}\` first.\n`).join('\n')];
    });
    await commit(Object.fromEntries(pages) as Record<string, string>);
    const { findings } = await check();
    const plain = (shown: string): string => shown.replace('()', '');
    deepStrictEqual(namesIn(findings, 'unknown-name').toSorted(), invented.map(({ shown }) => plain(shown)).toSorted());
    ok(findings.every((finding) => finding.rule === 'unknown-name' && finding.certainty === 'certain'));
  });

  it('ignores files outside of the repository that a link in node_modules leads to', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'index.d.ts'), 'export function teleportThing(): void;');
    await commit({ 'package.json': JSON.stringify({ dependencies: { other: '1.0.0' } }) });
    await mkdir(join(folder, 'node_modules'));
    await symlink(outside, join(folder, 'node_modules/other'));
    await commit({ 'docs/a.md': 'Call `teleportThing()`.\n' });
    const { findings } = await check();
    deepStrictEqual(namesIn(findings, 'unknown-name'), ['teleportThing']);
    ok(findings.every((finding) => finding.rule === 'unknown-name' && finding.certainty === 'likely'));
  });

  it('accepts names that an installed package declares, and is less certain without the package', async () => {
    const manifest = JSON.stringify({ dependencies: { other: '1.0.0' } });
    await commit({ 'package.json': manifest, '.gitignore': 'node_modules\n' });
    await commit({ 'docs/a.md': 'Call `createThing()` or `destroyThing()`.\n' });
    const before = (await check()).findings;
    deepStrictEqual(
      before.map((finding) => finding.rule === 'unknown-name' && [finding.name, finding.certainty]),
      [
        ['createThing', 'likely'],
        ['destroyThing', 'likely'],
      ],
    );
    await mkdir(join(folder, 'node_modules/other'), { recursive: true });
    await writeFile(join(folder, 'node_modules/other/index.d.ts'), 'export function createThing(): void;\n');
    const { findings } = await check();
    deepStrictEqual(namesIn(findings, 'unknown-name'), ['destroyThing']);
    ok(findings[0]?.rule === 'unknown-name' && findings[0].certainty === 'certain');
  });

  it('accepts names that an example on the page defines', async () => {
    const example = '```py\nclass LazyGroup(Group):\n    own_setting = 1\n```\n';
    await commit({ 'docs/a.md': `${example}\nThe \`LazyGroup\` has \`own_setting\` and \`other_setting\`.\n` });
    deepStrictEqual(namesIn((await check()).findings, 'unknown-name'), ['other_setting']);
  });

  it('names the commit that removed a name from the code', async () => {
    await commit({ 'src/retry.ts': 'export interface RetryPolicy { limit: number }\n' });
    await commit({ 'docs/a.md': 'Set `baseDelayMs`.\n' });
    const [finding] = (await check()).findings;
    ok(finding?.rule === 'gone-name' && finding.evidence?.commit.subject === 'Change');
  });

  it('covers pages whose paths git quotes', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const pages = ['docs/"a" b.md', 'docs/c\\d.md', 'docs/e\tf\u0001é.md'];
    await commit(Object.fromEntries(['docs/a\nb.md', ...pages].map((path) => [path, 'Set `notThere`.\n'])));
    const { findings } = await check();
    deepStrictEqual(findings.map(({ place }) => place.path).toSorted(), pages.toSorted());
  });

  it('covers pages and code that the attributes of the work tree or the index call binary', async () => {
    await commit({ 'src/retry.ts': 'export interface RetryPolicy { limit: number }\n' });
    await commit({ 'docs/a.md': 'Set `baseDelayMs`.\n', '.gitattributes': '* -diff\n' });
    await git(folder, 'config', 'core.bigFileThreshold', '1');
    const expectFinding = async (): Promise<void> => {
      const [finding] = (await check()).findings;
      ok(finding?.rule === 'gone-name' && finding.evidence?.commit.subject === 'Change');
    };
    await expectFinding();
    // Now git would read the attributes from the index.
    await rm(join(folder, '.gitattributes'));
    await expectFinding();
  });

  it('reports nothing that the page already contained', async () => {
    await commit({ 'docs/a.md': 'Old `notThere` and [link](nowhere.md).\n' });
    await commit({ 'docs/a.md': 'Old `notThere` and [link](nowhere.md).\n\nNew. And again `notThere`.\n' });
    deepStrictEqual((await check()).findings, []);
  });

  it('reports broken links, missing anchors and missing images', async () => {
    await commit({
      'docs/a.md': [
        '# Here I am',
        '[1](getting-started.md) [2](getting-started.md#getting-started) [3](#here-i-am) [4](/docs/index) [5](../src/)',
        '[6](https://example.org/x) [7](mailto:a@b.c) [8](<index.md>) [9][ref] <https://example.org>',
        '[bad](gone.md) [anchor](index.md#nowhere) ![image](img/gone.png) <a href="lost.html">x</a>',
        '',
        '[ref]: index.md',
      ].join('\n'),
    });
    const { findings } = await check();
    deepStrictEqual(
      findings.map((finding) => [finding.rule, 'target' in finding && finding.target, finding.place.line]),
      [
        ['broken-link', 'gone.md', 4],
        ['broken-link', 'index.md#nowhere', 4],
        ['missing-image', 'img/gone.png', 4],
        ['broken-link', 'lost.html', 4],
      ],
    );
    strictEqual(findings[0]?.place.column, 1);
  });

  it('reports invalid JSON, YAML and TOML blocks', async () => {
    const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;
    await commit({
      'docs/a.md': [
        block('json', '{ "a": 1 }') + block('json', '{\n  "a": 1,\n}') + block('json', '{ "a": 1, ... }'),
        block('yaml', 'a:\n  - b') + block('yml', 'a: [b') + block('toml', 'a = 1') + block('toml', 'a = '),
        block('js', '{{{') + block('json', '{ "a": }\n'),
      ].join(''),
    });
    const { findings } = await check();
    deepStrictEqual(
      findings.map((finding) => finding.rule === 'invalid-code' && [finding.language, finding.place.line]),
      [
        ['json', 8],
        ['yml', 21],
        ['toml', 29],
        ['json', 37],
      ],
    );
    const last = findings.at(-1);
    strictEqual(last?.rule === 'invalid-code' && last.message, "Unexpected token '}'");
  });
});
