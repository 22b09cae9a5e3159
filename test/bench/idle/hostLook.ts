import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExtensionHost } from '../../support/vscode/extensionHosts';

/** The processor time of Linux comes in hundredths of a second. */
const TICK_MS = 10;

interface Look {
  cpuMs: number;
  /** How often the process was woken. */
  wakes: number;
  descriptors: number;
}

/** What was found of an extension host after some time. */
export interface Found {
  /** Processor time as a share of one core. */
  percent: number;
  wakesPerMinute: number;
  descriptors: number;
}

/** Looks at all hosts at the beginning and at the end of so many milliseconds. */
export async function watch<T extends readonly ExtensionHost[]>(
  hosts: T,
  ms: number,
): Promise<{ [K in keyof T]: Found }> {
  const before = await Promise.all(hosts.map(lookAt));
  const start = performance.now();
  await delay(ms);
  const took = performance.now() - start;
  const found = hosts.map(async (host, index): Promise<Found> => {
    const look = await lookAt(host);
    const first = before[index] ?? look;
    return {
      percent: (100 * (look.cpuMs - first.cpuMs)) / took,
      wakesPerMinute: Math.round((60_000 * (look.wakes - first.wakes)) / took),
      descriptors: look.descriptors,
    };
  });
  return (await Promise.all(found)) as { [K in keyof T]: Found };
}

async function lookAt({ facts }: ExtensionHost): Promise<Look> {
  const folder = `/proc/${facts.pid}`;
  // The name of the program, in brackets, may hold blanks; user and system time are the 14th and 15th field.
  const times = (await readFile(join(folder, 'stat'), 'utf8')).split(') ')[1]?.split(' ') ?? [];
  const status = await readFile(join(folder, 'status'), 'utf8');
  return {
    cpuMs: (Number(times[11]) + Number(times[12])) * TICK_MS,
    wakes: Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1]),
    descriptors: (await readdir(join(folder, 'fd'))).length,
  };
}
