import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/vscode/browser';
import type { ExtensionHost } from '../support/vscode/extensionHosts';
import { type ServerOptions, VsCodeServer } from '../support/vscode/server';
import { Workbench } from '../support/vscode/workbench';

/** The editor's repeated search for listening ports blocks the host for longer than what is measured here. */
const QUIET = { 'remote.autoForwardPortsSource': 'output' };

/** What some work cost the extension host, in milliseconds. */
export interface HostCost {
  took: number;
  /** Processor time of the whole process. */
  processor: number;
  /** The longest time that the thread was blocked. */
  longest: number;
}

/** Calls `work` with a browser and closes it afterward. */
export async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await launchBrowser();
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a window of a new server on a folder and calls `work` when the window has had this long to come to rest. */
export async function inWindow<T>(
  browser: Browser,
  folder: string,
  { settleMs, ...options }: ServerOptions & { settleMs: number; prepare?: (server: VsCodeServer) => Promise<unknown> },
  work: (workbench: Workbench) => Promise<T>,
): Promise<T> {
  const server = await VsCodeServer.start({ ...options, settings: { ...QUIET, ...options.settings } });
  try {
    await options.prepare?.(server);
    const profile = await Workbench.newProfile(browser);
    const workbench = await Workbench.open(profile, server, { folder });
    await delay(settleMs);
    const result = await work(workbench);
    await profile.close();
    return result;
  } finally {
    await server.stop();
  }
}

/** Measures what happens in the host while `work` runs. */
export async function watch(host: ExtensionHost, work: () => Promise<unknown>): Promise<HostCost> {
  await host.run(() => {
    // One sample per millisecond: any longer delay is a task that blocked the thread.
    const delays = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    Object.assign(globalThis, { docsAgentWatch: { delays, before: process.cpuUsage(), start: performance.now() } });
  });
  await work();
  return host.run(() => {
    const { delays, before, start } = (
      globalThis as unknown as {
        docsAgentWatch: {
          delays: import('node:perf_hooks').IntervalHistogram;
          before: NodeJS.CpuUsage;
          start: number;
        };
      }
    ).docsAgentWatch;
    delays.disable();
    const { user, system } = process.cpuUsage(before);
    return { took: performance.now() - start, processor: (user + system) / 1000, longest: delays.max / 1e6 };
  });
}

export type Unit = 'ms' | 's' | 'KiB' | 'MiB';

/** What was measured, lower being better. A single number counts as one measurement. */
export interface Row {
  name: string;
  unit: Unit;
  measured: readonly number[] | number;
  baseline?: { name: string; measured: readonly number[] | number };
  /** What the median must not exceed. */
  maxMedian?: number;
  /** What the ratio must not exceed. */
  maxRatio?: number;
}

export interface Benchmark {
  title: string;
  rows: readonly Row[];
  /** How it was measured. */
  about: string;
}

const HEAD = ['Measured', 'Result', 'Compared with', 'Baseline', 'Ratio', 'Target'];
const RULE = ['---', '--:', '---', '--:', '--:', '--:'];

/** The section of the page for a benchmark. */
export function section({ title, rows, about }: Benchmark, circumstances: string): string {
  const lines = [HEAD, RULE, ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`);
  return `## ${title}\n\n${lines.join('\n')}\n\n${about} ${circumstances}.\n`;
}

function cellsOf({ name, unit, measured, baseline, maxMedian, maxRatio }: Row): string[] {
  const ours = statistics(measured);
  const theirs = baseline === undefined ? undefined : statistics(baseline.measured);
  const ratio = theirs === undefined ? undefined : ours.best / theirs.best;
  const isMissed = ours.median > (maxMedian ?? Infinity) || (ratio ?? 0) > (maxRatio ?? Infinity);
  const target = [
    ...(maxMedian === undefined ? [] : [`≤ ${number(maxMedian)} ${unit}`]),
    ...(maxRatio === undefined ? [] : [`ratio ≤ ${number(maxRatio)}`]),
  ].join(', ');
  return [
    name,
    resultText(ours, unit),
    baseline?.name ?? '',
    theirs === undefined ? '' : resultText(theirs, unit),
    ratio === undefined ? '' : number(ratio),
    isMissed ? `${target} ✗` : target,
  ];
}

function statistics(measured: readonly number[] | number): { best: number; median: number } {
  const sorted = [measured].flat().toSorted((a, b) => a - b);
  return { best: sorted[0] ?? NaN, median: sorted[Math.floor(sorted.length / 2)] ?? NaN };
}

function resultText({ best, median }: { best: number; median: number }, unit: Unit): string {
  return [...new Set([number(best), number(median)])].join(' / ') + ` ${unit}`;
}

/** Three significant digits, at most two decimals. */
function number(value: number): string {
  const digits = Math.min(2, Math.max(0, 2 - Math.floor(Math.log10(Math.max(1e-9, Math.abs(value))))));
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
