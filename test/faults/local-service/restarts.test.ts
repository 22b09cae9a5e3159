import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { WireJob } from '../../../src/protocol/job';
import { isTerminal } from '../../../src/protocol/status';
import { type LocalBench, localBench, localCalls, waitUntil } from '../../contract/contractBench';
import { GitServer } from '../../support/gitServer';
import { LenientGitea } from '../../support/captureForge';
import { report, scaled, seed } from '../../support/scale';
import { newKey } from '../../support/serviceProcess';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';
import { processesWith } from './processesWith';

const LANES = 2;
const PATIENCE_MS = 120_000;

/** The parameters of a round: the request, how long the agent takes, when to kill, and what to wait for afterward. */
interface Round {
  followUp: boolean;
  agentMs: number;
  killAfterMs: number;
  waitUntilGone: boolean;
}

const rounds = fc.record({
  followUp: fc.boolean(),
  agentMs: fc.integer({ min: 0, max: 250 }),
  killAfterMs: fc.integer({ min: 0, max: 1_000 }),
  waitUntilGone: fc.boolean(),
});

/** A repository with a remote on a Git host, and one data folder whose service is killed again and again. */
class Lane {
  readonly made: string[] = [];
  kills = 0;

  private constructor(
    private readonly settings: NonNullable<Parameters<typeof localBench>[0]>,
    private readonly home: string,
  ) {}

  static async open(server: GitServer, name: string): Promise<Lane> {
    const [repo, data, home] = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(repo);
    await server.add(`team/${name}`, repo);
    await git(repo, 'remote', 'add', 'origin', `${server.origin}/team/${name}.git`);
    await git(repo, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    const helper = '!f() { echo username=robin; echo password=a-token; }; f';
    await writeFile(join(home, '.gitconfig'), `[credential]\n\thelper = "${helper}"\n`);
    const environment = { HOME: home };
    return new Lane({ repo, data, key: newKey(), environment, publish: true, rateLimit: 100_000 }, home);
  }

  /** Starts the service, requests work, and kills it at some moment. */
  async round({ followUp, agentMs, killAfterMs, waitUntilGone }: Round): Promise<void> {
    const bench = await localBench(this.settings);
    try {
      const kill = delay(killAfterMs).then(() => bench.service.kill());
      await this.ask(bench, `Document round ${this.kills} [scripted: wait ${agentMs}]`, followUp).catch(
        () => undefined,
      );
      await kill;
      this.kills += 1;
    } finally {
      await bench.client.dispose();
    }
    if (waitUntilGone) {
      await this.untilNoProcess();
    }
  }

  /** The last start: every job must finish. Returns all jobs. */
  async finish(): Promise<WireJob[]> {
    const bench = await localBench(this.settings);
    try {
      // On a busy machine every other job may have been interrupted; this one is not.
      await this.ask(bench, 'Document the last round', false);
      let jobs: WireJob[] = [];
      await waitUntil(async () => {
        jobs = await allJobs(bench);
        return jobs.every(({ status }) => isTerminal(status));
      }, PATIENCE_MS);
      return jobs;
    } finally {
      await bench.close();
      await this.untilNoProcess();
    }
  }

  async processes(): Promise<number> {
    return (await processesWith('HOME', this.home)).length;
  }

  private async ask(bench: LocalBench, prompt: string, followUp: boolean): Promise<void> {
    const { id } = await bench.client.createJob(bench.target, prompt);
    this.made.push(id);
    if (followUp) {
      await bench.client.sendMessage(bench.target, id, `Say more in docs/more.md [scripted: wait 50]`);
    }
  }

  private async untilNoProcess(): Promise<void> {
    await waitUntil(async () => (await this.processes()) === 0, PATIENCE_MS);
  }
}

async function allJobs(bench: LocalBench): Promise<WireJob[]> {
  const jobs: WireJob[] = [];
  for (let before = ''; ;) {
    const { body } = await localCalls(bench).list(`?limit=200${before}`);
    const page = body as { jobs: WireJob[]; next: string | null };
    jobs.push(...page.jobs);
    if (page.next === null) {
      return jobs;
    }
    before = `&before=${page.next}`;
  }
}

describe('local service, killed and restarted', function () {
  let server: GitServer;
  let forge: LenientGitea;
  before(async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    server = await GitServer.start();
    forge = new LenientGitea(server.origin);
    server.api = { origin: await forge.start(), prefix: '' };
  });
  after(async () => {
    await server.close();
    await forge.close();
  });

  it('loses no job, leaves no active job and no process, and opens no pull request twice', async function () {
    const kills = scaled(40, 1_000);
    this.timeout(2 * PATIENCE_MS + kills * 10_000);
    const todo = fc.sample(rounds, { numRuns: kills, seed });
    const lanes = await Promise.all(Array.from({ length: LANES }, (_, index) => Lane.open(server, `docs${index}`)));
    const work = async (lane: Lane): Promise<WireJob[]> => {
      for (let round = todo.pop(); round !== undefined; round = todo.pop()) {
        await lane.round(round);
      }
      return lane.finish();
    };
    const found = await Promise.all(lanes.map(work));
    const jobs = found.flat();
    const told = `seed ${seed}`;

    const known = new Set(jobs.map(({ id }) => id));
    const lost = lanes.flatMap(({ made }) => made).filter((id) => !known.has(id));
    assert.deepEqual(lost, [], told);
    const stuck = jobs.filter(({ status }) => !isTerminal(status));
    assert.deepEqual(stuck, [], told);
    for (const job of jobs) {
      if (job.status === 'completed') {
        assert.match(job.prLink ?? '', /\/pulls\/\d+$/, `${told}: ${JSON.stringify(job)}`);
      } else {
        // Interrupted twice while the agent worked. No other failure is allowed here.
        assert.match(String(job['error']), /^The local service was stopped while this job was running\./, told);
      }
    }
    assert.ok(jobs.some(({ status }) => status === 'completed'));
    const heads = forge.pulls.map(({ repository, head }) => `${repository} ${head}`);
    const double = heads.filter((head, index) => heads.indexOf(head) !== index);
    assert.deepEqual(double, [], told);
    const left = await Promise.all(lanes.map((lane) => lane.processes()));
    assert.deepEqual(left, Array<number>(LANES).fill(0), told);
    const sum = lanes.reduce((total, lane) => total + lane.kills, 0);
    assert.equal(sum, kills);
    report({
      promise: 'S13',
      what: `${kills} SIGKILLs of the service at random moments, ${jobs.length} jobs with pull requests at a Git host`,
      figure: `${lost.length} lost, ${stuck.length} stuck, 0 processes left, ${double.length} double pull requests`,
    });
  });
});
