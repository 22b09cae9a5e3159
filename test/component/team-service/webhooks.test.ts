import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { DIRECT } from '../../../src/base/network';
import { manage } from '../../../src/team-service/manage';
import { parseManage } from '../../../src/team-service/teamCommandLine';
import { Webhooks } from '../../../src/team-service/webhooks';
import { claim, createTurn, followUp, sampleJob } from '../../support/sampleTurn';
import { connect } from '../../support/storeBackends';
import { message, useTeam } from '../../support/teamFixture';

const SECRET = 'a secret of sixteen';
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Told {
  event: string;
  deliveryId: string;
  projectId: string;
  job: { id: string; status: string; error?: string };
}

describe('Webhooks', function () {
  const used = useTeam();
  let server: Server;
  let received: { body: string; signature: unknown }[];
  /** The status of each answer; the last one for all others. */
  let statuses: number[];
  beforeEach(async () => {
    [received, statuses] = [[], [204]];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ body, signature: request.headers['x-docs-agent-signature'] });
        response.writeHead(statuses.length > 1 ? (statuses.shift() ?? 0) : (statuses[0] ?? 0)).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const setWebhook = async (...options: string[]): Promise<void> => {
    const args = ['project', 'add', '--repository', 'https://git.example/docs.git', ...options];
    const environment = { DOCS_AGENT_WEBHOOK_SECRET: SECRET, DOCS_AGENT_DATABASE: used.team.url };
    const id = (await manage(parseManage(args, environment, Date.now()), log)).trim();
    const columns = 'webhook_url, webhook_secret, webhook_since';
    const set = `UPDATE projects SET (${columns}) = (SELECT ${columns} FROM projects WHERE id = '${id}') WHERE id = 'p1'`;
    await used.team.administer(set);
  };
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const open = async () => {
    const database = connect(used.team.url);
    const parts = { database, queue: used.queue, store: used.store, network: DIRECT, log };
    const webhooks = new Webhooks(parts);
    await webhooks.start({ retryDelay: 1 });
    return {
      webhooks,
      close: async () => {
        await webhooks.close();
        await database.close();
      },
    };
  };
  const until = async (count: number): Promise<Told[]> => {
    for (const start = Date.now(); received.length < count;) {
      assert.ok(Date.now() - start < 20_000, `${received.length} of ${count} deliveries`);
      await delay(50);
    }
    return received.map(({ body }) => JSON.parse(body) as Told);
  };
  const end = async (job: string, state: 'done' | 'failed' | 'cancelled') =>
    used.store.finishTurn(await claim(used.store, await createTurn(used.store, sampleJob({ id: job }), 'Go')), state);

  it('sends each job that completed or failed, signed, and no earlier or stopped one', async () => {
    await end('before', 'done');
    await setWebhook('--webhook', url());
    const { webhooks, close } = await open();
    try {
      await end('j1', 'done');
      await end('j2', 'cancelled');
      await end('j3', 'failed');
      webhooks.collect();
      const told = (await until(2)).toSorted((a, b) => a.job.id.localeCompare(b.job.id));
      const events = told.map(({ event, projectId, job }) => [event, projectId, job.id, job.status]);
      assert.deepEqual(events, [
        ['job.completed', 'p1', 'j1', 'completed'],
        ['job.failed', 'p1', 'j3', 'failed'],
      ]);
      for (const { body, signature } of received) {
        assert.equal(signature, `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
      }
      await setWebhook('--no-webhook');
      await end('j4', 'done');
      webhooks.collect();
      await delay(3_000);
      assert.equal(received.length, 2);
    } finally {
      await close();
    }
  });

  it('tries again after any other answer, also with another worker, and sends the same text', async () => {
    await setWebhook('--webhook', url());
    statuses = [500];
    const first = await open();
    await end('j1', 'done');
    await followUp(used.store, 'j1', 'More');
    first.webhooks.collect();
    await until(1);
    await first.close();
    statuses = [302, 404, 200];
    const second = await open();
    const told = await until(4);
    await delay(1_500);
    await second.close();
    assert.equal(received.length, 4);
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
    assert.equal(told[0]?.job.status, 'completed');
  }).timeout(60_000);

  it('come from a worker, however slow the receiver is', async () => {
    await setWebhook('--webhook', url());
    server.removeAllListeners('request');
    let asked = 0;
    server.on('request', () => (asked += 1));
    await used.team.worker();
    for (const id of ['j1', 'j2', 'j3']) {
      await createTurn(used.store, sampleJob({ id }), message(id, 1, 0));
    }
    for (const start = Date.now(); asked === 0 || (await used.store.endedAt('j3')) === undefined;) {
      assert.ok(Date.now() - start < 30_000, `${asked} requests`);
      await delay(50);
    }
    server.closeAllConnections();
  }).timeout(60_000);
});
