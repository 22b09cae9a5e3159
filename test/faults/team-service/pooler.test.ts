import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { needsDebianPackage } from '../../support/debianPackages';
import { unusedPort } from '../../support/machine';
import { report, scaled } from '../../support/scale';
import { usePostgres } from '../../support/storeBackends';
import { pageBlock } from '../../support/teamPage';
import { TeamProcesses } from '../../support/teamProcesses';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';

const PROGRAM = '/usr/sbin/pgbouncer';
const JOBS = scaled(8, 60);
const RESTARTS = scaled(1, 5);
const AGENT = ['sh', '-c', 'sleep 1; (cat; echo) >> try.md'];

/** PgBouncer with the settings that the page shows. */
class PgBouncer {
  private child: ChildProcess | undefined;
  private said = '';

  private constructor(
    private readonly file: string,
    readonly url: string,
  ) {}

  /** Starts it in front of a server. */
  static async before(database: string, change: (settings: string) => string = (settings) => settings) {
    const [folder, port] = [await temporaryFolder(), await unusedPort()];
    const { hostname, port: serverPort, username, password } = new URL(database);
    const url = Object.assign(new URL(database), { port: String(port) }).href;
    const users = join(folder, 'users');
    await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
    const settings = [
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
      change(await pageBlock(/^pool_mode/)),
    ];
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, settings.join('\n'));
    await Promise.all([chmod(folder, 0o755), chmod(users, 0o644), chmod(file, 0o644)]);
    const pool = new PgBouncer(file, url);
    await pool.start();
    return pool;
  }

  async start(): Promise<void> {
    const child = spawn(PROGRAM, [this.file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
    this.child = child;
    while (!(await isListening(Number(new URL(this.url).port)))) {
      assert.equal(child.exitCode, null, this.said);
      await delay(20);
    }
  }

  /** Ends it with all its connections. */
  async close(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connectTo(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('the service for a team behind PgBouncer', () => {
  const used = usePostgres();
  needsDebianPackage('pgbouncer', PROGRAM);

  const start = async (change?: (settings: string) => string) => {
    const pool = await PgBouncer.before(used.url, change);
    used.toClose.push(pool);
    const processes = await TeamProcesses.on(pool.url);
    used.toClose.push(processes);
    return { pool, processes };
  };
  const worker = async () => ['worker', '--data', await temporaryFolder(), '--concurrency', '3'];

  it('runs all jobs to the end as on the page, each once, through restarts of the pool', async () => {
    const { pool, processes } = await start();
    const folder = await temporaryFolder();
    await createSampleRepository(folder);
    const remote = join(await temporaryFolder(), 'docs.git');
    await git(folder, 'clone', '--quiet', '--bare', folder, remote);
    const agent = ['--agent-command', JSON.stringify(AGENT)];
    const project = await processes.manage('project', 'add', '--repository', `file://${remote}`, ...agent);
    const key = await processes.manage('key', 'create', '--project', project);
    const apis = [await processes.start(['api', '--port', '0']), await processes.start(['api', '--port', '0'])];
    await processes.start(await worker());
    await processes.start(await worker());
    for (let count = 0; count < JOBS; count += 1) {
      const answer = await fetch(`http://127.0.0.1:${apis[count % 2]?.port ?? 0}/v2/agent/${project}/job`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: `Describe lamp ${count}` }),
      });
      assert.equal(answer.status, 201, await answer.text());
    }
    const client = new pg.Client(used.url);
    await client.connect();
    const count = async (state: string) => {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM turns WHERE state = $1 AND attempt = 1`,
        [state],
      );
      return rows[0]?.count ?? 0;
    };
    try {
      for (let restart = 0; restart < RESTARTS; restart += 1) {
        while ((await count('running')) === 0 || (await count('done')) < (JOBS * restart) / RESTARTS) {
          await delay(20);
        }
        await pool.close();
        await pool.start();
      }
      const left = JOBS - (await count('done'));
      while ((await count('done')) < JOBS) {
        const { rows } = await client.query(
          "SELECT * FROM turns WHERE state IN ('failed', 'cancelled') OR attempt > 1",
        );
        assert.deepEqual(rows, []);
        await delay(100);
      }
      report({
        promise: 'A team’s jobs survive restarts of the pool',
        what: `PgBouncer in session mode, ${RESTARTS} restarts, the last one with ${left} of ${JOBS} jobs unfinished`,
        figure: '0 failed, 0 run twice',
      });
    } finally {
      await client.end();
    }
  });

  it('refuses to start with a pool of transactions, and says why', async () => {
    const { processes } = await start((settings) => settings.replace('session', 'transaction'));
    const reason = /Connect to PostgreSQL directly or through a pool of sessions, not of transactions\.\n$/;
    const started = [processes.start(['api', '--port', '0']), processes.start(await worker())];
    await Promise.all(started.map((process) => assert.rejects(process, reason)));
  });
});
