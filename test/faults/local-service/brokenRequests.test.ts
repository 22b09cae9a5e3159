import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { type LocalBench, localBench, waitUntil } from '../../contract/contractBench';
import { report, scaled, seed } from '../../support/scale';
import { type BrokenRequest, brokenRequests } from './brokenRequests';

/** Each lane sometimes has a second connection; together they stay below the service's connection limit. */
const LANES = 12;
/** How long to wait for an answer before sending the next request. Half a request gets no answer. */
const PATIENCE_MS = 250;

describe('local service, broken requests', function () {
  let bench: LocalBench;
  let jobId: string;
  before(async () => {
    bench = await localBench({ rateLimit: 100_000 });
    ({ id: jobId } = await bench.client.createJob(bench.target, '[scripted: change nothing]'));
    await bench.ended(jobId);
  });
  after(() => bench.close());

  /** Resolves when the service has answered a valid request. */
  function askHonestly(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asking = get({ port: bench.service.port, agent: false }, (answer) => answer.resume().on('end', resolve));
      asking.on('error', reject);
    });
  }

  /** Sends bytes and returns everything received until the service closes the connection or no more is expected. */
  function send({ pieces }: BrokenRequest): Promise<string> {
    return new Promise((resolve) => {
      let answer = '';
      const socket = connect(bench.service.port, '127.0.0.1', () => {
        pieces.forEach((piece) => socket.write(piece));
      });
      // A busy machine answers later, but never answers the valid request before the broken one.
      socket.once('timeout', () => void askHonestly().finally(() => socket.destroy()));
      socket.setTimeout(PATIENCE_MS);
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(answer));
    });
  }

  async function servesHonestly(): Promise<void> {
    const { id } = await bench.client.createJob(bench.target, '[scripted: change nothing]');
    assert.equal((await bench.ended(id)).status, 'completed');
  }

  it('are rejected, and the next valid request is served', async function () {
    const count = scaled(300, 10_000);
    this.timeout(60_000 + count * 100);
    const { host } = new URL(bench.target.baseUrl);
    const known = { host, projectId: bench.target.projectId, jobId, key: bench.target.apiKey };
    const todo = fc.sample(brokenRequests(known), { numRuns: count, seed });
    let answered = 0;
    const work = async (): Promise<void> => {
      for (let request = todo.pop(); request !== undefined; request = todo.pop()) {
        const answer = await send(request);
        const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
        answered += statuses.length > 0 ? 1 : 0;
        const shown = `${request.kind}, seed ${seed}: ${JSON.stringify(Buffer.concat(request.pieces).toString('latin1'))}`;
        assert.ok(
          statuses.every((status) => status === 100 || (status >= 400 && status < 500)),
          `${statuses.join()} for ${shown.slice(0, 2_000)}`,
        );
        assert.doesNotMatch(answer, /root:|node_modules|at .*\(/, shown.slice(0, 2_000));
      }
    };
    await Promise.all(Array.from({ length: LANES }, work));
    assert.ok(answered > count / 2, `${answered} of ${count} were answered`);
    assert.deepEqual(await readdir(join(bench.service.data, 'jobs')), [jobId]);
    assert.doesNotMatch(bench.service.output(), / error /);
    await servesHonestly();
    report({ promise: 'S10', what: `${count} broken requests over raw connections`, figure: '0 crashes, 0 accepted' });
  });

  it('have their slow connections closed by the service', async () => {
    const held = scaled(40, 400);
    const start = [`POST /v2/agent/x/job HTTP/1.1\r\nHost: x\r\nX-Slow: `, 'G', ''];
    const sockets: Socket[] = [];
    let open = 0;
    for (let index = 0; index < held; index++) {
      const socket = connect(bench.service.port, '127.0.0.1', () => socket.write(start[index % 3] ?? ''));
      open += 1;
      socket.on('error', () => undefined).on('close', () => (open -= 1));
      socket.resume();
      sockets.push(socket);
    }
    // An occasional byte keeps an idle timeout from closing them.
    const drip = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('x')), 500);
    try {
      await waitUntil(() => open === 0);
    } finally {
      clearInterval(drip);
      sockets.forEach((socket) => socket.destroy());
    }
    await servesHonestly();
    report({
      promise: 'S10',
      what: `${held} connections held open by a byte now and then`,
      figure: 'all ended by the service',
    });
  });

  it('have their connections closed after half a body', async function () {
    if (scaled(0, 1) === 0) {
      this.skip();
    }
    const head = `POST /v2/agent/${bench.target.projectId}/job HTTP/1.1\r\nHost: ${new URL(bench.target.baseUrl).host}\r\n`;
    const key = `Authorization: Bearer ${bench.target.apiKey}\r\nContent-Type: application/json\r\n`;
    const socket = connect(bench.service.port, '127.0.0.1', () =>
      socket.write(`${head}${key}Content-Length: 9\r\n\r\n{`),
    );
    let isOpen = true;
    socket.on('error', () => undefined).on('close', () => (isOpen = false));
    socket.resume();
    await waitUntil(() => !isOpen);
    await delay(10);
    await servesHonestly();
  });
});
