import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { maxLength } from '../base/lengthChecks';
import type { NameOnPage } from './collectNames';
import type { Coverage, Finding } from './finding';
import { findingSchema } from './process/checkOutput';

/** Increase this number when a check would now find something else in the same repository. */
const VERSION = 4;

const count = z.int().check(z.minimum(0));
const text = z.string().check(maxLength(1_000));

const REASONS = ['shallow', 'time', 'commits', 'files', 'size', 'not-utf8', 'submodule'] as const;

const schema = z.object({
  key: text,
  /** By path: the content of the page, how many names it has, and what was found. */
  pages: z.record(z.string(), z.tuple([text, count, z.array(findingSchema)])),
  /** Names that can't be gone: they are in the code, or were never removed from it. */
  settled: z.array(text),
  notChecked: z.array(z.object({ reason: z.enum(REASONS), count })),
});

type Saved = z.infer<typeof schema>;

/** Stores what a check found. It may lose that at any time. */
export interface CacheStore {
  load(): Promise<unknown>;
  save(value: unknown): Promise<void>;
}

/** What an earlier check of the same commits found with the same settings. */
export class GoneCache {
  private saved: Saved | undefined;
  private readonly settled: Set<string>;
  private readonly pages: Saved['pages'] = {};

  private constructor(
    private readonly store: CacheStore,
    private readonly key: string,
    saved: unknown,
  ) {
    const read = schema.safeParse(saved);
    this.saved = read.success && read.data.key === key ? read.data : undefined;
    this.settled = new Set(this.saved?.settled);
  }

  /** @param facts everything that the result depends on, besides the pages */
  static async open(store: CacheStore, facts: unknown): Promise<GoneCache> {
    return new GoneCache(store, digest(JSON.stringify([VERSION, facts])), await store.load());
  }

  /** What was found on this page, if its content is still the same. */
  page(path: string, content: Uint8Array): { names: number; findings: Finding[] } | undefined {
    const known =
      this.saved !== undefined && Object.hasOwn(this.saved.pages, path) ? this.saved.pages[path] : undefined;
    if (known?.[0] !== digest(content)) {
      return undefined;
    }
    this.pages[path] = known;
    return { names: known[1], findings: known[2] };
  }

  isSettled({ name: { kind, name } }: NameOnPage): boolean {
    return this.settled.has(`${kind} ${name}`);
  }

  /** What the saved check didn't look at. */
  get notChecked(): Coverage['notChecked'] {
    return this.saved?.notChecked ?? [];
  }

  keepPage(path: string, content: Uint8Array, names: number): void {
    this.pages[path] = [digest(content), names, []];
  }

  keepFinding(found: Finding): void {
    if (Object.hasOwn(this.pages, found.place.path)) {
      this.pages[found.place.path]?.[2].push(found);
    }
  }

  settle({ name: { kind, name } }: NameOnPage): void {
    this.settled.add(`${kind} ${name}`);
  }

  /** A check that ran out of time may find more next time, so its result is not saved. */
  async save({ notChecked }: Coverage): Promise<void> {
    if (!notChecked.some(({ reason }) => reason === 'time')) {
      const { key, pages } = this;
      await this.store.save({ key, pages, settled: [...this.settled], notChecked } satisfies Saved);
    }
  }
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
