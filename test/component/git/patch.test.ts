import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Git } from '../../../src/git/git';
import { PatchReader, readPatches } from '../../../src/git/patch';
import { git, temporaryFolder } from '../../support/temporaryRepository';

const LIMITS = { files: 10, perFile: 1000, characters: 3000 };

describe('readPatches', function () {
  let folder: string;
  let where: Parameters<typeof readPatches>[0];
  const head = async (): Promise<string> => (await git(folder, 'rev-parse', 'HEAD')).trim();

  before(async () => {
    folder = await temporaryFolder();
    await git(folder, 'init', '--quiet');
    where = { git: new Git(process.env), place: { folder }, signal: AbortSignal.timeout(30_000) };
  });

  async function commit(script: string): Promise<string> {
    await git(folder, '-c', `alias.x=!set -e; ${script}; git add --all; git commit --quiet --allow-empty -m x`, 'x');
    return head();
  }

  it('returns the patch of each file under its name, however unusual', async () => {
    const base = await commit('mkdir "a b"; echo 1 > "a b/ü \\"q\\".md"; echo 1 > moved.md; ln -s x link; echo 1 > z');
    const next = await commit(
      'echo 2 > "a b/ü \\"q\\".md"; git mv moved.md "b b.md"; rm link; echo 1 > link; printf "\\0" > z',
    );
    const files = await readPatches(where, [base, next], LIMITS);
    assert.deepEqual(
      files.map(({ path, patch, isCut }) => [path, patch.split('\n').filter((line) => /^[-+][^-+]/.test(line)), isCut]),
      [
        ['a b/ü "q".md', ['-1', '+2'], false],
        ['b b.md', [], false],
        ['link', ['-x', '+1'], false],
        ['z', [], false],
      ],
    );
  });

  it('distinguishes files whose names result in the same header', async () => {
    const base = await commit('mkdir "x b"; seq 20 > x; seq 30 50 > "x b/y"; echo 1 > z.md');
    const next = await commit('echo new >> "x b/y"; mkdir -p "y b/x b"; git mv x "y b/x b/y"; echo 2 > z.md');
    const files = await readPatches(where, [base, next], LIMITS);
    assert.deepEqual(
      files.map(({ path, patch }) => [path, patch.split('\n').filter((line) => /^([-+][^-+]|rename)/.test(line))]),
      [
        ['x b/y', ['+new']],
        ['y b/x b/y', ['rename from x', 'rename to y b/x b/y']],
        ['z.md', ['-1', '+2']],
      ],
    );
  });

  it('distinguishes files whose names become the same text', async () => {
    const [one, other] = ['$(printf "\\376")', '$(printf "\\377")'];
    const base = await commit(`ln -s x "${one}"; echo 1 > "${other}"; echo 1 > "\u{10000}y"; echo 1 > "\u{10000}z"`);
    const next = await commit(
      `rm "${one}"; echo 2 > "${one}"; echo 3 > "${other}"; echo 4 > "\u{10000}y"; echo 5 > "\u{10000}z"`,
    );
    const files = await readPatches(where, [base, next], LIMITS);
    assert.deepEqual(
      files.map(({ path, patch }) => [path, patch.split('\n').filter((line) => /^[+][^+]/.test(line))]).toSorted(),
      [
        ['\u{10000}y', ['+4']],
        ['\u{10000}z', ['+5']],
        ['\ufffd', ['+2']],
        ['\ufffd', ['+3']],
      ],
    );
  });

  it('keeps the beginning of a long file and the files after it, up to a total', async () => {
    const base = await head();
    await mkdir(join(folder, 'long'));
    for (let index = 0; index < 12; index += 1) {
      const text = index === 2 ? 'x'.repeat(200_000) : 'line of text\n'.repeat(index === 0 ? 50_000 : 3);
      await writeFile(join(folder, 'long', `${String(index).padStart(2, '0')}.md`), text);
    }
    const next = await commit(':');
    const files = await readPatches(where, [base, next], LIMITS);
    assert.equal(files.length, 10);
    assert.deepEqual(
      files.slice(0, 4).map(({ isCut }) => isCut),
      [true, false, true, false],
    );
    assert.ok(files.every(({ patch }) => patch.length <= LIMITS.perFile));
    const few = await readPatches(where, [base, next], { ...LIMITS, characters: 1200 });
    assert.ok(few.reduce((sum, { patch }) => sum + patch.length, 0) <= 1200);
    assert.equal(few.at(-1)?.isCut, true);
  });

  it('reads the same from output in chunks of any size as from a single chunk', () => {
    const line = fc.constantFrom(
      'diff --git a/x b/x',
      'diff --git a/y b/y',
      '@@ -1 +1 @@',
      '+diff --git',
      '-a',
      '+b',
      '',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.array(fc.nat(20)), (lines, sizes) => {
        const text = `${lines.join('\n')}\n`;
        const names = lines.map((_, index) => ({ path: String(index), status: index % 2 === 0 ? 'T' : 'M' }));
        const [whole, pieces] = [new PatchReader(LIMITS, names), new PatchReader(LIMITS, names)];
        whole.push(text);
        let at = 0;
        for (const size of sizes) {
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        pieces.push(text.slice(at));
        assert.deepEqual(pieces.end(), whole.end());
      }),
    );
  });
});
