import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { Pool } from 'undici';
import { systemClock } from '../../../src/base/async';
import { AgentClient } from '../../../src/client';
import { type Figure, figure } from '../figures';

const SERVER = fileURLToPath(new URL('./bareJobs.mjs', import.meta.url));
const POLLS = 1000;

/** The poller's limit of concurrent requests. */
const AT_ONCE = 4;

/**
 * Measures what the client itself costs for a thousand polls at full speed, compared with undici alone over as many
 * connections.
 */
export async function measureClientPolls(rounds: number): Promise<Figure[]> {
  const server = spawn(process.execPath, [SERVER], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  const baseUrl = `http://127.0.0.1:${port.toString().trim()}`;
  const client = new AgentClient({ clock: systemClock, random: Math.random });
  const pool = new Pool(baseUrl, { connections: AT_ONCE });
  const target = { baseUrl, projectId: 'p', apiKey: 'none' };
  const ours = (id: string): Promise<unknown> => client.retrieveJob(target, id, { attempts: 1 });
  const bare = async (id: string): Promise<unknown> =>
    (await pool.request({ method: 'GET', path: `/v2/agent/p/job/${id}` })).body.json();
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  try {
    await pollAll(ours);
    await pollAll(bare);
    for (let round = 0; round < rounds; round += 1) {
      times.ours.push(await pollAll(ours));
      times.bare.push(await pollAll(bare));
    }
  } finally {
    await Promise.all([client.dispose(), pool.close()]);
    server.kill();
  }
  const name = `${POLLS.toLocaleString('en')} polls, ${AT_ONCE} at once, unpaced`;
  return [figure({ name, unit: 'ms', ours: times.ours, peer: { name: 'undici alone', measured: times.bare } })];
}

async function pollAll(poll: (id: string) => Promise<unknown>): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const start = performance.now();
  await Promise.all(Array.from({ length: POLLS }, (_, index) => limit(() => poll(`j${index}`))));
  return performance.now() - start;
}
