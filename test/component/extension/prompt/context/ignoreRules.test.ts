import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { IgnoreRules } from '../../../../../src/extension/features/prompt/context/ignoreRules';
import { git, temporaryFolder } from '../../../../support/temporaryRepository';

const joined = (parts: readonly string[]): string => parts.join('');
/** Upper and lower case, characters of two and three bytes, and signs that mean something at the start of a pattern. */
const letters = ['a', 'b', 'A', 'B', 'k', 'ä', '漢', '.', '-', ' ', '!', '#'];
const wild = ['*', '*', '*', '**', '***', '?', '[ab]', '[!a]', '[^B]', '[a-c]', '[A-Z]', '[]a]', '[[:upper:]]', '[*?]'];
const rare = [
  '\\*',
  '\\a',
  '\\ ',
  '\\/',
  '\\',
  '[',
  ']',
  '[!]*a]',
  '[z-a]',
  '\r',
  '\0',
  '{a,b}',
  '(a',
  '+',
  '$',
  '^',
  '|',
];
const segment = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...letters) },
    { weight: 4, arbitrary: fc.constantFrom(...wild) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  ),
  { minLength: 1, maxLength: 5 },
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '!/', '**/'),
    fc.array(fc.oneof({ weight: 4, arbitrary: segment.map(joined) }, { weight: 1, arbitrary: fc.constant('**') }), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('', '', '', '/', '/**', '/*', ' ', '\r'),
  )
  .map(([start, names, end]) => start + names.join('/') + end);
/** Exceptions need something to except. */
const text = fc
  .tuple(fc.constantFrom('', '', '*\n', '*.k\n', 'A*\n'), fc.array(pattern, { minLength: 1, maxLength: 4 }))
  .map(([first, patterns]) => first + patterns.join('\n'));
const name = fc
  .array(fc.constantFrom(...letters.slice(0, -2), '*', 'ab', '.k'), { minLength: 1, maxLength: 4 })
  .map(joined)
  .filter((each) => !/^\.+$/.test(each) && !/^\.git$/i.test(each));
const path = fc
  .tuple(fc.constantFrom('', '', 'd/'), fc.array(name, { minLength: 1, maxLength: 4 }))
  .map(([folder, names]) => folder + names.join('/'));

describe('IgnoreRules, compared with git', () => {
  it('never calls a file not ignored that git ignores, with either setting for upper and lower case', async () => {
    const top = await temporaryFolder();
    await git(top, 'init', '-q');
    await mkdir(join(top, 'd'));
    const ignoredByGit = (ignoreCase: boolean, paths: readonly string[]): string[] => {
      const own = ['-c', `core.ignoreCase=${ignoreCase}`, '-c', 'core.excludesFile='];
      try {
        const input = paths.map((each) => `./${each}\0`).join('');
        const args = [...own, 'check-ignore', '--no-index', '-z', '--stdin'];
        return execFileSync('git', args, { cwd: top, input, encoding: 'utf8' }).split('\0').slice(0, -1);
      } catch (error) {
        assert.equal((error as { status?: number }).status, 1);
        return [];
      }
    };
    const property = fc.asyncProperty(
      text,
      fc.option(text, { nil: undefined, freq: 2 }),
      fc.array(path, { minLength: 50, maxLength: 50 }),
      async (root, inner = '', paths) => {
        await writeFile(join(top, '.gitignore'), root);
        await writeFile(join(top, 'd/.gitignore'), inner);
        const files: Record<string, string> = { '': root, d: inner };
        const rules = new IgnoreRules((folder) => Promise.resolve(files[folder]));
        for (const ignored of [false, true].flatMap((ignoreCase) => ignoredByGit(ignoreCase, paths))) {
          assert.equal(await rules.isIgnored(ignored.slice(2), false), true, ignored);
        }
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});
