import type { Figure } from './figures';
import { inService } from './service/inService';

/** One benchmark: what `npm run bench -- <name>` measures. */
export interface Benchmark {
  name: string;
  /** What stands above its table; neighbours with the same title share one. */
  title: string;
  /** Resolves to its figures, and to what one has to know of how they were measured; the product is built before. */
  measure: (rounds: number) => Promise<{ figures: readonly Figure[]; about?: string }>;
}

/** All of them, in the order in which they run and stand in the README. */
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
  { name: 'polls', title: 'Polling', measure: inService('polls') },
  ...['requests', 'jobs', 'restart', 'stored', 'memory'].map((name) => ({
    name,
    title: 'Local service',
    measure: inService(name),
  })),
];
