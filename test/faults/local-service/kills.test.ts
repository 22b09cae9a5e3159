import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { processStartTime } from '../../../src/base/process';
import { type LocalBench, localBench, waitUntil } from '../../contract/contractBench';
import { report, scaled, seed } from '../../support/scale';
import { temporaryFolder } from '../../support/temporaryRepository';
import { processesWith, type SeenProcess } from './processesWith';

/**
 * An agent with other processes: a child in its own group, one in its own session, and one whose parents have exited.
 * All of them ignore termination signals.
 */
const AGENT = `
trap '' TERM HUP INT
sleep 600 &
setsid sh -c 'trap "" TERM HUP; sleep 600 & sleep 600' &
(setsid sh -c 'trap "" TERM HUP; (sleep 600 &) ; sleep 600' &)
exec sleep 600
`;
const SLEEPERS_OF_ONE = 6;

/** The parameters of a round. */
interface Round {
  /** Kill as soon as everything runs, or this many milliseconds after the job was created. */
  atOnce: boolean;
  afterMs: number;
  /** Kill the supervisors together with the service, so that only the next start can end the agents. */
  supervisorsToo: boolean;
}

const rounds = fc.record({
  atOnce: fc.boolean(),
  afterMs: fc.integer({ min: 0, max: 700 }),
  supervisorsToo: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
});

/** One repository and data folder whose service is started and killed again and again. */
class Lane {
  private constructor(
    private readonly bench: LocalBench,
    private readonly settings: Parameters<typeof localBench>[0] & { data: string },
    private readonly home: string,
  ) {}

  static async open(): Promise<Lane> {
    const [home, data] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    const script = join(home, 'agent.sh');
    await writeFile(script, AGENT);
    // Every process below the service inherits HOME, so this finds all of them.
    const settings = {
      data,
      agentCommand: ['sh', script],
      environment: { HOME: home },
      rateLimit: 100_000,
    };
    const bench = await localBench(settings);
    return new Lane(bench, { ...settings, repo: bench.repo, key: bench.target.apiKey }, home);
  }

  /** Returns how many processes were left, and how many sleepers there were at the time of the kill. */
  async kill({ atOnce, afterMs, supervisorsToo }: Round): Promise<{ left: number; running: number }> {
    const bench = await localBench(this.settings);
    try {
      const { id } = await bench.client.createJob(bench.target, 'Take your time');
      await (atOnce ? waitUntil(async () => (await this.sleepers()).length === SLEEPERS_OF_ONE) : delay(afterMs));
      const running = (await this.sleepers()).length;
      const supervisors = (await this.all()).filter(({ command }) => command.endsWith('--supervise'));
      const dead = bench.service.kill();
      if (supervisorsToo) {
        supervisors.forEach(end);
      }
      await dead;
      const left = supervisorsToo ? 0 : await this.left();
      return { left: left + (await this.leftByNext(id)), running };
    } finally {
      await bench.client.dispose();
    }
  }

  async close(): Promise<void> {
    await this.bench.close();
    (await this.all()).forEach(end);
  }

  /** Stops the first service, so that the rounds can use the data folder. */
  async begin(): Promise<void> {
    await this.bench.service.stop();
  }

  /** The next start resumes the job with an agent that ends at once, so any process left is from before the kill. */
  private async leftByNext(jobId: string): Promise<number> {
    const next = await localBench({ ...this.settings, agentCommand: ['true'] });
    assert.equal((await next.ended(jobId)).status, 'completed');
    const left = (await this.all()).filter(({ pid }) => pid !== next.service.pid).length;
    await next.close();
    return left;
  }

  private async left(): Promise<number> {
    await waitUntil(async () => (await this.all()).length === 0).catch(() => undefined);
    const left = await this.all();
    left.forEach(end);
    return left.length;
  }

  private async sleepers() {
    return (await this.all()).filter(({ command }) => command === 'sleep 600');
  }

  private all() {
    return processesWith('HOME', this.home);
  }
}

/** A process that has ended in the meantime counts as well. */
function end({ pid }: SeenProcess): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH.
  }
}

/** Processes that are unrelated to the service, although each looks similar to one of its own. */
function strangers(): ChildProcess[] {
  const environments = [
    {},
    { DOCS_AGENT_JOB: '0123456789abcdef' },
    { DOCS_AGENT_JOB: '' },
    { NOT_DOCS_AGENT_JOB: 'x' },
  ];
  return environments.map((env) =>
    spawn('sleep', ['6000'], { env: { PATH: process.env['PATH'], ...env }, detached: true, stdio: 'ignore' }),
  );
}

describe('local service, killed while agents work', function () {
  const LANES = 3;
  let lanes: Lane[] = [];
  let foreign: ChildProcess[] = [];
  before(async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    foreign = strangers();
    lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.open()));
    await Promise.all(lanes.map((lane) => lane.begin()));
  });
  after(async () => {
    await Promise.all(lanes.map((lane) => lane.close()));
    foreign.forEach((child) => child.kill('SIGKILL'));
  });

  it('leaves no process of its own and ends no unrelated process', async function () {
    const kills = scaled(9, 1_000);
    this.timeout(60_000 + kills * 5_000);
    const times = await Promise.all(foreign.map(({ pid }) => processStartTime(pid ?? 0)));
    const todo = fc.sample(rounds, { numRuns: kills, seed });
    const found: { left: number; running: number }[] = [];
    const work = async (lane: Lane): Promise<void> => {
      for (let round = todo.pop(); round !== undefined; round = todo.pop()) {
        found.push(await lane.kill(round));
      }
    };
    await Promise.all(lanes.map(work));
    const sum = (of: 'left' | 'running'): number => found.reduce((total, each) => total + each[of], 0);
    const still = await Promise.all(foreign.map(({ pid }) => processStartTime(pid ?? 0)));
    assert.deepEqual(still, times, 'a stranger was killed');
    assert.ok(sum('running') > kills, 'agents and their company ran');
    assert.equal(sum('left'), 0, `processes were left, seed ${seed}`);
    report({
      promise: 'S13',
      what: `${kills} kills of the service (one in four with its supervisors), ${sum('running')} processes of agents running`,
      figure: `${sum('left')} left, 0 of ${foreign.length} foreign ones killed`,
    });
  });
});
