import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { registeredProjectSchema } from '../../../src/protocol/localService';
import { disableRepositoryPrograms } from '../../../src/git/repositorySettings';
import { Git, GitError, type GitOptions } from '../../../src/git/git';
import { mergeWork, previewMerge, undoMerge } from '../../../src/local-service/review/merge';
import { findShownBase, MergeRefusal } from '../../../src/local-service/review/mergeTarget';
import { customAgent } from '../../support/sampleTurn';
import { type LocalBench, localBench } from '../../contract/contractBench';
import { notOnWindows } from '../../support/machine';
import { openReview } from '../../support/reviewPage';
import { report, scaled, seed } from '../../support/scale';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';
import {
  hostileRepositories,
  type HostileRepository,
  ofMerges,
  type Outcome,
  type Places,
  SIGNATURES,
  SUBMODULE_PROGRAMS,
} from './hostileRepositories';

/** In random order: a share as the user's repository, the others as what an agent leaves in its clone. */
const all = hostileRepositories.filter(({ isSlow }) => isSlow !== true || scaled(0, 1) === 1);
const shuffled = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { numRuns: 1, seed })[0] ?? [];
const chosen = shuffled.slice(0, scaled(14, all.length));
const ofAgents = shuffled.toReversed().slice(0, scaled(6, all.length));
const FOLLOW_UPS = scaled(0, 1);

const EDIT = 'echo more >> README.md\n';

/** A server that asks for a password, and counts the requests. */
interface PasswordServer {
  address: string;
  asked: () => number;
  close: () => void;
}

async function passwordServer(): Promise<PasswordServer> {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, asked: () => asked, close: () => server.close() };
}

/** A trap and the files it needs, and the user's repository, in a separate folder. */
interface Case extends Places {
  repo: string;
  marks: () => Promise<string>;
}

async function createCase(folder: string, address: string): Promise<Case> {
  const [trap, secret, marks] = [join(folder, 'trap'), join(folder, 'outside', 'secret'), join(folder, 'marks')];
  await mkdir(join(folder, 'outside'), { recursive: true });
  await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> '${marks}'\n`);
  await chmod(trap, 0o755);
  await writeFile(secret, 'CANARY\n');
  const repo = join(folder, 'repository');
  await createSampleRepository(repo);
  return { trap, folder, secret, server: address, repo, marks: () => readFile(marks, 'utf8').catch(() => '') };
}

/** Runs a script as a user would who does not look out. */
async function shell(script: string, cwd: string, { trap, folder }: Places): Promise<void> {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: join(folder, '..'), TRAP: trap, GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@example.org' },
    ...{ GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@example.org' },
  };
  await promisify(execFile)('sh', ['-c', script], { cwd, env, timeout: 20_000 });
}

/** Prepares the repository of a case. What the commands for that trigger does not count. */
async function plant(hostile: HostileRepository, at: Case): Promise<void> {
  await shell(`set -e\n${hostile.plant(at)}`, at.repo, at);
  await rm(join(at.folder, 'marks'), { force: true });
}

describe('local service, hostile repositories', function () {
  notOnWindows();
  let bench: LocalBench;
  let passwords: PasswordServer;
  let root: string;
  let jobs = 0;
  /** Counts the traps that were triggered, and the jobs whose branch contained files from outside. */
  const found = { commands: 0, outside: 0 };
  before(async () => {
    root = await temporaryFolder();
    passwords = await passwordServer();
    bench = await localBench({ rateLimit: 10_000 });
  });
  after(async () => {
    await bench.close();
    passwords.close();
    const what = `${chosen.length} hostile repositories, as the user’s and as the agent’s: ${jobs} jobs`;
    report({ promise: 'S11', what, figure: `${found.commands} commands run, ${found.outside} outside files read` });
  });

  const nextCase = (): Promise<Case> => createCase(join(root, `case${jobs}`), passwords.address);

  async function register(folder: string, agentScript: string): Promise<string | undefined> {
    const answer = await fetch(`${bench.target.baseUrl}/local/projects`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${bench.target.apiKey}`, 'content-type': 'application/json' },
      // Pushing to a hostile remote is covered by hostileRemotes.test.ts.
      body: JSON.stringify({ folder, settings: { ...customAgent(['sh', '-c', agentScript]), publish: false } }),
    });
    return answer.status === 200 ? registeredProjectSchema.parse(await answer.json()).projectId : undefined;
  }

  /** Runs a job and a follow-up, opens the review page, and checks that the branch contains nothing from outside. */
  async function work(folder: string, agentScript: string): Promise<{ outcome: Outcome; clone: string }> {
    jobs += 1;
    const projectId = await register(folder, agentScript);
    if (projectId === undefined) {
      return { outcome: 'unusable', clone: '' };
    }
    const target = { ...bench.target, projectId };
    const ended = async (id: string) => {
      for (;;) {
        const job = await bench.client.retrieveJob(target, id);
        if (job.status !== 'active') {
          return job;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const { id } = await bench.client.createJob(target, 'Document the limits');
    let job = await ended(id);
    const first = job.status;
    for (let message = 0; message < FOLLOW_UPS; message++) {
      await bench.client.sendMessage(target, id, 'And the rest');
      job = await ended(id);
    }
    assert.equal(job.status, first, String(job['error']));
    if (job.prLink != null) {
      const { page } = await openReview({ target, jobId: id });
      assert.equal(page.status, 200);
      assert.doesNotMatch(await page.text(), /CANARY/);
    }
    const host = join(bench.service.data, 'jobs', id, 'host.git');
    const canary = await git(host, 'grep', '-F', 'CANARY', 'HEAD').catch(() => '');
    found.outside += canary === '' ? 0 : 1;
    assert.equal(canary, '', 'what stands outside is in the branch');
    return { outcome: job.status === 'completed' ? 'completed' : 'failed', clone: join(host, '..', 'work') };
  }

  async function ranNothing(at: Case): Promise<void> {
    const marks = await at.marks();
    found.commands += marks.split('\n').length - 1;
    assert.equal(marks, '', 'a command ran');
  }

  async function springs(hostile: HostileRepository, folder: string, at: Case) {
    await ranNothing(at);
    if (hostile.careless !== undefined) {
      await shell(hostile.careless, folder, at).catch(() => undefined);
      assert.notEqual(await at.marks(), '', 'the trap springs for who does not look out');
    }
  }

  for (const hostile of chosen) {
    it(`run no command from the user’s repository: ${hostile.name}`, async () => {
      const at = await nextCase();
      const { repo } = at;
      await plant(hostile, at);
      // Different timestamps make git read the files.
      await writeFile(join(repo, 'src/retry.ts'), 'changed\n');
      const before = passwords.asked();
      const { outcome } = await work(join(repo, hostile.opened ?? ''), EDIT);
      assert.equal(outcome, hostile.user ?? 'completed');
      assert.equal(passwords.asked(), before, 'a server was asked');
      await springs(hostile, repo, at);
    });
  }

  it('run no command from the service’s own git directory after an agent has tampered with it', async () => {
    const at = await nextCase();
    const { repo } = at;
    const config = `[core]\nfsmonitor = ${at.trap}\nhooksPath = hooks\n[filter "x"]\nclean = ${at.trap}\n`;
    const plant = `printf '%s' '${config}' >> ../host.git/config; cp '${at.trap}' ../host.git/hooks/reference-transaction`;
    const script = `mkdir -p ../host.git/hooks; ${plant}; echo '* filter=x' > .gitattributes\n${EDIT}`;
    const { outcome, clone } = await work(repo, script);
    assert.equal(outcome, 'completed');
    await ranNothing(at);
    const careless = 'touch README.md; git --git-dir=../host.git --work-tree=. add .';
    await shell(careless, clone, at).catch(() => undefined);
    assert.notEqual(await at.marks(), '', 'the trap springs for who does not look out');
  });

  for (const hostile of ofAgents) {
    it(`run no command from the agent’s clone: ${hostile.name}`, async () => {
      const at = await nextCase();
      const { repo } = at;
      const identity = "git config user.name x; git config user.email x@example.org; TRAP='/nowhere'";
      // Ignores what the agent's own git commands trigger during setup: the service did not run those.
      const script = `test -e '${at.folder}/planted' || { ${identity}\n${hostile.plant(at)}\ntouch '${at.folder}/planted'; rm -f '${at.folder}/marks'; }\n${EDIT}`;
      const { outcome, clone } = await work(repo, script);
      assert.equal(outcome, hostile.agent ?? 'completed');
      await springs(hostile, clone, at);
    });
  }
});

const others = hostileRepositories.filter(({ isSlow, opened }) => isSlow !== true && opened === undefined);
/** Tried in each run: checking for uncommitted work, and looking for the merge, would run these. */
const always = [SUBMODULE_PROGRAMS, SIGNATURES];
const merged = [
  ...ofMerges,
  ...others.filter(({ name }, index) => index % scaled(3, 1) === 0 || always.includes(name)),
];

const AUTHOR = { name: 'Robin Example', email: 'robin@example.org' };

describe('merges in hostile repositories', function () {
  notOnWindows();
  const plain = new Git(process.env);
  let root: string;
  let passwords: PasswordServer;
  const counts = { merged: 0, undone: 0, refused: 0 };
  before(async () => {
    root = await temporaryFolder();
    passwords = await passwordServer();
  });
  after(() => {
    passwords.close();
    const { merged, undone, refused } = counts;
    assert.ok(Math.min(merged, undone) > 0, JSON.stringify(counts));
    const what = `${merged} merges in hostile repositories, ${undone} of them undone; ${refused} refused`;
    report({ promise: 'S11', what, figure: `0 commands run, ${passwords.asked()} servers asked` });
  });

  /** Commits a change of a file on top of a commit, with commands that run no programs of the repository. */
  async function commitOn(
    repo: string,
    parent: string,
    change: (text: string) => string,
    index: string,
  ): Promise<string> {
    const path = 'docs/index.md';
    const place = await disableRepositoryPrograms(plain, { folder: repo });
    const environment = {
      ...{ GIT_INDEX_FILE: index, GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x', GIT_COMMITTER_NAME: 'x' },
      GIT_COMMITTER_EMAIL: 'x',
    };
    const run = async (args: string[], options: GitOptions = {}): Promise<string> =>
      (await plain.run({ ...place, environment: { ...place.environment, ...environment } }, args, options)).trim();
    await run(['read-tree', parent]);
    const old = await run(['cat-file', 'blob', `${parent}:${path}`]);
    const blob = await run(['hash-object', '-w', '--stdin', '--no-filters'], { input: change(old) });
    await run(['update-index', '--cacheinfo', `100644,${blob},${path}`]);
    return run(['commit-tree', await run(['write-tree']), '-p', parent, '-m', 'Work']);
  }

  /** Proves that the same merge with plain git, in a copy, triggers the trap. */
  async function springs(at: Case, commit: string): Promise<void> {
    const copy = join(at.folder, 'copy');
    await promisify(execFile)('cp', ['-a', at.repo, copy]);
    await git(copy, 'merge', '--quiet', '-m', 'x', commit).catch(() => '');
    assert.notEqual(await at.marks(), '', 'the trap springs for who does not look out');
    await rm(join(at.folder, 'marks'));
  }

  /** Merges, and undoes the merge. Each may be refused. */
  async function mergeAndUndo(repo: string, commit: string, base: string): Promise<void> {
    const branch = 'docs-agent/j1';
    const work = { commit, branch, jobId: 'j1', base: { commit: base, branch: 'main' } };
    const shown = await previewMerge(plain, repo, work);
    const describe = () => Promise.resolve({ prompt: 'Prompt', summary: 'Done.' });
    try {
      await mergeWork(plain, repo, work, { author: AUTHOR, describe, shown });
      counts.merged += 1;
      await findShownBase(plain, repo, work);
      const undone = await undoMerge(plain, repo, work, AUTHOR);
      counts.undone += undone === undefined ? 0 : 1;
    } catch (error) {
      assert.ok(error instanceof MergeRefusal || error instanceof GitError, String(error));
      counts.refused += 1;
    }
  }

  for (const [index, hostile] of merged.entries()) {
    for (const kind of ['fast-forward', 'merge'] as const) {
      it(`run no command: ${hostile.name}, ${kind}`, async () => {
        const at = await createCase(join(root, `${kind}${index}`), passwords.address);
        const before = (await plain.run({ folder: at.repo }, ['rev-parse', 'HEAD'])).trim();
        await plant(hostile, at);
        const head = await plain.run({ folder: at.repo }, ['rev-parse', 'HEAD']).catch(() => before);
        const own = join(at.folder, 'index');
        const base = kind === 'fast-forward' ? head.trim() : before;
        const commit = await commitOn(at.repo, base, (text) => `${text}\nmore\n`, own).catch(() => base);
        if (kind === 'merge') {
          const mine = await commitOn(at.repo, head.trim(), (text) => `before\n${text}\n`, own).catch(() =>
            head.trim(),
          );
          // A configuration that forbids running anything is refused; the work is checked all the same.
          const place = await disableRepositoryPrograms(plain, { folder: at.repo }).catch(() => ({
            folder: at.repo,
            gitDir: '/none',
          }));
          await plain.run(place, ['read-tree', '-m', '-u', head.trim(), mine]).catch(() => '');
          await plain.run(place, ['update-ref', 'HEAD', mine]).catch(() => '');
        }
        if (kind === 'merge' && ofMerges.includes(hostile) && !hostile.name.startsWith('signatures')) {
          await springs(at, commit);
        }
        await mergeAndUndo(at.repo, commit, base);
        assert.equal(await at.marks(), '', 'a command ran');
        assert.equal(passwords.asked(), 0, 'a server was asked');
      });
    }
  }
});
