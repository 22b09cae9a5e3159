import { once } from 'node:events';
import { followUp, sampleJob, createTurn } from '../../support/sampleTurn';
import { type Dice, seededRandom } from '../../support/seededRandom';
import { message, TeamFixture, type WorkerProcess } from '../../support/teamFixture';

const WORKERS = 3;
const CLIENTS = 2;

/** How long to wait for the jobs after the last fault, in milliseconds. */
const LIMIT_MS = 60_000;

/** How long agents work, in milliseconds: most at most this long, some until a suspended worker's turns are given away. */
const SHORT_WORK_MS = 400;
const LONG_WORK_MS = 12_000;

/** What breaks a promise on purpose, so that the test is known to find it. */
export type PlantedBug = 'cancelRunning' | 'throwingHandler';

export interface ChaosPlan {
  seed: number;
  faults: number;
  jobs: number;
  followUps: number;
  /** Milliseconds between two faults. */
  everyMs: number;
  /** Milliseconds between two follow-ups of a client, on average. */
  gapMs: number;
  bug?: PlantedBug;
}

export interface ChaosResult {
  /** Turns that have not ended. */
  lost: string[];
  /** Turns whose agent found another one of the job running. */
  twice: string[];
  /** Turns that began after a later one of their job. */
  outOfOrder: string[];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Kills and suspends workers while jobs and follow-ups arrive, and then looks at what the agents and tables say. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosResult> {
  const team = await TeamFixture.open();
  try {
    return await new Chaos(team, plan, seededRandom(plan.seed)).run();
  } finally {
    await team.close();
  }
}

class Chaos {
  private workers: WorkerProcess[] = [];
  private readonly resumed: Promise<void>[] = [];

  constructor(
    private readonly team: TeamFixture,
    private readonly plan: ChaosPlan,
    private readonly dice: Dice,
  ) {}

  async run(): Promise<ChaosResult> {
    const { team, plan } = this;
    if (plan.bug === 'throwingHandler') {
      // What a worker that lets pg-boss fail the item of a run does.
      await team.administer(`
        CREATE FUNCTION fail_item() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF NEW.state = ''completed'' THEN NEW.state := ''failed''; END IF; RETURN NEW; END';
        CREATE TRIGGER fail_item BEFORE UPDATE ON pgboss.job FOR EACH ROW EXECUTE FUNCTION fail_item()`);
    }
    this.workers = await Promise.all(Array.from({ length: WORKERS }, () => this.start()));
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => team.client()));
    const { jobs, followUps } = plan;
    const requests = Promise.all(
      clients.map(async ({ store, queue }, client) => {
        for (let job = client; job < jobs; job += CLIENTS) {
          await createTurn(store, sampleJob({ id: `j${job}` }), message(`j${job}`, 1, this.workMs()));
        }
        for (let turn = 2; turn <= followUps + 1; turn++) {
          for (let job = client; job < jobs; job += CLIENTS) {
            if (plan.bug === 'cancelRunning') {
              const rows = await team.administer(
                `SELECT id FROM pgboss.job WHERE name = 'turns' AND singleton_key = 'j${job}' AND state = 'active'`,
              );
              await Promise.all(rows.map(({ id }) => queue.boss.cancel('turns', id as string)));
            }
            await followUp(store, `j${job}`, message(`j${job}`, turn, this.workMs()));
            await pause(this.dice() * 2 * plan.gapMs);
          }
        }
      }),
    );
    await Promise.all([requests, this.makeFaults()]);
    await Promise.all(this.resumed);
    const lost = await this.untilAllEnded();
    return { lost, ...this.judge() };
  }

  private workMs(): number {
    return this.dice() < 0.3 ? LONG_WORK_MS : Math.floor(this.dice() * SHORT_WORK_MS);
  }

  private start(data?: string): Promise<WorkerProcess> {
    // Without its own repair, which would hide the bug.
    const timings = this.plan.bug === 'throwingHandler' ? { sweepMs: 1_000_000 } : {};
    return this.team.worker({ ...(data === undefined ? {} : { data }), timings });
  }

  private async makeFaults(): Promise<void> {
    for (let count = 0; count < this.plan.faults; count++) {
      await pause(this.plan.everyMs * (0.5 + this.dice()));
      const index = Math.floor(this.dice() * WORKERS);
      if (this.dice() < 0.5) {
        await this.kill(index);
      } else {
        this.suspend(index);
      }
    }
  }

  /** Half of them come back with their folders, the others are replaced by new workers. */
  private async kill(index: number): Promise<void> {
    const worker = this.workers[index];
    if (worker?.process.signalCode !== null) {
      return;
    }
    const gone = once(worker.process, 'exit');
    worker.process.kill('SIGKILL');
    await gone;
    this.workers[index] = await this.start(this.dice() < 0.5 ? worker.data : undefined);
  }

  /** Short ones and some that last until others have its turns. */
  private suspend(index: number): void {
    const worker = this.workers[index];
    const isLong = this.dice() < 0.5;
    worker?.process.kill('SIGSTOP');
    const resume = async (): Promise<void> => {
      await pause(isLong ? 12_000 : 1_000);
      worker?.process.kill('SIGCONT');
    };
    this.resumed.push(resume());
  }

  private async untilAllEnded(): Promise<string[]> {
    const open = "SELECT job_id, id, state FROM turns WHERE state IN ('queued', 'running', 'publishing') ORDER BY id";
    for (const start = Date.now(); ;) {
      const rows = await this.team.administer(open);
      const limit = this.plan.bug === undefined ? LIMIT_MS : LIMIT_MS / 4;
      if (rows.length === 0 || Date.now() - start > limit) {
        return rows.map((row) => JSON.stringify(row));
      }
      await pause(100);
    }
  }

  private judge(): Pick<ChaosResult, 'twice' | 'outOfOrder'> {
    const journal = this.team.journal();
    const last = new Map<string, number>();
    const outOfOrder: string[] = [];
    for (const { what, job, turn } of journal.filter((each) => each.what === 'start')) {
      if (turn < (last.get(job) ?? 0)) {
        outOfOrder.push(`${what} ${job}/${turn}`);
      }
      last.set(job, Math.max(turn, last.get(job) ?? 0));
    }
    const twice = journal.filter(({ what }) => what === 'twice').map(({ job, turn }) => `${job}/${turn}`);
    return { twice, outOfOrder };
  }
}
