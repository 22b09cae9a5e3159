import { readFile } from 'node:fs/promises';
import { decodeJson } from '../../base/json';

const STATES = ['open', 'merged', 'closed'] as const;

/** The state of a pull request. */
export type PullRequestState = (typeof STATES)[number];

/** What is cached about a pull request, or about a local job's work. */
export interface KnownState {
  state?: PullRequestState | undefined;
  etag?: string | undefined;
  /** When it was last queried: wall time in milliseconds. */
  at: number;
}

/** Reads the cached states by link or key. Another build may have written the file in any shape. */
export async function readKnownStates(file: string): Promise<[string, KnownState][]> {
  const value = decodeJson(await readFile(file, 'utf8').catch(() => '{}'));
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return entries.flatMap<[string, KnownState]>(([link, known]) => {
    const { state, etag, at } = (known ?? {}) as Record<string, unknown>;
    const found = STATES.find((each) => each === state);
    return typeof at === 'number'
      ? [[link, { state: found, at, etag: typeof etag === 'string' ? etag : undefined }]]
      : [];
  });
}
