import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { localBench } from '../../contract/contractBench';
import { type Figure, figure } from '../figures';

/** How long the process rests before its memory is read, in milliseconds. */
const REST_MS = 5000;

/**
 * Measures the memory of the service at rest after a job, compared with a Node process that does nothing. Linux only.
 */
export async function measureMemory(): Promise<Figure[]> {
  const bench = await localBench();
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)'], { stdio: 'ignore' });
  try {
    const { id } = await bench.client.createJob(bench.target, 'Document the retry policy');
    await bench.ended(id);
    await delay(REST_MS);
    const [ours, theirs] = [await residentMiB(bench.service.pid), await residentMiB(bare.pid ?? 0)];
    const peer = { name: 'an idle Node.js process', measured: theirs };
    return [figure({ name: 'memory at rest, after a job', unit: 'MiB', ours, peer })];
  } finally {
    bare.kill();
    await bench.close();
  }
}

async function residentMiB(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
}
