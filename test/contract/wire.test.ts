import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Agent, request } from 'undici';
import { type LocalBench, localBench } from './contractBench';

/** Requests that the client would never send: the local service's own rules for HTTP. */
describe('local service, on the wire', function () {
  let bench: LocalBench;
  let dispatcher: Agent;
  before(async () => {
    bench = await localBench();
    dispatcher = new Agent();
  });
  after(async () => {
    await dispatcher.close();
    await bench.close();
  });

  interface Sent {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string | Buffer | AsyncIterable<Buffer> | null;
  }

  const jobs = () => `/v2/agent/${bench.target.projectId}/job`;
  const right = () => ({ authorization: `Bearer ${bench.target.apiKey}`, 'content-type': 'application/json' });

  async function send({ method = 'POST', path = jobs(), headers = right(), body = null }: Sent) {
    const url = new URL(bench.target.baseUrl);
    const options = { method: method as 'POST', headers, body: body as string | null, dispatcher };
    const answer = await request(`${url.origin}${path}`, options);
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  async function refused(sent: Sent, status: number) {
    const answer = await send(sent);
    assert.equal(answer.status, status, answer.text);
    const body = JSON.parse(answer.text) as { error: unknown };
    assert.deepEqual(Object.keys(body), ['error']);
    assert.ok(typeof body.error === 'string' && body.error !== '');
    return answer;
  }

  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(right()).filter(([key]) => key !== name));
  const prompt = JSON.stringify({ prompt: 'Look round [scripted: change nothing]' });

  it('requires a key everywhere, even for unknown routes', async () => {
    const wrong = [
      without('authorization'),
      { ...right(), authorization: bench.target.apiKey },
      { ...right(), authorization: 'Bearer ' },
      { ...right(), authorization: `Basic ${bench.target.apiKey}` },
      { ...right(), authorization: `Bearer ${bench.target.apiKey}0` },
    ];
    for (const headers of wrong) {
      for (const path of [jobs(), '/', '/v2', '/v2/agent/x/nothing', '/local/projects', '/local/shutdown']) {
        await refused({ path, headers, body: prompt }, 401);
      }
    }
  });

  it('answers 405 with the allowed methods', async () => {
    const cases: [string, string, string][] = [
      ['GET', jobs(), 'POST'],
      ['DELETE', jobs(), 'POST'],
      ['POST', `${jobs()}/x`, 'GET, HEAD'],
      ['PUT', `${jobs()}/x`, 'GET, HEAD'],
      ['GET', `${jobs()}/x/message`, 'POST'],
      ['GET', '/local/projects', 'PUT'],
      ['GET', '/local/shutdown', 'POST'],
      ['POST', `/review/x/y`, 'GET, HEAD'],
    ];
    for (const [method, path, allow] of cases) {
      assert.equal((await refused({ method, path }, 405)).headers['allow'], allow);
    }
    const more = [`${jobs()}s`, ...['events', 'cancel', 'archive'].map((name) => `${jobs()}/x/${name}`)];
    const local = ['agents', 'storage', 'tokens', `projects/${bench.target.projectId}/settings`];
    for (const path of [...more, ...local.map((name) => `/local/${name}`)]) {
      await refused({ method: 'PATCH', path }, 405);
    }
  });

  it('answers 415 to every other content type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      await refused({ headers: { ...right(), 'content-type': type }, body: prompt }, 415);
    }
    await refused({ headers: without('content-type'), body: Buffer.from(prompt) }, 415);
  });

  it('answers 413 above 1 MiB, with or without a content length, and keeps serving', async () => {
    const large = Buffer.alloc(1024 * 1024 + 1, 0x20);
    await refused({ body: large }, 413);
    await refused(
      {
        body: (async function* () {
          yield large;
        })(),
      },
      413,
    );
    const exactly = Buffer.concat([Buffer.from(prompt), Buffer.alloc(1024 * 1024 - Buffer.byteLength(prompt), 0x20)]);
    assert.equal((await send({ body: exactly })).status, 201);
  });

  it('answers 400 to a body that is not an object with a prompt', async () => {
    const bodies = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '{}',
      '{"prompt":""}',
      '{"prompt":1}',
      '{"prompt":null}',
      '[{"prompt":"x"}]',
    ];
    for (const body of [...bodies, Buffer.from('{"prompt":"\xff"}', 'latin1')]) {
      await refused({ body }, 400);
    }
  });

  it('answers 400 to a prompt or a follow-up that has no visible character', async () => {
    const { id } = await bench.client.createJob(bench.target, '[scripted: change nothing]');
    for (const blank of ['', ' \n\t', '\u00a0\u3000', '\u200b\ufeff\u2060', '\u2800']) {
      for (const path of [jobs(), `${jobs()}/${id}/message`]) {
        const { text } = await refused({ path, body: JSON.stringify({ prompt: blank }) }, 400);
        assert.match(text, /Wrong: “prompt”\. It has no visible character\./);
      }
    }
  });

  it('checks host, page, key, method, project, content type, size and body in this order', async () => {
    const host = { host: 'evil.example' };
    const page = { origin: 'https://evil.example' };
    const other = { authorization: `Bearer ${bench.service.otherKey}` };
    const type = { 'content-type': 'text/plain' };
    const large = Buffer.alloc(1024 * 1024 + 1);
    await refused({ headers: { ...host } }, 403);
    await refused({ headers: { ...page } }, 403);
    await refused({ method: 'DELETE', headers: {} }, 401);
    await refused({ method: 'DELETE', headers: { ...other, ...type }, body: large }, 405);
    await refused({ headers: { ...other, ...type }, body: large }, 403);
    await refused({ headers: { ...right(), ...type }, body: large }, 415);
    await refused({ headers: right(), body: large }, 413);
  });

  it('rejects invalid ids', async () => {
    const ids = [
      '.',
      '..',
      '%2e%2e',
      '%2e%2e%2f',
      '%00',
      'a%2Fb',
      'a%5Cb',
      '%zz',
      '%',
      '%F0%9F',
      'x'.repeat(65),
      '~',
      '',
    ];
    for (const id of ids) {
      await refusedRaw(`GET ${jobs()}/${id} HTTP/1.1`);
      await refusedRaw(`GET /v2/agent/${id}/job/x HTTP/1.1`);
      await refusedRaw(`GET /review/${id}/${id} HTTP/1.1`);
    }
    // This isn't HTTP, so Node answers it.
    const answer = await raw(`GET ${jobs()}/ä HTTP/1.1\r\nHost: 127.0.0.1:${bench.service.port}\r\n\r\n`);
    assert.equal(answer, 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });

  it('accepts a POST without a body where the body is optional, whatever its content type', async () => {
    const { id } = await bench.client.createJob(bench.target, '[scripted: change nothing]');
    await bench.ended(id);
    const post = (more: string, body = '') => {
      const host = `Host: 127.0.0.1:${bench.service.port}\r\nAuthorization: Bearer ${bench.target.apiKey}`;
      const head = `POST ${jobs()}/${id}/archive HTTP/1.1\r\n${host}\r\nConnection: close`;
      return raw(`${head}${more}\r\n\r\n${body}`, { silenceMs: 30_000, staysOpen: true });
    };
    assert.match(await post(''), /^HTTP\/1\.1 200 /);
    assert.match(await post('\r\nContent-Type: text/plain'), /^HTTP\/1\.1 200 /);
    assert.match(await post('\r\nContent-Type: application/json'), /^HTTP\/1\.1 200 /);
    assert.match(await post('\r\nContent-Length: 2', '{}'), /^HTTP\/1\.1 415 /);
    assert.match(await post('\r\nTransfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'), /^HTTP\/1\.1 415 /);
  });

  it('rejects headers above 16 KiB', async () => {
    const answer = await send({ headers: { ...right(), 'x-filler': 'x'.repeat(17_000) }, body: prompt });
    assert.equal(answer.status, 431);
  });

  async function refusedRaw(requestLine: string): Promise<void> {
    const head = [requestLine, `Host: 127.0.0.1:${bench.service.port}`, `Authorization: Bearer ${bench.target.apiKey}`];
    const answer = await raw(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 (404|400) /, requestLine);
    assert.match(answer, /\{"error":"[^"]+"\}$/);
  }

  /**
   * Sends bytes and returns everything received until the service closes the connection or stays silent for this long.
   */
  function raw(text: string, { silenceMs = 4_000, staysOpen = false } = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const bytes = Buffer.from(text, 'latin1');
      const send = (): unknown => (staysOpen ? socket.write(bytes) : socket.end(bytes));
      const socket = connect(bench.service.port, '127.0.0.1', send);
      socket.setTimeout(silenceMs, () => socket.destroy());
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
      socket.on('close', () => resolve(answer));
      socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
    });
  }
});
