import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { SqlJobStore } from '../../src/local-service/store/sqlJobStore';
import { customAgent } from './sampleTurn';
import { openTeamStore } from '../../src/team-service/store/teamStore';
import { TurnQueue } from '../../src/team-service/turnQueue';
import type { WorkerTimings } from '../../src/team-service/worker';
import { SUPERVISOR } from './agentTask';
import { buildNodeScript } from './machine';
import { postgresServer } from './postgresServer';
import { connect, createDatabase } from './storeBackends';
import { testNode } from './serviceProcess';
import type { TeamWorkerOptions } from './teamWorker';
import { git, sampleRepository, temporaryFolder } from './temporaryRepository';

const AGENT = fileURLToPath(new URL('./exclusiveAgent.mjs', import.meta.url));
const WORKER = fileURLToPath(new URL('./teamWorker.ts', import.meta.url));
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Twenty times as fast as in production. */
export const FAST: Partial<WorkerTimings> = {
  heartbeatMs: 300,
  fenceMs: 2_000,
  goneMs: 3_000,
  handOverMs: 1_000,
  pollMs: 200,
  superviseMs: 1_000,
};
/** How long the queue waits for a heartbeat in these tests, in seconds. pg-boss itself allows no less than 10. */
const HEARTBEAT_S = 4;
const SHORTER_HEARTBEAT = `
  CREATE FUNCTION shorten() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.heartbeat_seconds := ${HEARTBEAT_S}; RETURN NEW; END';
  CREATE TRIGGER shorten BEFORE INSERT ON pgboss.job FOR EACH ROW EXECUTE FUNCTION shorten()`;

let workerScript: Promise<string> | undefined;

/** A worker in a process of its own. */
export interface WorkerProcess {
  process: ChildProcess;
  data: string;
  name: string;
  said: () => string;
}

/** Opens a team for each test of a suite, which needs PostgreSQL and Linux. */
export function useTeam(): { team: TeamFixture; store: SqlJobStore; queue: TurnQueue } {
  const used = {} as ReturnType<typeof useTeam>;
  before(async function () {
    const server = await postgresServer();
    const missing = typeof server === 'string' ? server : process.platform === 'linux' ? undefined : 'needs Linux';
    if (missing !== undefined) {
      console.log(`      skipped: ${missing}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    used.team = await TeamFixture.open();
    Object.assign(used, await used.team.client());
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.log(used.team.workers.map((worker) => worker.said()).join('\n'), used.team.journal());
    }
    await used.team.close();
  });
  return used;
}

/** A database with a project, whose repository is a bare one, and workers in processes of their own. */
export class TeamFixture {
  readonly workers: WorkerProcess[] = [];
  private readonly toClose: (() => Promise<void>)[] = [];

  private constructor(
    readonly url: string,
    readonly remote: string,
    readonly journalFile: string,
  ) {}

  static async open(): Promise<TeamFixture> {
    const { url, remove } = await createDatabase();
    const folder = await temporaryFolder();
    const remote = join(folder, 'remote.git');
    await git(folder, 'clone', '--quiet', '--bare', await sampleRepository(), remote);
    const fixture = new TeamFixture(url, remote, join(folder, 'journal'));
    fixture.toClose.push(remove);
    const first = await fixture.client();
    await fixture.administer(SHORTER_HEARTBEAT);
    const settings = customAgent([process.execPath, AGENT, fixture.journalFile]);
    await first.store.putProject({ id: 'p1', name: 'docs', folder: remote, settings });
    return fixture;
  }

  /** A client at the level of the store, like an API process. */
  async client(): Promise<{ store: SqlJobStore; queue: TurnQueue }> {
    const database = connect(this.url);
    const queue = await TurnQueue.open(database, { supervise: false }, log);
    const store = await openTeamStore(database, queue.enqueue);
    this.toClose.push(async () => {
      await queue.close();
      await store.close();
    });
    return { store, queue };
  }

  async administer(statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.url);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts a worker, with the folder of an earlier one if given. */
  async worker({
    data,
    timings = {},
    concurrency = 4,
    keepDays = 30,
    isUnfenced = false,
  }: Partial<
    Pick<TeamWorkerOptions, 'data' | 'timings' | 'concurrency' | 'keepDays' | 'isUnfenced'>
  > = {}): Promise<WorkerProcess> {
    workerScript ??= buildNodeScript(WORKER);
    const folder = data ?? join(await temporaryFolder(), 'worker');
    const child = spawn(testNode(), [await workerScript], { stdio: ['pipe', 'pipe', 'pipe'] });
    const options: TeamWorkerOptions = {
      database: this.url,
      data: folder,
      concurrency,
      keepDays,
      supervisor: SUPERVISOR,
      timings: { ...FAST, ...timings },
      isUnfenced,
    };
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(options));
    const { line, said } = await started(child);
    const worker = { process: child, data: folder, name: line.trim(), said };
    this.workers.push(worker);
    return worker;
  }

  /** What the agents have written, in order: what, job, and number of the turn. */
  journal(): { what: string; job: string; turn: number }[] {
    const text = existsSync(this.journalFile) ? readFileSync(this.journalFile, 'utf8') : '';
    return [...text.matchAll(/^(\w+) (.+)\/(\d+)$/gm)].map(([, what = '', job = '', turn]) => ({
      what,
      job,
      turn: Number(turn),
    }));
  }

  async stop({ process: child }: WorkerProcess): Promise<void> {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    for (const { process: child } of this.workers.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    for (const each of this.toClose.splice(0).reverse()) {
      await each();
    }
  }
}

/** Resolves with the first line that a process prints. */
async function started(child: ChildProcess): Promise<{ line: string; said: () => string }> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-20_000)));
  const [line] = (await Promise.race([
    once(child.stdout ?? child, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(`the process didn’t start: ${said}`);
    }),
  ])) as [Buffer];
  return { line: line.toString(), said: () => said };
}

/** The message that makes the agent note this and work for that long. */
export function message(job: string, turn: number, ms: number): string {
  return `Write a page. [turn ${job}/${turn} wait ${ms}]`;
}
