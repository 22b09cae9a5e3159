import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { load, YAML11_SCHEMA } from 'js-yaml';
import pg from 'pg';
import { parseManage } from '../../../src/team-service/teamCommandLine';
import { unusedPort } from '../../support/machine';
import { SCRIPTED_AGENT, testNode } from '../../support/serviceProcess';
import { postgresServer } from '../../support/postgresServer';
import { createSampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { checkoutRoot } from '../../support/vscode/paths';
import { run } from '../../support/vscode/run';

describe('npm package of the service for a team', function () {
  let installed: string;
  let program: string;
  const children: ChildProcess[] = [];

  before(async () => {
    const packed = await temporaryFolder();
    const made = await run(process.execPath, ['scripts/npmPackage.mjs', 'docs-agent-service', packed], {
      cwd: checkoutRoot,
    });
    assert.equal(made.code, 0, made.output);
    const [file = ''] = await readdir(packed);
    assert.match(file, /^docs-agent-service-\d+\.\d+\.\d+\.tgz$/);
    installed = await temporaryFolder();
    const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', installed, join(packed, file)];
    const { code, output } = await run('npm', args, { cwd: installed });
    assert.equal(code, 0, output);
    program = join(installed, 'node_modules', '.bin', 'docs-agent-service');
  });
  afterEach(async () => {
    for (const child of children.splice(0).filter(({ exitCode }) => exitCode === null)) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
  });

  const call = (args: string[], env: NodeJS.ProcessEnv = process.env) => run(testNode(), [program, ...args], { env });

  /** Starts the program and resolves with what it prints when it is ready. */
  const start = async (args: string[], env: NodeJS.ProcessEnv = process.env) => {
    const child = spawn(testNode(), [program, ...args], { env, stdio: 'pipe' });
    children.push(child);
    const failed = once(child, 'exit').then(async () => Promise.reject(new Error((await said).join(''))));
    const said = child.stderr.setEncoding('utf8').toArray() as Promise<string[]>;
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
    failed.catch(() => undefined);
    return JSON.parse(line) as { port: number; keyFile: string; projects: { projectId: string }[] };
  };
  const create = (port: number, key: string, project: string) =>
    fetch(`http://127.0.0.1:${port}/v2/agent/${project}/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Document the limits' }),
    });

  it('contains everything that it needs, and explains its commands', async () => {
    assert.deepEqual(await readdir(join(installed, 'node_modules')), [
      '.bin',
      '.package-lock.json',
      'docs-agent-service',
    ]);
    const own = join(installed, 'node_modules', 'docs-agent-service');
    assert.deepEqual((await readdir(join(own, 'deploy'))).toSorted(), [
      'Caddyfile',
      'Containerfile',
      'compose.yaml',
      'database.sql',
      'docs-agent@.service',
    ]);
    assert.match(await readFile(join(own, 'ThirdPartyNotices.txt'), 'utf8'), /^pg-boss .*\(MIT\)$/m);
    for (const [args, words] of [
      [['--help'], /key create/],
      [[], /key create/],
      [['project', 'add', '--help'], /--repository URL/],
      [['serve', '--help'], /^Usage: docs-agent-service --repo DIR/],
      [['check', '--help'], /^Usage: docs-agent-service check/],
      [['mcp', '--help'], /^Usage: docs-agent-service mcp/],
    ] as const) {
      const { code, output } = await call([...args]);
      assert.equal(code, 0, output);
      assert.match(output, words);
    }
  });

  it('says on one line what is wrong with how it was started, and what to do', async () => {
    const nowhere = `postgres://me:secret@127.0.0.1:${await unusedPort()}/docs`;
    for (const [args, code, words] of [
      [['api', '--database', 'nothing'], 2, /--database or DOCS_AGENT_DATABASE must be a URL/],
      [['projects', 'list'], 2, /There is no command “projects”\. See --help\./],
      [['api', '--port', '-1'], 2, /'--port'.* See --help\./],
      [['key', 'list', '--database', nowhere], 1, /database \(connect ECONNREFUSED .*Check its URL .*is running/],
      [['worker', '--data', installed, '--database', nowhere], 1, /database \(connect ECONNREFUSED .*Check its URL/],
    ] as const) {
      const ended = await call([...args]);
      assert.match(ended.output, new RegExp(`^docs-agent service: .*${words.source}.*\n$`));
      assert.equal(ended.code, code);
      assert.ok(!ended.output.includes('secret'));
    }
  });

  it('still serves a single user', async () => {
    const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    const ready = await start(['--repo', repo, '--data', data, '--port', '0', '--no-pull-requests']);
    const key = (await readFile(ready.keyFile, 'utf8')).trim();
    assert.equal((await create(ready.port, key, ready.projects[0]?.projectId ?? '')).status, 201);
  });

  /** The containers' programs, without containers: only the addresses and folders differ. */
  it('serves a team with the database, the commands, and the environment of the example', async function () {
    const server = await postgresServer();
    if (typeof server === 'string') {
      console.log(`      skipped: ${server}`);
      this.skip();
    }
    const deploy = join(installed, 'node_modules', 'docs-agent-service', 'deploy');
    const database = await createExampleDatabase(join(deploy, 'database.sql'), 'Secret1');
    try {
      const values = { POSTGRES_PASSWORD: 'Secret1', PUBLIC_URL: 'http://localhost:8080', GIT_TOKENS: 'git.example=t' };
      const services = await composeExample(join(deploy, 'compose.yaml'), values);
      const home = await temporaryFolder();
      const environmentOf = (name: string) => {
        const { DOCS_AGENT_DATABASE: url = '', ...others } = services[name]?.environment ?? {};
        const known = url.replace('@database/', `@${new URL(database.url).host}/`);
        assert.equal(known, database.url);
        return { ...others, DOCS_AGENT_DATABASE: known, PATH: process.env['PATH'], HOME: home };
      };
      const manage = async (...args: string[]) => {
        const { code, output } = await call(args, environmentOf('api-1'));
        assert.equal(code, 0, output);
        return /^(?:team_|[a-z0-9.-]+-[0-9a-f]{10}$).*$/m.exec(output)?.[0] ?? '';
      };
      const repo = await temporaryFolder();
      await createSampleRepository(repo);
      const agent = ['--agent-command', JSON.stringify([testNode(), SCRIPTED_AGENT])];
      const project = await manage('project', 'add', '--repository', pathToFileURL(repo).href, ...agent);
      const key = await manage('key', 'create', '--project', project);
      const ports: number[] = [];
      for (const name of ['api-1', 'api-2']) {
        const { command = [], healthcheck } = services[name] ?? {};
        const { port } = await start([...command, '--port', '0'], environmentOf(name));
        ports.push(port);
        const [, , ...check] = (healthcheck?.test ?? []).map((word) => word.replace(':8080', `:${port}`));
        assert.equal((await run(testNode(), check)).code, 0);
        assert.equal(
          (
            await run(
              testNode(),
              check.map((word) => word.replace('readyz', 'nothing')),
            )
          ).code,
          1,
        );
      }
      const answer = await create(ports[0] ?? 0, key, project);
      assert.equal(answer.status, 201);
      const { id } = (await answer.json()) as { id: string };
      for (const name of ['worker-1', 'worker-2']) {
        const data = await temporaryFolder();
        const command = (services[name]?.command ?? []).map((word) => (word === '/data' ? data : word));
        await start(command, environmentOf(name));
      }
      const url = `http://127.0.0.1:${ports[1] ?? 0}/v2/agent/${project}/job/${id}`;
      const job = { status: 'active', error: '' };
      while (job.status === 'active') {
        await new Promise((resolve) => setTimeout(resolve, 50));
        Object.assign(job, await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json());
      }
      assert.equal(job.status, 'completed', job.error);
      for (const child of children.splice(0)) {
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      }
    } finally {
      await database.remove();
    }
  });
});

/** What a test reads of a service in a Compose file. */
export interface ComposeService {
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  volumes?: string[];
}

/** Reads the services of a Compose file, with these values for its variables. Throws for one that is missing. */
export async function composeExample(
  file: string,
  values: Readonly<Record<string, string>>,
): Promise<Record<string, ComposeService>> {
  const text = (await readFile(file, 'utf8')).replace(
    /\$\{(\w+):([?-])(.*?)\}/g,
    (_, name: string, kind: string, fallback: string) => {
      assert.ok(kind === '-' || values[name] !== undefined, `${name} is missing`);
      return values[name] ?? fallback;
    },
  );
  // Compose merges `<<`, as YAML 1.1 does.
  return (load(text, { schema: YAML11_SCHEMA }) as { services: Record<string, ComposeService> }).services;
}

/**
 * Creates what the example's PostgreSQL creates, in the server of the tests: a database, and a role that owns it. Returns
 * the URL for that role.
 */
export async function createExampleDatabase(
  file: string,
  password: string,
): Promise<{ url: string; remove: () => Promise<void> }> {
  const server = await postgresServer();
  assert.ok(typeof server !== 'string', 'PostgreSQL doesn’t run here');
  const connect = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const as = (role: string, database: string) => {
    const url = new URL(server.url(database));
    [url.username, url.password] = [role, password];
    return url.href;
  };
  const administer = async (...statements: string[]): Promise<void> => {
    await connect(server.url('postgres'), async (client) => {
      for (const statement of statements) {
        await client.query(statement);
      }
    });
  };
  await administer(`CREATE ROLE administrator SUPERUSER LOGIN PASSWORD '${password}'`);
  const [first = '', ...lines] = (await readFile(file, 'utf8')).replaceAll(/^--.*\n/gm, '').split('\n');
  assert.equal(first, '\\getenv password POSTGRES_PASSWORD');
  await connect(as('administrator', 'postgres'), async (client) => {
    for (const line of lines) {
      await client.query(line.replace(":'password'", `'${password}'`));
    }
  });
  await assert.rejects(connect(as('administrator', 'postgres'), async () => undefined));
  const url = as('docs_agent', 'docs_agent');
  const rights = await connect(url, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(
      'SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    );
    return Object.values(rows[0] ?? {});
  });
  assert.deepEqual(rights, [false, false, false, false, false]);
  return {
    url,
    remove: () =>
      administer('DROP DATABASE docs_agent WITH (FORCE)', 'DROP ROLE docs_agent', 'DROP ROLE administrator'),
  };
}

const VALUES = { POSTGRES_PASSWORD: 'Secret1', PUBLIC_URL: 'https://jobs.example.com' };

describe('Compose example of the service for a team', () => {
  let services: Record<string, ComposeService>;
  before(async () => (services = await composeExample('deploy/compose.yaml', VALUES)));

  it('restarts every container, and gives none more rights than it needs', () => {
    assert.deepEqual(Object.keys(services), ['database', 'api-1', 'api-2', 'worker-1', 'worker-2', 'proxy']);
    for (const [name, { restart, read_only: isReadOnly, cap_drop: dropped, security_opt: options }] of Object.entries(
      services,
    )) {
      const found = [restart, isReadOnly, dropped, options];
      assert.deepEqual(found, ['unless-stopped', true, ['ALL'], ['no-new-privileges:true']], name);
    }
  });

  it('gives each worker its own volumes, and API processes none', () => {
    const volumes = Object.fromEntries(Object.entries(services).map(([name, service]) => [name, service.volumes]));
    assert.deepEqual(
      [volumes['worker-1'], volumes['worker-2'], volumes['api-1'], volumes['api-2']],
      [
        ['worker-1:/data', 'worker-1-home:/home/node'],
        ['worker-2:/data', 'worker-2-home:/home/node'],
        undefined,
        undefined,
      ],
    );
  });

  it('understands the commands that the documentation shows', async () => {
    const text = await readFile('docs/team-service.md', 'utf8');
    const commands = [...text.matchAll(/^ *docker compose run --rm api-1 (.+)$/gm)].map(([, words = '']) => words);
    assert.equal(commands.length, 3);
    for (const words of commands) {
      parseManage(words.split(' '), services['api-1']?.environment ?? {}, 0);
    }
  });
});

describe('systemd unit of the service for a team', () => {
  const file = 'deploy/docs-agent@.service';

  it('gives each process the user that the documentation creates, with a private home folder', async () => {
    const [unit, page] = await Promise.all([readFile(file, 'utf8'), readFile('docs/team-service.md', 'utf8')]);
    const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]?.replace('%i', '$name') ?? '';
    const [user, folder] = [valueOf('User'), `/var/lib/${valueOf('StateDirectory')}`];
    assert.ok(page.includes(`sudo useradd --system --home-dir "${folder}" "${user}"\n`), page);
    assert.ok(page.includes(`COMMAND="worker --data ${folder.replace('$name', 'worker-1')}"\n`), page);
    assert.equal(valueOf('StateDirectoryMode'), '0700');
  });

  it('is understood by systemd', async function () {
    const { code, output } = await run('systemd-analyze', ['verify', '--man=no', file]).catch(() => {
      console.log('      skipped: needs systemd');
      return this.skip();
    });
    // It only warns about what it doesn't know.
    assert.deepEqual([code, output], [0, '']);
  });
});
