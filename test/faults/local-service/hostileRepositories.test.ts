import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { registeredProjectSchema } from '../../../src/protocol/localService';
import { customAgent } from '../../support/sampleTurn';
import { type LocalBench, localBench } from '../../contract/contractBench';
import { notOnWindows } from '../../support/machine';
import { openReview } from '../../support/reviewPage';
import { report, scaled, seed } from '../../support/scale';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';
import { hostileRepositories, type HostileRepository, type Outcome, type Places } from './hostileRepositories';

/** In random order: a share as the user's repository, the others as what an agent leaves in its clone. */
const all = hostileRepositories.filter(({ isSlow }) => isSlow !== true || scaled(0, 1) === 1);
const shuffled = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { numRuns: 1, seed })[0] ?? [];
const chosen = shuffled.slice(0, scaled(14, all.length));
const ofAgents = shuffled.toReversed().slice(0, scaled(6, all.length));
const FOLLOW_UPS = scaled(0, 1);

const EDIT = 'echo more >> README.md\n';

describe('local service, hostile repositories', function () {
  notOnWindows();
  let bench: LocalBench;
  let server: Server;
  let root: string;
  let asked = 0;
  let jobs = 0;
  /** Counts the traps that were triggered, and the jobs whose branch contained files from outside. */
  const found = { commands: 0, outside: 0 };
  before(async () => {
    root = await temporaryFolder();
    server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    bench = await localBench({ rateLimit: 10_000 });
  });
  after(async () => {
    await bench.close();
    server.close();
    const what = `${chosen.length} hostile repositories, as the user’s and as the agent’s: ${jobs} jobs`;
    report({ promise: 'S11', what, figure: `${found.commands} commands run, ${found.outside} outside files read` });
  });

  /** A trap and the files it needs, in a separate folder. */
  async function places(): Promise<Places & { marks: () => Promise<string> }> {
    const folder = join(root, `case${jobs}`);
    await mkdir(join(folder, 'outside'), { recursive: true });
    const [trap, secret, marks] = [join(folder, 'trap'), join(folder, 'outside', 'secret'), join(folder, 'marks')];
    await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> '${marks}'\n`);
    await chmod(trap, 0o755);
    await writeFile(secret, 'CANARY\n');
    const { port } = server.address() as AddressInfo;
    return {
      ...{ trap, folder, secret, server: `http://127.0.0.1:${port}` },
      marks: () => readFile(marks, 'utf8').catch(() => ''),
    };
  }

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

  async function shell(script: string, cwd: string, trap: string): Promise<void> {
    const env = {
      ...{ PATH: process.env['PATH'], HOME: root, TRAP: trap, GIT_TERMINAL_PROMPT: '0' },
      ...{ GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@example.org' },
      ...{ GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@example.org' },
    };
    await promisify(execFile)('sh', ['-c', script], { cwd, env, timeout: 20_000 });
  }

  async function ranNothing(at: Awaited<ReturnType<typeof places>>): Promise<void> {
    const marks = await at.marks();
    found.commands += marks.split('\n').length - 1;
    assert.equal(marks, '', 'a command ran');
  }

  async function springs(hostile: HostileRepository, folder: string, at: Awaited<ReturnType<typeof places>>) {
    await ranNothing(at);
    if (hostile.careless !== undefined) {
      await shell(hostile.careless, folder, at.trap).catch(() => undefined);
      assert.notEqual(await at.marks(), '', 'the trap springs for who does not look out');
    }
  }

  for (const hostile of chosen) {
    it(`run no command from the user’s repository: ${hostile.name}`, async () => {
      const at = await places();
      const repo = join(at.folder, 'repository');
      await createSampleRepository(repo);
      await shell(`set -e\n${hostile.plant(at)}`, repo, at.trap);
      await rm(join(at.folder, 'marks'), { force: true });
      // Different timestamps make git read the files.
      await writeFile(join(repo, 'src/retry.ts'), 'changed\n');
      const before = asked;
      const { outcome } = await work(join(repo, hostile.opened ?? ''), EDIT);
      assert.equal(outcome, hostile.user ?? 'completed');
      assert.equal(asked, before, 'a server was asked');
      await springs(hostile, repo, at);
    });
  }

  it('run no command from the service’s own git directory after an agent has tampered with it', async () => {
    const at = await places();
    const repo = join(at.folder, 'repository');
    await createSampleRepository(repo);
    const config = `[core]\nfsmonitor = ${at.trap}\nhooksPath = hooks\n[filter "x"]\nclean = ${at.trap}\n`;
    const plant = `printf '%s' '${config}' >> ../host.git/config; cp '${at.trap}' ../host.git/hooks/reference-transaction`;
    const script = `mkdir -p ../host.git/hooks; ${plant}; echo '* filter=x' > .gitattributes\n${EDIT}`;
    const { outcome, clone } = await work(repo, script);
    assert.equal(outcome, 'completed');
    await ranNothing(at);
    const careless = 'touch README.md; git --git-dir=../host.git --work-tree=. add .';
    await shell(careless, clone, at.trap).catch(() => undefined);
    assert.notEqual(await at.marks(), '', 'the trap springs for who does not look out');
  });

  for (const hostile of ofAgents) {
    it(`run no command from the agent’s clone: ${hostile.name}`, async () => {
      const at = await places();
      const repo = join(at.folder, 'repository');
      await createSampleRepository(repo);
      const identity = "git config user.name x; git config user.email x@example.org; TRAP='/nowhere'";
      // Ignores what the agent's own git commands trigger during setup: the service did not run those.
      const script = `test -e '${at.folder}/planted' || { ${identity}\n${hostile.plant(at)}\ntouch '${at.folder}/planted'; rm -f '${at.folder}/marks'; }\n${EDIT}`;
      const { outcome, clone } = await work(repo, script);
      assert.equal(outcome, hostile.agent ?? 'completed');
      await springs(hostile, clone, at);
    });
  }
});
