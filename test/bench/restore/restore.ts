import { join } from 'node:path';
import { build } from 'esbuild';
import { writeFinishedJobs } from '../../support/finishedJobs';
import { ensureNode } from '../../support/vscode/install';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked } from '../../support/vscode/run';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import { type Figure, figure } from '../figures';

/** The numbers of jobs on disk that are measured. */
const COUNTS = [2_000];

/** The maximum time to restore this many jobs and the maximum length of a single task, in milliseconds. */
const MAX_MS: Readonly<Record<number, number>> = { 2_000: 300 };
const MAX_TASK_MS = 50;

interface Once {
  jobs: number;
  tookMs: number;
  longestMs: number;
}

/**
 * Measures how long restoring the list takes after a restart: files as the product writes them, a fresh process each
 * time.
 */
export function measureRestore(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  return withTemporaryFolder(async (folder) => {
    const script = await bundle(folder);
    const figures: Figure[] = [];
    for (const jobs of COUNTS) {
      const root = join(folder, `jobs${jobs}`);
      await writeFinishedJobs(root, jobs);
      const ours: Once[] = [];
      const floor: Once[] = [];
      for (let round = 0; round < rounds; round++) {
        ours.push(await readOnce(script, root, 'ours', jobs));
        floor.push(await readOnce(script, root, 'floor', jobs));
      }
      figures.push(...compared(jobs, ours, floor));
    }
    const about = `4 records and 2 claims a job, in the file system’s cache; ${rounds} fresh processes.`;
    return { figures, about };
  });
}

function compared(jobs: number, ours: readonly Once[], floor: readonly Once[]): Figure[] {
  const what = `${jobs.toLocaleString('en')} jobs restored`;
  const peer = { name: 'only read and decoded', measured: floor.map(({ tookMs }) => tookMs) };
  const whole = { name: what, unit: 'ms', ours: ours.map(({ tookMs }) => tookMs), peer, by: 'best' } as const;
  const tasks = ours.map(({ longestMs }) => longestMs);
  return [
    figure({ ...whole, wanted: { of: 'median', most: MAX_MS[jobs] ?? NaN } }),
    figure({
      name: `${what}: longest task`,
      unit: 'ms',
      ours: tasks,
      by: 'best',
      wanted: { of: 'median', most: MAX_TASK_MS },
    }),
  ];
}

/** Bundles as the product is built, with chunks that are loaded on demand. */
async function bundle(folder: string): Promise<string> {
  const outdir = join(folder, 'built');
  await build({
    entryPoints: [join(checkoutRoot, 'test/bench/restore/once.ts')],
    entryNames: '[name]',
    outdir,
    bundle: true,
    minify: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
  return join(outdir, 'once.mjs');
}

async function readOnce(script: string, root: string, who: 'ours' | 'floor', jobs: number): Promise<Once> {
  const output = await runChecked(await ensureNode(), [script, root, who]);
  const once = JSON.parse(output) as Once;
  if (once.jobs !== jobs) {
    throw new Error(`${once.jobs} of ${jobs} jobs are back`);
  }
  return once;
}
