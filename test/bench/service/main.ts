// Run by `npm run bench` with a Node that has SQLite.
import { parseArgs } from 'node:util';
import type { Comparison } from './comparison';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '7' } },
});
process.env['DOCS_AGENT_TEST_NODE'] = process.execPath;

const rounds = Number(values.rounds);
const benchmarks: Record<string, () => Promise<readonly Comparison[]>> = {
  requests: async () => (await import('./requests')).measureRequests(rounds),
  jobs: async () => (await import('./jobs')).measureJobs(rounds),
  restart: async () => (await import('./restart')).measureRestart(rounds),
  stored: async () => (await import('./stored')).measureStored(rounds),
  memory: async () => (await import('./memory')).measureMemory(),
};

process.stdout.write('| local service | | against | | ratio |\n| --- | --: | --- | --: | --: |\n');
for (const name of positionals) {
  for (const { what, ours, floor, theirs, unit } of (await benchmarks[name]?.()) ?? []) {
    const cells = [
      what,
      `${ours.toFixed(1)} ${unit}`,
      floor,
      `${theirs.toFixed(1)} ${unit}`,
      (ours / theirs).toFixed(1),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
