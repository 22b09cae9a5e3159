import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../support/serviceProcess';
import { sampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { type Figure, figure } from '../figures';
import { timed } from './timed';

const BARE = fileURLToPath(new URL('./bareServer.mjs', import.meta.url));
const A_ROUND = 40;

/** Sends one request over a connection that stays open; resolves with the decoded response. */
export type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ id: string | number }>;

/** Sends requests to a server on this machine. Rejects if the status is above 299. */
export function asker(port: number, headers: Record<string, string> = {}): Ask & { close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask: Ask = (method, path, body) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...content } });
      sent.on('error', reject).on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => {
          if ((answer.statusCode ?? 500) > 299) {
            reject(new Error(`${String(answer.statusCode)} ${text}`));
          } else {
            resolve(JSON.parse(text) as { id: string | number });
          }
        });
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return Object.assign(ask, { close: () => agent.destroy() });
}

/** Measures creating and reading a job while two agents are at work and further jobs wait. */
export async function measureRequests(rounds: number): Promise<Figure[]> {
  const repo = await sampleRepository();
  const service = await startService({ repo, agentCommand: ['sleep', '600'], rateLimit: 1_000_000 });
  const bare = spawn(process.execPath, [BARE, join(await temporaryFolder(), 'bare.db')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [port] = (await once(bare.stdout, 'data')) as [Buffer];
  const ours = asker(service.port, { authorization: `Bearer ${service.key}` });
  const theirs = asker(Number(port.toString()));
  const jobs = `/v2/agent/${service.projectId}/job`;
  try {
    const prompt = { prompt: 'Document the retry policy' };
    const first = await ours('POST', jobs, prompt);
    const other = await theirs('POST', '/', prompt);
    const times: Record<'create' | 'bareCreate' | 'get' | 'bareGet', number[]> = {
      create: [],
      bareCreate: [],
      get: [],
      bareGet: [],
    };
    // Alternates, so that other load on the machine affects both equally.
    for (let round = 0; round < rounds; round++) {
      times.create.push(...(await timed(A_ROUND, () => ours('POST', jobs, prompt))));
      times.bareCreate.push(...(await timed(A_ROUND, () => theirs('POST', '/', prompt))));
      times.get.push(...(await timed(A_ROUND, () => ours('GET', `${jobs}/${first.id}`))));
      times.bareGet.push(...(await timed(A_ROUND, () => theirs('GET', `/${other.id}`))));
    }
    const create = 'create (asks Git for the commit and URL first)';
    const writes = { name: 'a bare server that writes one row of SQLite', measured: times.bareCreate };
    const reads = { name: 'the same, reading the row', measured: times.bareGet };
    return [
      figure({ name: create, unit: 'ms', ours: times.create, peer: writes }),
      figure({ name: 'get a job', unit: 'ms', ours: times.get, peer: reads }),
    ];
  } finally {
    ours.close();
    theirs.close();
    bare.kill();
    await service.stop();
  }
}
