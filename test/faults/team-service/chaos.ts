import { once } from 'node:events';
import type { WorkerTimings } from '../../../src/team-service/worker';
import { type Dice, seededRandom } from '../../support/scale';
import { type ApiProcess, TeamFixture, type WorkerProcess } from '../../support/teamFixture';
import { ChaosClient, pause } from './chaosClients';
import { type ChaosFindings, chaosFindings } from './chaosFindings';
import { ChaosReader } from './chaosReader';

const WORKERS = 3;
const APIS = 2;
const CLIENTS = 2;

/** Jobs in a project. Each project reaches its hourly limit. */
const PROJECT_JOBS = 50;

/** One in this many jobs has a reader. */
const READ_EACH = 3;

/** How long to wait, after the last fault, for a turn to end and for readers, in milliseconds. */
const LIMIT_MS = 60_000;
const READ_LIMIT_MS = 20_000;

/** How long agents work, in milliseconds: most only briefly, some until a suspended worker's turns go to others. */
const SHORT_WORK_MS = 400;
const LONG_WORK_MS = 12_000;
const LONG_PART = 0.3;

/** A bug that breaks a promise on purpose, to prove that the test finds it. */
export type PlantedBug = 'cancelRunning' | 'throwingHandler' | 'noFence';

/** What would hide a bug: workers that keep their jobs. */
const WITHOUT_REPAIR: Record<PlantedBug, Partial<WorkerTimings>> = {
  cancelRunning: { goneMs: 1 },
  throwingHandler: {},
  noFence: {},
};

export interface ChaosPlan {
  seed: number;
  faults: number;
  jobs: number;
  followUps: number;
  /** Milliseconds between two faults, on average. */
  everyMs: number;
  /** Milliseconds between two requests of a client, on average. */
  gapMs: number;
  bug?: PlantedBug;
}

export interface ChaosResult {
  found: ChaosFindings;
  /** The number of messages beyond the hourly limit. */
  refused: number;
}

/** Kills and suspends processes while messages arrive, and then looks at what clients, agents, and tables say. */
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
  private apis: ApiProcess[] = [];
  private readonly resumed: Promise<void>[] = [];
  private readonly readers: ChaosReader[] = [];
  private readonly projects: string[];
  private readonly rateLimit: number;

  constructor(
    private readonly team: TeamFixture,
    private readonly plan: ChaosPlan,
    private readonly dice: Dice,
  ) {
    const { jobs, followUps } = plan;
    this.projects = Array.from({ length: Math.ceil(jobs / PROJECT_JOBS) }, (_, index) => `p${index + 1}`);
    this.rateLimit = this.jobsOfClient * CLIENTS * followUps;
  }

  async run(): Promise<ChaosResult> {
    const { team, plan } = this;
    const { store, queue } = await team.client();
    for (const id of this.projects) {
      await team.addProject(store, id);
    }
    if (plan.bug === 'throwingHandler') {
      // As with a worker that lets pg-boss fail the item of a run.
      await team.administer(`
        CREATE FUNCTION fail_item() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF NEW.state = ''completed'' THEN NEW.state := ''failed''; END IF; RETURN NEW; END';
        CREATE TRIGGER fail_item BEFORE UPDATE ON pgboss.job FOR EACH ROW EXECUTE FUNCTION fail_item()`);
    }
    this.workers = await Promise.all(Array.from({ length: WORKERS }, () => this.startWorker()));
    this.apis = await Promise.all(Array.from({ length: APIS }, () => this.startApi()));
    const ports = this.apis.map(({ port }) => port);
    const key = await team.key(...this.projects);
    let created = 0;
    const clients = Array.from(
      { length: CLIENTS },
      (_, index) =>
        new ChaosClient(String.fromCharCode(97 + index), {
          ...{ ports, key, dice: this.dice, jobs: this.jobsOfClient, followUps: plan.followUps, gapMs: plan.gapMs },
          workMs: () => this.workMs(),
          beforeFollowUp: async (jobId) => {
            const items = (state: string) =>
              team.administer(
                `SELECT id FROM pgboss.job WHERE name = 'turns' AND singleton_key = '${jobId}' AND state = '${state}'`,
              );
            if (plan.bug === 'cancelRunning') {
              const rows = await items('active');
              await Promise.all(rows.map(({ id }) => queue.boss.cancel('turns', id as string)));
            }
            if (plan.bug === 'throwingHandler') {
              // On a slow machine, a worker would otherwise run all turns of a job with its first item.
              for (const start = Date.now(); (await items('failed')).length === 0 && Date.now() - start < LIMIT_MS;) {
                await pause(100);
              }
            }
          },
          onJob: (projectId, jobId) => {
            if (created++ % READ_EACH === 0) {
              this.readers.push(new ChaosReader(ports, key, this.dice, projectId, jobId));
            }
          },
        }),
    );
    const requests = Promise.all(
      clients.map(async (client) => {
        for (const project of this.projects) {
          await client.run(project);
        }
      }),
    );
    await Promise.all([requests, this.makeFaults()]);
    await Promise.all(this.resumed);
    await this.untilAllEnded();
    await this.untilAllRead();
    await Promise.all([...clients.map((each) => each.dispose()), ...this.readers.map((each) => each.close())]);
    const accepted = clients.flatMap((client) => client.accepted);
    const { readers, rateLimit } = this;
    const refused = clients.reduce((sum, client) => sum + client.refused, 0);
    return { found: await chaosFindings(team, { accepted, readers, rateLimit }), refused };
  }

  /** In one project. */
  private get jobsOfClient(): number {
    return Math.ceil(Math.min(this.plan.jobs, PROJECT_JOBS) / CLIENTS);
  }

  private workMs(): number {
    const isLong = this.plan.bug === 'noFence' || this.dice() < LONG_PART;
    return isLong ? LONG_WORK_MS : Math.floor(this.dice() * SHORT_WORK_MS);
  }

  private startWorker(data?: string): Promise<WorkerProcess> {
    const { bug } = this.plan;
    const timings = bug === undefined ? {} : WITHOUT_REPAIR[bug];
    return this.team.worker({ ...(data === undefined ? {} : { data }), timings, isUnfenced: bug === 'noFence' });
  }

  private startApi(port?: number): Promise<ApiProcess> {
    return this.team.api({ ...(port === undefined ? {} : { port }), rateLimit: this.rateLimit });
  }

  private async makeFaults(): Promise<void> {
    for (let count = 0; count < this.plan.faults; count++) {
      await pause(this.plan.everyMs * (0.5 + this.dice()));
      const [index, kind, isLong] = [Math.floor(this.dice() * (WORKERS + APIS)), this.dice(), this.dice() < 0.5];
      if (this.plan.bug === 'noFence') {
        // Only a worker that is suspended for a long time fails to notice that it has lost a turn.
        this.suspend(this.workers[index % WORKERS], true);
      } else if (kind < 0.5) {
        await (index < WORKERS ? this.killWorker(index) : this.killApi(index - WORKERS));
      } else {
        this.suspend(index < WORKERS ? this.workers[index] : this.apis[index - WORKERS], isLong);
      }
    }
  }

  /** Half of them come back with their folders, the others are replaced by new workers. */
  private async killWorker(index: number): Promise<void> {
    const worker = this.workers[index];
    if (worker !== undefined) {
      await kill(worker);
      this.workers[index] = await this.startWorker(this.dice() < 0.5 ? worker.data : undefined);
    }
  }

  private async killApi(index: number): Promise<void> {
    const api = this.apis[index];
    if (api !== undefined) {
      await kill(api);
      this.apis[index] = await this.startApi(api.port);
    }
  }

  /** For a moment, or until others have a worker's turns. */
  private suspend(target: WorkerProcess | ApiProcess | undefined, isLong: boolean): void {
    target?.process.kill('SIGSTOP');
    const resume = async (): Promise<void> => {
      await pause(isLong ? 12_000 : 1_000);
      target?.process.kill('SIGCONT');
    };
    this.resumed.push(resume());
  }

  /** Gives up when no turn has ended for some time. */
  private async untilAllEnded(): Promise<void> {
    const limitMs = this.plan.bug === undefined ? LIMIT_MS : LIMIT_MS / 4;
    const open = "SELECT count(*)::integer AS count FROM turns WHERE state IN ('queued', 'running', 'publishing')";
    for (let [last, since] = [0, Date.now()]; ;) {
      const count = (await this.team.administer(open))[0]?.['count'] as number;
      if (count !== last) {
        [last, since] = [count, Date.now()];
      }
      if (count === 0 || Date.now() - since > limitMs) {
        return;
      }
      await pause(200);
    }
  }

  /** Gives up after some time. */
  private async untilAllRead(): Promise<void> {
    const newest = 'SELECT job_id, max(id) AS id FROM activity GROUP BY job_id';
    const ids = new Map((await this.team.administer(newest)).map((row) => [row['job_id'], Number(row['id'])]));
    for (const start = Date.now(); Date.now() - start < READ_LIMIT_MS;) {
      if (this.readers.every(({ jobId, seen }) => (seen.at(-1) ?? 0) >= (ids.get(jobId) ?? 0))) {
        return;
      }
      await pause(100);
    }
  }
}

async function kill({ process: child }: { process: WorkerProcess['process'] }): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
