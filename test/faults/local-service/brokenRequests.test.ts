import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readdir } from 'node:fs/promises';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LocalBench, localBench, waitUntil } from '../../contract/contractBench';
import { report, scaled, seed } from '../../support/scale';

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

/** Bytes that do not form a valid request, in the chunks in which they are sent. */
interface BrokenRequest {
  kind: string;
  pieces: Buffer[];
}

/** What a sender may know. */
interface KnownToSender {
  host: string;
  projectId: string;
  jobId: string;
  key: string;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Path traversals in spellings that have been used to get past checks for `..`. */
const CLIMBS = [
  ...['..', '%2e%2e', '%2E.', '.%2e', '%252e%252e', '%c0%ae%c0%ae', '%uff0e%uff0e', '..;', '..%00', '..%5c', '..\\'],
  ...['%2e%2e%2f', '%2e%2e%5c', '....//', '..%ef%bc%8f', '%00', '~', '*', 'CON', '/'],
];

/** Broken requests of every kind. None may be accepted, although each carries the right key. */
function brokenRequests(known: KnownToSender): fc.Arbitrary<BrokenRequest> {
  const { host, projectId, jobId, key } = known;
  const jobs = `/v2/agent/${projectId}/job`;
  const right = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n`;
  const json = `${right}Content-Type: application/json\r\n`;
  const hidden = `POST /local/shutdown HTTP/1.1\r\n${right}Content-Length: 0\r\n\r\n`;
  const noise = fc.uint8Array({ minLength: 1, maxLength: 600 }).map((each) => Buffer.from(each));
  const word = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 30 });
  const of = (kind: string, text: fc.Arbitrary<string>): fc.Arbitrary<BrokenRequest> =>
    text.map((each) => ({ kind, pieces: [bytes(each)] }));

  const requestLine = fc
    .tuple(fc.constantFrom('GET', 'get', 'G\0T', '', ' POST', 'POST\t', 'PRI', 'CONNECT', 'BREW'), word, word)
    .chain(([verb, target, version]) =>
      fc.constantFrom(
        ...[`${verb} ${target} HTTP/1.1`, `${verb} ${jobs} HTTP/9.9`, `${verb} ${jobs} ${version}`, `${verb}  ${jobs}`],
        ...[
          `${verb} http://evil.example${jobs} HTTP/1.1`,
          `${verb} //evil.example${jobs} HTTP/1.1`,
          `${verb} * HTTP/1.1`,
        ],
      ),
    );
  const path = fc
    .tuple(
      fc.array(fc.constantFrom(...CLIMBS), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('/', '\\', '%2f', '%5C'),
    )
    .map(([climbs, between]) => [...climbs, 'etc', 'passwd'].join(between))
    .chain((climb) =>
      fc.constantFrom(
        ...[`/${climb}`, `/v2/agent/${climb}/job/${jobId}`, `${jobs}/${climb}`, `${jobs}/${jobId}/${climb}`],
        ...[`/review/${climb}/x`, `/review/${jobId}/${climb}`, `/local/${climb}`],
      ),
    );
  const lengths = fc.constantFrom(
    ...['Content-Length: 5\r\nContent-Length: 6', 'Content-Length: 5, 6', 'Content-Length: -1', 'Content-Length: 0x10'],
    ...[
      'Content-Length: 99999999999999999999',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Content-Length : 5',
    ],
    ...['Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding:\x0bchunked'],
    ...[
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip',
      ' Transfer-Encoding: chunked',
      'X: y\r\n z\r\n folded',
    ],
    ...['Content-Length: \r\n', 'Content-Length: +5'],
  );
  const chunks = fc.constantFrom(
    ...['zz\r\n', '-1\r\n', 'ffffffffffffffffff\r\n', '5\r\nabcdefgh\r\n0\r\n\r\n', '5;ext="\r\nabcde\r\n', '\r\n\r\n'],
    ...['0x5\r\nabcde\r\n0\r\n\r\n', '5 \r\n', `5;${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`],
  );
  const chunked = chunks.map((each) => `POST ${jobs} HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n${each}`);
  const header = fc.tuple(
    fc.constantFrom('X', 'Cookie', 'Host', 'X\0', 'X Y', 'Ünï', ''),
    fc.integer({ min: 0, max: 20_000 }),
  );
  const headers = fc
    .array(header, { minLength: 1, maxLength: 60 })
    .map((all) => all.map(([name, length]) => `${name}: ${'h'.repeat(length)}\r\n`).join(''));
  const many = fc.integer({ min: 400, max: 4_000 }).map((count) => 'a:\r\n'.repeat(count));
  const body = fc.constantFrom(
    '{"prompt":',
    '{"prompt":""}',
    '[]',
    '{"__proto__":{"prompt":"x"}}',
    '"x"',
    '[['.repeat(9_000),
  );

  return fc.oneof(
    of(
      'request line',
      requestLine.map((line) => `${line}\r\n${right}Connection: close\r\n\r\n`),
    ),
    of(
      'path',
      path.map((each) => `GET ${each} HTTP/1.1\r\n${right}Connection: close\r\n\r\n`),
    ),
    of(
      'smuggled',
      lengths.map((each) => `POST ${jobs} HTTP/1.1\r\n${json}${each}\r\n\r\n0\r\n\r\n${hidden}`),
    ),
    of(
      'chunks',
      fc.oneof(
        chunked,
        chunked.map((each) => `${each}${hidden}`),
      ),
    ),
    of(
      'headers',
      fc.oneof(headers, many).map((all) => `GET ${jobs} HTTP/1.1\r\nHost: x\r\n${all}\r\n`),
    ),
    of(
      'body',
      body.map(
        (each) => `POST ${jobs} HTTP/1.1\r\n${json}Content-Length: ${each.length}\r\nConnection: close\r\n\r\n${each}`,
      ),
    ),
    of(
      'half body',
      body.map((each) => `POST ${jobs} HTTP/1.1\r\n${json}Content-Length: 70000\r\n\r\n${each}`),
    ),
    of(
      'too large',
      fc.constant(`POST ${jobs} HTTP/1.1\r\n${json}Content-Length: 1048577\r\n\r\n${'x'.repeat(70_000)}`),
    ),
    of(
      'no request',
      fc.constantFrom('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01', '\r\n\r\n\r\n', 'GET\r\n'),
    ),
    noise.map((each) => ({ kind: 'noise', pieces: [each] })),
    fc.tuple(noise, noise).map(([a, b]) => ({ kind: 'noise', pieces: [bytes('POST '), a, bytes(`\r\n${right}`), b] })),
  );
}
