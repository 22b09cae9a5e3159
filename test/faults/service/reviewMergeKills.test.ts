import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { Git } from '../../../src/git/git';
import { finishCutOff } from '../../../src/service/review/merge/finishCutOff';
import { readJournal } from '../../../src/service/review/merge/journal';
import { JOB, mergeBench, type MergeBench } from '../../support/mergeBench';
import { buildNodeScript, type NodeScript } from '../../support/nodeScript';
import { notOnWindows } from '../../support/notOnWindows';
import { report, scaled, seed } from '../../support/scale';
import { git } from '../../support/temporaryRepository';

/** How the job's work and the user's branch stand to each other. */
type Kind = 'fast-forward' | 'merge';

/** What the job did: every kind of change, and so many files that writing them takes a while. */
const WORK = `for i in $(seq 150); do seq 200 > docs/$i.md; done
echo more >> docs/index.md; git rm --quiet src/retry.ts; mkdir -p a/b; echo x > a/b/c; ln -s ../README.md docs/link
git mv docs/getting-started.md docs/start.md; chmod +x README.md`;

/**
 * A git that ends the process which called it before or after its n-th command, and also the command in its middle.
 * Arguments of its environment: MOMENT, at which command, where in it.
 */
const DEADLY_GIT = `#!/bin/sh
here=$(dirname "$0")
echo x >> "$here/count"
if [ "$(wc -l < "$here/count")" -eq "$(cat "$here/number")" ]; then
  case "$(cat "$here/moment")" in
    before) kill -9 $PPID; exit 1;;
    during) git "$@" & child=$!; sleep 0.01; kill -9 $child $PPID; exit 1;;
    after) git "$@"; kill -9 $PPID; exit 1;;
  esac
fi
exec git "$@"
`;

describe('merges that are killed', function () {
  notOnWindows();
  let script: NodeScript;
  let cutOff = 0;
  let tries = 0;
  before(async () => {
    script = await buildNodeScript(fileURLToPath(new URL('../../support/mergeProcess.ts', import.meta.url)));
  });
  after(async () => {
    await script.remove();
    const what = `${tries} kills in merges, ${cutOff} of them while files, index or branch were being written`;
    report({ promise: 'S14', what, figure: '0 left half done, 0 lost' });
  });

  async function openBench(kind: Kind): Promise<{ bench: MergeBench; commit: string; from: string }> {
    const bench = await mergeBench();
    const commit = await bench.work(WORK);
    if (kind === 'merge') {
      await bench.shell('echo mine > mine.md; git add .; git commit --quiet -m Mine');
    }
    return { bench, commit, from: (await git(bench.repo, 'rev-parse', 'HEAD')).trim() };
  }

  /** Starts a merge and resolves when its process is dead. It ends by its git, or is ended after so many milliseconds. */
  async function mergeAndDie(
    { repo, directory }: MergeBench,
    commit: string,
    program: string | undefined,
    afterMs: number | undefined,
    wholeGroup: boolean,
  ): Promise<void> {
    const args = [script.path, repo, directory, commit, ...(program === undefined ? [] : [program])];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    if (afterMs !== undefined) {
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      try {
        process.kill(wholeGroup ? -(child.pid ?? 0) : (child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    child.stdout.resume();
    await ended;
  }

  /** Brings the merge to an end in either way, and looks at what came of it. */
  async function settle(opened: Awaited<ReturnType<typeof openBench>>, kind: Kind, again: boolean): Promise<void> {
    const { bench, commit, from } = opened;
    const { repo, directory } = bench;
    tries += 1;
    cutOff += (await readJournal(directory))?.to == null ? 0 : 1;
    if (again) {
      await bench.merge();
    } else {
      await finishCutOff(new Git(process.env), directory, JOB);
    }
    const head = (await git(repo, 'rev-parse', 'HEAD')).trim();
    assert.equal(await git(repo, 'status', '--porcelain'), '');
    assert.equal(await git(repo, 'fsck', '--no-dangling'), '');
    await assert.rejects(stat(join(repo, '.git', 'index.lock')), /ENOENT/);
    await assert.rejects(stat(join(directory, 'merge.json')), /ENOENT/);
    if (again || head !== from) {
      const parents =
        kind === 'merge' ? `${from} ${commit}` : (await git(repo, 'log', '-1', '--format=%P', commit)).trim();
      assert.equal((await git(repo, 'log', '-1', '--format=%P')).trim(), parents);
      assert.ok((await readFile(join(repo, 'docs', '150.md'), 'utf8')).endsWith('200\n'));
    }
  }

  const moments = fc.record({
    kind: fc.constantFrom<Kind>('fast-forward', 'merge'),
    afterMs: fc.integer({ min: 0, max: 400 }),
    wholeGroup: fc.boolean(),
    again: fc.boolean(),
  });

  it('at random moments are undone or come to their end', async function () {
    const kills = scaled(4, 200);
    this.timeout(60_000 + kills * 5_000);
    for (const { kind, afterMs, wholeGroup, again } of fc.sample(moments, { numRuns: kills, seed })) {
      const opened = await openBench(kind);
      await mergeAndDie(opened.bench, opened.commit, undefined, afterMs, wholeGroup);
      await settle(opened, kind, again);
    }
  });

  /** The last git commands of a merge: files, and branch. */
  const FILES = -2;
  const BRANCH_MOVES = -1;

  async function commandsOf(kind: Kind): Promise<number> {
    const opened = await openBench(kind);
    const program = await deadlyGit(opened.bench, 0, 'before');
    await mergeAndDie(opened.bench, opened.commit, program, undefined, false);
    assert.equal(await git(opened.bench.repo, 'status', '--porcelain'), '');
    return (await readFile(join(program, '..', 'count'), 'utf8')).split('\n').length - 1;
  }

  async function deadlyGit({ directory }: MergeBench, number: number, moment: string): Promise<string> {
    const folder = join(directory, '..', '..');
    await Promise.all([
      writeFile(join(folder, 'deadlyGit'), DEADLY_GIT, { mode: 0o755 }),
      writeFile(join(folder, 'number'), String(number)),
      writeFile(join(folder, 'moment'), moment),
      writeFile(join(folder, 'count'), ''),
    ]);
    return join(folder, 'deadlyGit');
  }

  it('at each git command, before it, in it and after it, are undone or come to their end', async function () {
    this.timeout(scaled(120_000, 900_000));
    for (const kind of ['fast-forward', 'merge'] as const) {
      const all = await commandsOf(kind);
      assert.ok(all > 15, String(all));
      const last = [all + 1 + FILES, all + 1 + BRANCH_MOVES];
      const numbers = scaled(0, 1) === 1 ? Array.from({ length: all }, (_, index) => index + 1) : last;
      for (const number of numbers) {
        // In the middle of moving the branch git's own lock on it would be left, as by each git that is killed.
        for (const moment of number === all ? ['before', 'after'] : ['before', 'during', 'after']) {
          const opened = await openBench(kind);
          const program = await deadlyGit(opened.bench, number, moment);
          await mergeAndDie(opened.bench, opened.commit, program, undefined, false);
          await settle(opened, kind, (number + moment.length) % 2 === 0);
        }
      }
    }
    assert.ok(cutOff >= 6, `only ${cutOff} kills found a journal`);
  });
});
