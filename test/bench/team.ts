import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { SqlJobStore } from '../../src/local-service/store/sqlJobStore';
import { KeyStore } from '../../src/team-service/store/keyStore';
import { openTeamStore } from '../../src/team-service/store/teamStore';
import { startService } from '../support/serviceProcess';
import { startPostgres } from '../support/postgresServer';
import { connect, noQueue } from '../support/storeBackends';
import { sampleRepository, temporaryFolder } from '../support/temporaryRepository';
import { checkoutRoot } from '../support/vscode/paths';
import { runChecked } from '../support/vscode/run';
import type { Benchmark } from './benchWindow';

const CLIENTS = 200;
const PROCESSES = 2;

/** Jobs per round that are measured, and before that, jobs that are not. */
const [JOBS, WARM_UP] = [1_000, 300];

/** Requests for one job per round, one after the other. */
const READS = 300;

/** The prompt of each job: a few lines, like those that people write. */
const PROMPT = `Document the rate limits\n\n${'The page should say what happens beyond them, and when to try again. '.repeat(5)}`;

/** The folder of another build, which is measured alternately with this one on the same PostgreSQL. */
const BEFORE = process.env['DOCS_AGENT_BENCH_BEFORE'];

/**
 * What a new job costs a team's service with many clients at once, next to another build if `DOCS_AGENT_BENCH_BEFORE`
 * names its folder; and what reading one job costs, next to the local service.
 */
export async function measureTeam(rounds: number): Promise<Benchmark> {
  const server = await startPostgres({ isDurable: true });
  if (typeof server === 'string') {
    throw new Error(server);
  }
  const administer = new pg.Client(server.url('postgres'));
  await administer.connect();
  const teams: Team[] = [];
  for (const [index, checkout] of [checkoutRoot, ...(BEFORE === undefined ? [] : [BEFORE])].entries()) {
    await administer.query(`CREATE DATABASE side_${index}`);
    teams.push(await Team.start(await packageOf(checkout), server.url(`side_${index}`)));
  }
  await administer.end();
  const local = await startService({ repo: await sampleRepository(), agentCommand: ['true'], rateLimit: 100_000 });
  const localReads: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const sides = round % 2 === 0 ? teams : teams.toReversed();
      for (const team of sides) {
        await team.createJobs(1, team.onOne);
      }
      for (const team of sides) {
        await team.createJobs(20, team.onMany);
      }
      const client = new Client(local);
      localReads.push(await client.readJob());
      client.close();
      for (const team of sides) {
        await team.readJob();
      }
    }
  } finally {
    await Promise.all([local.stop(), ...teams.map((team) => team.stop())]);
  }
  const [own, other] = teams;
  const next = (measured: number[] | undefined) =>
    measured && { baseline: { name: 'another build', measured }, maxRatio: 1 / 1.5 };
  return {
    title: 'A service for a team',
    rows: [
      { name: 'a new job, all in one project', unit: 'ms', measured: own?.onOne ?? [], ...next(other?.onOne) },
      { name: 'a new job, in 20 projects', unit: 'ms', measured: own?.onMany ?? [], ...next(other?.onMany) },
      {
        name: 'a new job, processor time of the service',
        unit: 'ms',
        measured: own?.processor ?? [],
        ...(other && { baseline: { name: 'another build', measured: other.processor } }),
      },
      {
        name: 'reading a job',
        unit: 'ms',
        measured: own?.reads ?? [],
        baseline: { name: 'the local service', measured: localReads },
        maxRatio: 1.5,
      },
      ...(other
        ? [
            {
              name: 'reading a job in the other build',
              unit: 'ms' as const,
              measured: other.reads,
              baseline: { name: 'the local service', measured: localReads },
            },
          ]
        : []),
    ],
    about: `${CLIENTS} clients create ${JOBS} jobs over ${PROCESSES} API processes: the time until all are accepted, for each job. PostgreSQL, which waits for the disk as in production, the service, and the clients share the processor. One client reads a job.`,
  };
}

/** Builds the npm package of a checkout, and returns its program. */
async function packageOf(checkout: string): Promise<string> {
  const folder = await temporaryFolder();
  await runChecked(process.execPath, ['scripts/npmPackage.mjs', 'docs-agent-service', folder], { cwd: checkout });
  const [file = ''] = await readdir(folder);
  await runChecked('tar', ['xzf', file], { cwd: folder });
  return join(folder, 'package', 'docs-agent-service.mjs');
}

/** The API processes of one build, and what they took, in milliseconds. */
class Team {
  /** For each new job of a round. */
  readonly onOne: number[] = [];
  readonly onMany: number[] = [];
  readonly processor: number[] = [];
  /** For each request for a job. */
  readonly reads: number[] = [];
  private readonly processes: { child: ChildProcess; port: number }[] = [];

  private constructor(
    private readonly store: SqlJobStore,
    private readonly keys: KeyStore,
  ) {}

  static async start(program: string, url: string): Promise<Team> {
    const database = connect(url);
    const team = new Team(await openTeamStore(database, noQueue), new KeyStore(database));
    const args = [program, 'api', '--port', '0', '--rate-limit', '100000'];
    for (let count = 0; count < PROCESSES; count++) {
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DOCS_AGENT_DATABASE: url };
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      team.processes.push({ child, ...(JSON.parse(line) as { port: number }) });
    }
    return team;
  }

  /** Creates jobs in that many new projects, so that no earlier ones count toward the hourly limit. */
  async createJobs(projects: number, times: number[]): Promise<void> {
    const clients = await this.newClients(CLIENTS, projects);
    await createAll(clients, WARM_UP);
    const [start, before] = [performance.now(), this.processorMs()];
    await createAll(clients, JOBS);
    times.push((performance.now() - start) / JOBS);
    this.processor.push((this.processorMs() - before) / JOBS);
    clients.forEach((client) => client.close());
  }

  async readJob(): Promise<void> {
    for (const client of await this.newClients(1, 1)) {
      this.reads.push(await client.readJob());
      client.close();
    }
  }

  async stop(): Promise<void> {
    for (const { child } of this.processes) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    await this.store.close();
  }

  private async newClients(count: number, projects: number): Promise<Client[]> {
    const ids = Array.from({ length: projects }, () => randomUUID());
    for (const id of ids) {
      await this.store.putProject({ id, name: 'docs', folder: 'https://git.example.com/acme/docs.git' });
    }
    const { key } = await this.keys.create({ role: 'admin', projects: ids });
    return Array.from({ length: count }, (_, index) => {
      const port = this.processes[index % PROCESSES]?.port ?? 0;
      return new Client({ port, projectId: ids[Math.floor(index / PROCESSES) % projects] ?? '', key });
    });
  }

  /** Processor time of the processes so far; 0 where the system doesn't say. */
  private processorMs(): number {
    return this.processes.map(({ child }) => processorMs(child.pid ?? 0)).reduce((sum, each) => sum + each, 0);
  }
}

function processorMs(pid: number): number {
  try {
    const [user = '', system = ''] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11) ?? [];
    return (Number(user) + Number(system)) * 10;
  } catch {
    return 0;
  }
}

/** Creates jobs until this many were accepted. */
async function createAll(clients: readonly Client[], jobs: number): Promise<void> {
  let left = jobs;
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) {
        await client.createJob();
      }
    }),
  );
}

/** A client with one connection. `fetch` would need more of the processor than what is measured. */
class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly service: { port: number; projectId: string; key: string }) {}

  async createJob(): Promise<string> {
    for (;;) {
      const { status, text } = await this.send('POST', '', JSON.stringify({ prompt: PROMPT }));
      if (status === 201) {
        return (JSON.parse(text) as { id: string }).id;
      }
      if (status !== 503) {
        throw new Error(text);
      }
      await delay(500);
    }
  }

  /** Reads a new job again and again. Returns the time for each, in milliseconds. */
  async readJob(): Promise<number> {
    const id = await this.createJob();
    let start = 0;
    for (let count = -READS / 5; count < READS; count++) {
      start = count === 0 ? performance.now() : start;
      const { status, text } = await this.send('GET', `/${id}`);
      if (status !== 200) {
        throw new Error(text);
      }
    }
    return (performance.now() - start) / READS;
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
    const { port, projectId, key } = this.service;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const options = { agent: this.agent, port, method, path: `/v2/agent/${projectId}/job${path}`, headers };
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, host: '127.0.0.1' }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      sent.on('error', reject).end(body);
    });
  }
}
