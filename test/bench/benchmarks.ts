import type { Figure } from './figures';
import { inService } from './service/inService';

/** One benchmark: what `npm run bench -- <name>` measures. */
export interface Benchmark {
  name: string;
  /** The title of its table; consecutive benchmarks with the same title share a table. */
  title: string;
  /** Resolves with its figures and notes on how they were measured. The product must be built before. */
  measure: (rounds: number) => Promise<{ figures: readonly Figure[]; about?: string }>;
}

/** All benchmarks, in the order in which they run and are listed on the page. */
export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'extension',
    title: 'Start and size',
    measure: async (rounds) => (await import('./extension')).measureExtension(rounds),
  },
  {
    name: 'restore',
    title: 'The list after a restart',
    measure: async (rounds) => (await import('./restore/restore')).measureRestore(rounds),
  },
  { name: 'tree', title: 'A long list', measure: async (rounds) => (await import('./tree/tree')).measureTree(rounds) },
  { name: 'idle', title: 'At rest', measure: async () => (await import('./idle/idle')).measureIdle() },
  {
    name: 'changes',
    title: 'A prompt from a very large change',
    measure: async (rounds) => (await import('./prompt/changes')).measureChanges(rounds),
  },
  {
    name: 'jobPage',
    title: 'The pages of a job with a very large change',
    measure: async (rounds) => (await import('./jobPage/jobPage')).measureJobPage(rounds),
  },
  {
    name: 'checks',
    title: 'Checking the documentation',
    measure: async (rounds) => (await import('./checks/checks')).measureChecks(rounds),
  },
  {
    name: 'polls',
    title: 'Polling',
    measure: async (rounds) => ({
      ...(await inService('polls')(rounds)),
      about:
        'A running job is polled after 1.2·√(seconds since the prompt) seconds, at least 2 and at most 60: about 40 times in the first 10 minutes.',
    }),
  },
  ...['requests', 'jobs', 'restart', 'stored', 'memory'].map((name) => ({
    name,
    title: 'Local service',
    measure: inService(name),
  })),
  {
    name: 'teamRequests',
    title: 'Service for a team',
    measure: inService('teamRequests'),
  },
  {
    name: 'teamWorkers',
    title: 'Service for a team',
    measure: async (rounds) => ({
      ...(await inService('teamWorkers')(rounds)),
      about:
        'PostgreSQL is on the same machine and does not wait for the disk. The workers run one agent at a time, which ends at once; they share the processors with everything else.',
    }),
  },
];
