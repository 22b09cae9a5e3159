import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { needsDebianPackage } from '../../support/debianPackages';
import { installedPrograms, PostgresServer } from '../../support/postgresServer';
import { isLongRun, report } from '../../support/scale';
import { TeamProcesses } from '../../support/teamProcesses';

const [LIMIT, REQUESTS] = [10, 60];

/** Real processes. The suite of the API shows the same with fewer requests. */
(isLongRun ? describe : describe.skip)('the hourly limit, with another isolation of transactions by role', function () {
  this.timeout(120_000);
  needsDebianPackage('postgresql', '/usr/bin/pg_ctlcluster');
  let server: PostgresServer;
  let service: TeamProcesses | undefined;

  before(async () => {
    server = await PostgresServer.create(await installedPrograms());
    await server.start();
  });
  afterEach(() => service?.close());
  after(() => server.crash());

  for (const [index, isolation] of ['repeatable read', 'serializable'].entries()) {
    it(`is exact with ${isolation}`, async () => {
      const name = `team_${index}`;
      await server.administer(
        `CREATE ROLE ${name} LOGIN PASSWORD 'Secret1'`,
        `ALTER ROLE ${name} SET default_transaction_isolation = '${isolation}'`,
        `CREATE DATABASE ${name} OWNER ${name}`,
      );
      const url = new URL(server.url(name));
      [url.username, url.password] = [name, 'Secret1'];
      assert.equal(await isolationIn(url.href), isolation);
      service = await TeamProcesses.on(url.href);
      const project = await service.manage('project', 'add', '--repository', 'https://git.example/team/docs.git');
      const key = await service.manage('key', 'create', '--project', project);
      const options = ['api', '--port', '0', '--rate-limit', String(LIMIT)];
      const ports = [(await service.start(options)).port, (await service.start(options)).port];
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ prompt: 'Document the limits' });
      const create = async (port: number): Promise<number> => {
        const { status } = await fetch(`http://127.0.0.1:${port}/v2/agent/${project}/job`, {
          method: 'POST',
          headers,
          body,
        });
        // On a slow machine, some wait too long for the others.
        return status === 503 ? delay(1_000).then(() => create(port)) : status;
      };
      const all = Array.from({ length: REQUESTS }, (_, at) => create(ports[at % ports.length] ?? 0));
      const counts: Record<number, number> = {};
      for (const status of await Promise.all(all)) {
        counts[status] = (counts[status] ?? 0) + 1;
      }
      report({
        promise: 'A team’s hourly limit',
        what: `${REQUESTS} prompts at once to 2 API processes that allow ${LIMIT} per hour, the role’s isolation of transactions being ${isolation}`,
        figure: `${counts[201] ?? 0} accepted, ${counts[429] ?? 0} refused with 429`,
      });
      assert.deepEqual(counts, { 201: LIMIT, 429: REQUESTS - LIMIT });
    });
  }
});

async function isolationIn(url: string): Promise<unknown> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>('SHOW transaction_isolation');
  await client.end();
  return rows[0]?.['transaction_isolation'];
}
