import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRefusal } from '../../../../../src/service/review/merge/mergeRefusal';
import { mergeBench, type MergeBench } from '../../../../support/mergeBench';
import { notOnWindows } from '../../../../support/notOnWindows';
import { git } from '../../../../support/temporaryRepository';

/** A git before which something is done in the work tree in the last moment, when all was looked at and files are to be written. */
async function gitAfter({ directory }: MergeBench, script: string): Promise<string> {
  const file = join(directory, '..', '..', 'gitAfter');
  const isLast = `case " $* " in *" read-tree -m -u "*) ${script};; esac`;
  await writeFile(file, `#!/bin/sh\n${isLast}\nexec git "$@"\n`, { mode: 0o755 });
  return file;
}

describe('a merge while the user saves a file', function () {
  notOnWindows();
  this.timeout(30_000);

  const edits = [
    { name: 'that is changed', file: 'docs/index.md', work: 'echo more >> docs/index.md' },
    { name: 'that is changed, of several', file: 'docs/index.md', work: 'echo more | tee -a docs/index.md README.md' },
    { name: 'that is new', file: 'docs/new.md', work: 'echo new > docs/new.md; echo more >> README.md' },
  ];
  for (const { name, file, work } of edits) {
    it(`leaves it, says so, and goes on when it is put aside: a file ${name}`, async () => {
      const bench = await mergeBench();
      const commit = await bench.work(work);
      const saved = join(bench.repo, file);
      const program = await gitAfter(bench, `printf 'typed just now' > '${saved}'`);
      await assert.rejects(bench.merge(bench.repo, program), (error) => {
        assert.ok(error instanceof MergeRefusal, String(error));
        assert.equal(
          error.message,
          `You have uncommitted changes in “${file}”, which this merge changes too. Commit or stash them, then try again.`,
        );
        return true;
      });
      assert.equal(await readFile(saved, 'utf8'), 'typed just now');
      assert.match(await git(bench.repo, 'status', '--porcelain'), new RegExp(`^( M|\\?\\?) ${file}\n$`));
      await assert.rejects(stat(bench.directory), /ENOENT/);
      await git(bench.repo, 'stash', 'push', '--quiet', '--include-untracked');
      await bench.merge();
      assert.equal((await git(bench.repo, 'rev-parse', 'HEAD')).trim(), commit);
      assert.equal(await git(bench.repo, 'status', '--porcelain'), '');
    });
  }

  it('that was cut off asks for a stash, and is undone after it', async () => {
    const bench = await mergeBench();
    await bench.work('echo more | tee -a docs/index.md README.md');
    const saved = join(bench.repo, 'README.md');
    const written = `git show docs-agent/j1:docs/index.md > '${bench.repo}/docs/index.md'`;
    const program = await gitAfter(bench, `${written}; printf 'typed just now' > '${saved}'; exit 1`);
    for (const each of [program, undefined]) {
      await assert.rejects(
        bench.merge(bench.repo, each),
        /was cut off, and “README\.md” was changed since\. Stash that/,
      );
      assert.equal(await readFile(saved, 'utf8'), 'typed just now');
    }
    await git(bench.repo, 'stash', 'push', '--quiet', '--include-untracked', '--', 'README.md');
    assert.equal((await bench.merge()).kind, 'fast-forward');
    assert.equal(await git(bench.repo, 'status', '--porcelain'), '');
  });
});
