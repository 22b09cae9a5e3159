// `npm run bench` runs this with a Node that has SQLite. Arguments: the name of a benchmark, the rounds, and the file
// for the figures.
import { writeFile } from 'node:fs/promises';
import type { Figure } from '../figures';

const [name = '', rounds = '7', result = ''] = process.argv.slice(2);
process.env['DOCS_AGENT_TEST_NODE'] = process.execPath;

const benchmarks: Record<string, (rounds: number) => Promise<Figure[]>> = {
  requests: async (count) => (await import('./requests')).measureRequests(count),
  jobs: async (count) => (await import('./jobs')).measureJobs(count),
  restart: async (count) => (await import('./restart')).measureRestart(count),
  stored: async (count) => (await import('./stored')).measureStored(count),
  polls: async (count) => (await import('../polling/clientPolls')).measureClientPolls(count),
  teamRequests: async (count) => (await import('./team')).measureTeamRequests(count),
  teamWorkers: async (count) => (await import('./team')).measureTeamWorkers(count),
  memory: async () => (await import('./memory')).measureMemory(),
};

await writeFile(result, JSON.stringify((await benchmarks[name]?.(Number(rounds))) ?? []));
