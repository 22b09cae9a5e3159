import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findSource,
  NoCommitError,
  readChanges,
  type WantedChange,
} from '../../../../src/extension/features/prompt/changes/changes';
import { withUserFileSettings } from '../../../../src/git/repositorySettings';
import { type ChangeRepository, Git } from '../../../../src/git/git';
import { changesText } from '../../../../src/prompt/changesText';
import { hostileRepositories } from '../../../faults/local-service/hostileRepositories';
import { notOnWindows } from '../../../support/machine';
import { scaled, seed } from '../../../support/scale';
import {
  createSampleRepository,
  git as plainGit,
  sampleRepository,
  temporaryFolder,
} from '../../../support/temporaryRepository';

async function opened(folder: string, signal = new AbortController().signal): Promise<ChangeRepository> {
  const git = new Git({ PATH: process.env['PATH'], HOME: folder });
  return { git, place: await withUserFileSettings(git, folder), signal };
}

async function textOf(folder: string, wanted: WantedChange, budget?: number): Promise<string> {
  const repository = await opened(folder);
  const source = await findSource(repository, wanted);
  return changesText(await readChanges(repository, source), budget);
}

describe('reading changes of a repository', function () {
  let folder: string;
  beforeEach(async () => {
    folder = await sampleRepository();
  });
  const write = (path: string, content: string | Buffer) => writeFile(join(folder, path), content);
  const git = (...args: string[]) => plainGit(folder, ...args);
  const commit = async (message: string): Promise<string> => {
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '-m', message);
    return (await git('rev-parse', 'HEAD')).trim();
  };

  it('reads working tree changes with renamed, deleted, binary and untracked files', async () => {
    await rename(join(folder, 'docs/index.md'), join(folder, 'docs/home.md'));
    await write('src/retry.ts', 'export const one = 1;\n');
    await write('logo.png', Buffer.from([0x89, 0x50, 0, 0, 1]));
    await git('add', 'docs', 'logo.png');
    await write('new "file".md', 'One\r\nTwo');
    await write('.gitignore', 'ignored.md\n');
    await write('ignored.md', 'x\n');
    await symlink('/', join(folder, 'link'));
    const text = await textOf(folder, { kind: 'workingTree' });
    assert.match(text, /^6 files changed, \+4 -22\n/);
    assert.match(text, /^R docs\/index\.md -> docs\/home\.md, \+0 -0$/m);
    assert.match(text, /^A logo\.png, binary, not shown$/m);
    assert.match(text, /^\? link, a link, not shown$/m);
    assert.match(text, /^\? "new \\"file\\"\.md", \+2 -0$/m);
    assert.match(text, /^M src\/retry\.ts, \+1 -22$/m);
    assert.match(text, /\n@@ -0,0 \+1,2 @@\n\+One\n\+Two\n\\ No newline at end of file/);
    assert.match(text, /^rename from docs\/index\.md$/m);
    assert.doesNotMatch(text, /ignored\.md, /);
  });

  it('reads the text of commits, whatever the attributes in the work tree say', async () => {
    await write('docs/index.md', 'First\n');
    await write('.gitattributes', '*.md -diff\n');
    await commit('First');
    assert.match(await textOf(folder, { kind: 'commit', ref: 'HEAD' }), /^\+First$/m);
    await write('docs/index.md', 'Second\n');
    assert.match(await textOf(folder, { kind: 'workingTree' }), /^M docs\/index\.md, binary, not shown$/m);
  });

  it('reads the opened folder even when core.worktree points elsewhere', async () => {
    const elsewhere = await temporaryFolder();
    await writeFile(join(elsewhere, 'README.md'), 'Of another folder\n');
    await git('config', 'core.worktree', elsewhere);
    await write('README.md', 'Of this folder\n');
    const text = await textOf(folder, { kind: 'workingTree' });
    assert.match(text, /^1 file changed, [^]*^\+Of this folder$/m);
  });

  it('reads only staged changes when asked for them', async () => {
    await write('README.md', 'Staged\n');
    await git('add', 'README.md');
    await write('README.md', 'Not staged\n');
    const text = await textOf(folder, { kind: 'staged' });
    assert.match(text, /^\+Staged$/m);
    assert.doesNotMatch(text, /Not staged/);
  });

  it('reads changes before the first commit', async () => {
    const empty = await temporaryFolder();
    await plainGit(empty, 'init', '--quiet');
    await writeFile(join(empty, 'a.md'), 'A\n');
    await plainGit(empty, 'add', '.');
    assert.match(await textOf(empty, { kind: 'workingTree' }), /^\+A$/m);
    assert.match(await textOf(empty, { kind: 'staged' }), /^\+A$/m);
  });

  it('reads changes of a branch since its merge base and of commits', async () => {
    const first = (await git('rev-parse', 'HEAD')).trim();
    await git('switch', '--quiet', '-c', 'feature');
    await write('README.md', 'Feature\n');
    const second = await commit('Say more\n\nBecause of this.');
    await git('switch', '--quiet', 'main');
    await write('docs/index.md', 'Elsewhere\n');
    await commit('Elsewhere');
    await git('switch', '--quiet', 'feature');
    const branch = await textOf(folder, { kind: 'branch', base: 'main' });
    assert.match(branch, /^[0-9a-f]{7} Say more\n\n1 file changed, [^]*^\+Feature$/m);
    const one = await textOf(folder, { kind: 'commit', ref: second });
    assert.match(one, /^[0-9a-f]{7} Say more\n\nBecause of this\.\n\n1 file changed, [^]*^\+Feature$/m);
    assert.match(await textOf(folder, { kind: 'commit', ref: first }), /^4 files changed, \+\d+ -0\n/m);
    for (const wanted of [
      { kind: 'commit', ref: '--output=x' },
      { kind: 'branch', base: 'nothing' },
    ] as const) {
      await assert.rejects(textOf(folder, wanted), NoCommitError);
    }
    await git('switch', '--quiet', '--orphan', 'other');
    await commit('Other');
    await assert.rejects(textOf(folder, { kind: 'branch', base: 'main' }), NoCommitError);
  });

  it('reports exact totals and how many lines were left out when there are too many changes', async () => {
    await mkdir(join(folder, 'many'));
    const lines = (mark: string): string => Array.from({ length: 300 }, (_, n) => `${mark} ${n}\n`).join('');
    for (let index = 0; index < 120; index += 1) {
      await write(`many/${index}.md`, lines('old'));
    }
    await commit('Many');
    for (let index = 0; index < 120; index += 1) {
      await write(`many/${index}.md`, lines('new'));
    }
    await write('many/0.md', lines('old').replace('old 7\n', 'new 7\n'));
    const text = await textOf(folder, { kind: 'workingTree' }, 20_000);
    assert.match(text, /^120 files changed, \+35,701 -35,701\n/);
    assert.match(text, /\n-old 7\n\+new 7\n/);
    assert.equal(text.match(/^M many\/\d+\.md, \+300 -300, not shown$/gm)?.length, 20);
    assert.equal(text.match(/^… 5\d\d lines left out$/gm)?.length, 99);
    assert.ok(text.length < 35_000, `${text.length}`);
  });

  it('stops reading a diff that is far too long', async () => {
    let bytes = 0;
    class CountingGit extends Git {
      override async *stream(...args: Parameters<Git['stream']>): ReturnType<Git['stream']> {
        for await (const chunk of super.stream(...args)) {
          bytes += chunk.length;
          yield chunk;
        }
      }
    }
    await write('large.txt', 'a line of a very large file\n'.repeat(1_000_000));
    await git('add', '.');
    const repository = { ...(await opened(folder)), git: new CountingGit({ PATH: process.env['PATH'] }) };
    const changes = await readChanges(repository, await findSource(repository, { kind: 'staged' }));
    assert.ok(bytes < 20_000_000, String(bytes));
    assert.match(changesText(changes), /^… [\d,]+ lines left out\n[^]*\n… and more$/m);
  });

  it('rejects when aborted and leaves no git process running', async () => {
    await write('large.txt', 'x\n'.repeat(2_000_000));
    await git('add', '.');
    const stop = new AbortController();
    const repository = await opened(folder, stop.signal);
    const source = await findSource(repository, { kind: 'staged' });
    const reading = readChanges(repository, source);
    stop.abort(new Error('enough'));
    await assert.rejects(reading, /enough/);
  });
});

/** Traps that a plain git diff triggers on this machine, so that the test is known to work. */
const PROGRAMS_RUN_BY_DIFF = [
  'diff.external',
  'a textconv program',
  'core.fsmonitor',
  'a clean filter',
  'programs of a submodule',
];

describe('reading changes of a hostile repository', function () {
  notOnWindows();
  const usable = hostileRepositories.filter(({ isSlow, opened: sub }) => isSlow !== true && sub === undefined);
  const every = scaled(3, 1);
  // All traps whose effect is verified, and a seed-dependent share of the others.
  const chosen = usable.filter(({ name }, at) => PROGRAMS_RUN_BY_DIFF.includes(name) || at % every === seed % every);
  for (const { name, plant, careless } of chosen) {
    it(`runs no program of the repository: ${name}`, async () => {
      const [root, marks, outside] = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()]);
      const folder = join(root, 'repo');
      await mkdir(folder);
      await createSampleRepository(folder);
      const trap = join(root, 'trap.sh');
      await writeFile(trap, `#!/bin/sh\ntouch '${marks}/sprung-'$$\n`, { mode: 0o755 });
      await writeFile(join(outside, 'secret'), 'CANARY\n');
      const script = plant({ trap, folder: root, secret: join(outside, 'secret'), server: 'http://127.0.0.1:9' });
      const identity = ['robin', 'robin@example.org'];
      const env = {
        ...{ PATH: process.env['PATH'], HOME: root, TRAP: trap, GIT_AUTHOR_NAME: identity[0] },
        ...{ GIT_AUTHOR_EMAIL: identity[1], GIT_COMMITTER_NAME: identity[0], GIT_COMMITTER_EMAIL: identity[1] },
      };
      const shell = (text: string) => promisify(execFile)('bash', ['-c', text], { cwd: folder, env, timeout: 60_000 });
      await shell(script).catch(() => undefined);
      await writeFile(join(folder, 'README.md'), 'changed\n');
      await writeFile(join(folder, 'new.md'), 'new\n');
      await Promise.all((await readdir(marks)).map((mark) => rm(join(marks, mark))));
      for (const wanted of [
        { kind: 'workingTree' },
        { kind: 'staged' },
        { kind: 'branch', base: 'HEAD' },
        { kind: 'commit', ref: 'HEAD' },
      ] as const) {
        const text = await textOf(folder, wanted).catch((error: unknown) => String(error));
        assert.ok(!text.includes('CANARY'), text);
      }
      assert.deepEqual(await readdir(marks), []);
      if (PROGRAMS_RUN_BY_DIFF.includes(name)) {
        await shell(careless ?? '').catch(() => undefined);
        assert.ok((await readdir(marks)).length > 0, 'who does not look out runs it');
      }
    });
  }
});
