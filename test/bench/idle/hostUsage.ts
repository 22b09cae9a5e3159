import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExtensionHost } from '../../support/vscode/extensionHosts';

/** Linux counts processor time in hundredths of a second; this is one tick in milliseconds. */
const TICK_MS = 10;

interface UsageSample {
  cpuMs: number;
  /** Number of voluntary context switches, which is how often the process woke up. */
  wakes: number;
  descriptors: number;
}

/** What an extension host used over some time. */
export interface HostUsage {
  /** Processor time, in percent of one core. */
  percent: number;
  wakesPerMinute: number;
  descriptors: number;
}

/** Measures all hosts over this many milliseconds. */
export async function measureUsage<T extends readonly ExtensionHost[]>(
  hosts: T,
  ms: number,
): Promise<{ [K in keyof T]: HostUsage }> {
  const before = await Promise.all(hosts.map(sampleUsage));
  const start = performance.now();
  await delay(ms);
  const took = performance.now() - start;
  const found = hosts.map(async (host, index): Promise<HostUsage> => {
    const look = await sampleUsage(host);
    const first = before[index] ?? look;
    return {
      percent: (100 * (look.cpuMs - first.cpuMs)) / took,
      wakesPerMinute: Math.round((60_000 * (look.wakes - first.wakes)) / took),
      descriptors: look.descriptors,
    };
  });
  return (await Promise.all(found)) as { [K in keyof T]: HostUsage };
}

async function sampleUsage({ facts }: ExtensionHost): Promise<UsageSample> {
  const folder = `/proc/${facts.pid}`;
  // The program name, in parentheses, may contain spaces. User and system time are fields 14 and 15 (proc(5)).
  const times = (await readFile(join(folder, 'stat'), 'utf8')).split(') ')[1]?.split(' ') ?? [];
  const status = await readFile(join(folder, 'status'), 'utf8');
  return {
    cpuMs: (Number(times[11]) + Number(times[12])) * TICK_MS,
    wakes: Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1]),
    descriptors: (await readdir(join(folder, 'fd'))).length,
  };
}
