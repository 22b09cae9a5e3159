import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { disableRepositoryPrograms } from '../../../src/git/disableRepositoryPrograms';
import { Git, GitError, type GitOptions } from '../../../src/git/git';
import { mergeWork, previewMerge, undoMerge } from '../../../src/local-service/review/merge';
import { findShownBase, MergeRefusal } from '../../../src/local-service/review/mergeTarget';
import { notOnWindows } from '../../support/machine';
import { report, scaled } from '../../support/scale';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../support/temporaryRepository';
import {
  hostileRepositories,
  type HostileRepository,
  type Places,
  SIGNATURES,
  SUBMODULE_PROGRAMS,
} from './hostileRepositories';

/** Traps that only a merge would trigger. */
const ofMerges: readonly HostileRepository[] = [
  {
    name: 'a merge driver',
    plant: ({
      trap,
    }) => `printf '[merge "x"]\\ndriver = ${trap} %%O %%A %%B\\n[merge "a=b.c"]\\ndriver = ${trap}\\n' >> .git/config
printf '*.md merge=x\\n' > .gitattributes; git add .gitattributes; git commit --quiet -m Attributes\n`,
  },
  {
    name: 'a default merge driver',
    plant: ({ trap }) => `printf '[merge]\\ndefault = x\\n[merge "x"]\\ndriver = ${trap}\\n' >> .git/config\n`,
  },
  {
    name: 'signatures that are verified, and a strategy',
    plant: ({
      trap,
    }) => `printf '[merge]\\nverifySignatures = true\\n[gpg]\\nprogram = ${trap}\\n[commit]\\ngpgSign = true\\n' >> .git/config
printf '[branch "main"]\\nmergeOptions = --verify-signatures -S --no-ff -s octopus\\n' >> .git/config\n`,
  },
  {
    name: 'a filter with renormalization',
    plant: ({
      trap,
    }) => `printf '[merge]\\nrenormalize = true\\n[filter "x"]\\nclean = ${trap}\\nsmudge = ${trap}\\n' >> .git/config
printf '* filter=x\\n' > .gitattributes; git add .gitattributes; git commit --quiet -m Attributes\n`,
  },
];

const others = hostileRepositories.filter(({ isSlow, opened }) => isSlow !== true && opened === undefined);
/** Tried in each run: checking for uncommitted work, and looking for the merge, would run these. */
const always = [SUBMODULE_PROGRAMS, SIGNATURES];
const chosen = [
  ...ofMerges,
  ...others.filter(({ name }, index) => index % scaled(3, 1) === 0 || always.includes(name)),
];

const AUTHOR = { name: 'Robin Example', email: 'robin@example.org' };

describe('merges in hostile repositories', function () {
  notOnWindows();
  const git = new Git(process.env);
  let root: string;
  let server: Server;
  let asked = 0;
  const counts = { merged: 0, undone: 0, refused: 0 };
  before(async () => {
    root = await temporaryFolder();
    server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.close();
    const { merged, undone, refused } = counts;
    assert.ok(Math.min(merged, undone) > 0, JSON.stringify(counts));
    const what = `${merged} merges in hostile repositories, ${undone} of them undone; ${refused} refused`;
    report({ promise: 'S11', what, figure: `0 commands run, ${asked} servers asked` });
  });

  async function places(name: string): Promise<Places & { repo: string; marks: string }> {
    const folder = join(root, name);
    const [trap, marks, repo] = [join(folder, 'trap'), join(folder, 'marks'), join(folder, 'repository')];
    await mkdir(join(folder, 'outside'), { recursive: true });
    await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> '${marks}'\n`);
    await chmod(trap, 0o755);
    await writeFile(join(folder, 'outside', 'secret'), 'CANARY\n');
    await createSampleRepository(repo);
    const { port } = server.address() as AddressInfo;
    return { trap, folder, repo, marks, secret: join(folder, 'outside', 'secret'), server: `http://127.0.0.1:${port}` };
  }

  async function plant(hostile: HostileRepository, at: Awaited<ReturnType<typeof places>>): Promise<void> {
    const env = {
      ...{ PATH: process.env['PATH'], HOME: root, TRAP: at.trap, GIT_TERMINAL_PROMPT: '0' },
      ...{ GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@example.org' },
      ...{ GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@example.org' },
    };
    await promisify(execFile)('sh', ['-c', `set -e\n${hostile.plant(at)}`], { cwd: at.repo, env, timeout: 20_000 });
    await rm(at.marks, { force: true });
  }

  /** Commits a change of a file on top of a commit, with commands that run no programs of the repository. */
  async function commitOn(
    repo: string,
    parent: string,
    change: (text: string) => string,
    index: string,
  ): Promise<string> {
    const path = 'docs/index.md';
    const place = await disableRepositoryPrograms(git, { folder: repo });
    const environment = {
      ...{ GIT_INDEX_FILE: index, GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x', GIT_COMMITTER_NAME: 'x' },
      GIT_COMMITTER_EMAIL: 'x',
    };
    const run = async (args: string[], options: GitOptions = {}): Promise<string> =>
      (await git.run({ ...place, environment: { ...place.environment, ...environment } }, args, options)).trim();
    await run(['read-tree', parent]);
    const old = await run(['cat-file', 'blob', `${parent}:${path}`]);
    const blob = await run(['hash-object', '-w', '--stdin', '--no-filters'], { input: change(old) });
    await run(['update-index', '--cacheinfo', `100644,${blob},${path}`]);
    return run(['commit-tree', await run(['write-tree']), '-p', parent, '-m', 'Work']);
  }

  /** Proves that the same merge with plain git, in a copy, triggers the trap. */
  async function springs(at: Awaited<ReturnType<typeof places>>, commit: string): Promise<void> {
    const copy = join(at.folder, 'copy');
    await promisify(execFile)('cp', ['-a', at.repo, copy]);
    await plainGit(copy, 'merge', '--quiet', '-m', 'x', commit).catch(() => '');
    assert.notEqual(await readFile(at.marks, 'utf8').catch(() => ''), '', 'the trap springs for who does not look out');
    await rm(at.marks);
  }

  /** Merges, and undoes the merge. Each may be refused. */
  async function mergeAndUndo(repo: string, commit: string, base: string): Promise<void> {
    const branch = 'docs-agent/j1';
    const work = { commit, branch, jobId: 'j1', base: { commit: base, branch: 'main' } };
    const shown = await previewMerge(git, repo, work);
    const describe = () => Promise.resolve({ prompt: 'Prompt', summary: 'Done.' });
    try {
      await mergeWork(git, repo, work, { author: AUTHOR, describe, shown });
      counts.merged += 1;
      await findShownBase(git, repo, work);
      const undone = await undoMerge(git, repo, work, AUTHOR);
      counts.undone += undone === undefined ? 0 : 1;
    } catch (error) {
      assert.ok(error instanceof MergeRefusal || error instanceof GitError, String(error));
      counts.refused += 1;
    }
  }

  for (const [index, hostile] of chosen.entries()) {
    for (const kind of ['fast-forward', 'merge'] as const) {
      it(`run no command: ${hostile.name}, ${kind}`, async () => {
        const at = await places(`${kind}${index}`);
        const before = (await git.run({ folder: at.repo }, ['rev-parse', 'HEAD'])).trim();
        await plant(hostile, at);
        const head = await git.run({ folder: at.repo }, ['rev-parse', 'HEAD']).catch(() => before);
        const own = join(at.folder, 'index');
        const base = kind === 'fast-forward' ? head.trim() : before;
        const commit = await commitOn(at.repo, base, (text) => `${text}\nmore\n`, own).catch(() => base);
        if (kind === 'merge') {
          const mine = await commitOn(at.repo, head.trim(), (text) => `before\n${text}\n`, own).catch(() =>
            head.trim(),
          );
          // A configuration that forbids running anything is refused; the work is checked all the same.
          const place = await disableRepositoryPrograms(git, { folder: at.repo }).catch(() => ({
            folder: at.repo,
            gitDir: '/none',
          }));
          await git.run(place, ['read-tree', '-m', '-u', head.trim(), mine]).catch(() => '');
          await git.run(place, ['update-ref', 'HEAD', mine]).catch(() => '');
        }
        if (kind === 'merge' && ofMerges.includes(hostile) && !hostile.name.startsWith('signatures')) {
          await springs(at, commit);
        }
        await mergeAndUndo(at.repo, commit, base);
        assert.equal(await readFile(at.marks, 'utf8').catch(() => ''), '', 'a command ran');
        assert.equal(asked, 0, 'a server was asked');
      });
    }
  }
});
