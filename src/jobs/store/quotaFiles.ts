import { createHash } from 'node:crypto';
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../../base/async';
import { makePrivateFolder, removeFile } from '../../base/files';
import type { QuotaLedger } from '../ports';
import { claim } from './writeDurably';

/** Maximum clock difference between two machines that share a home folder, in milliseconds. */
const SKEW_MS = 300_000;

/** Slot and generation: `17-3` is the fourth request that was given slot 17. */
const CLAIM = /^(\d{1,4})-(\d+)$/;

/**
 * A fixed number of slots, each a chain of exclusively created empty files: the next link may be created an hour after
 * the previous one. So no rolling hour has more requests than there are slots, however many windows take them at once.
 */
export class QuotaFiles implements QuotaLedger {
  constructor(
    private readonly root: string,
    /** Requests per hour (service-api.md: 100 per project and operation). */
    readonly size = 100,
  ) {}

  async acquire(name: string, now: number): Promise<{ place: string } | { waitMs: number }> {
    const folder = this.folder(name);
    await makePrivateFolder(folder);
    for (;;) {
      const newest = await newestClaims(folder);
      let waitMs = HOUR_MS;
      for (let index = 0; index < this.size; index++) {
        const generation = newest.get(index);
        const wait = generation === undefined ? 0 : await waitFor(folder, index, generation, now);
        waitMs = Math.min(waitMs, wait);
        if (wait === 0) {
          const place = `${index}-${generation === undefined ? 0 : generation + 1}`;
          if (await claimAt(folder, place, now)) {
            await forget(folder, index, generation);
            return { place };
          }
        }
      }
      if (waitMs > 0) {
        return { waitMs };
      }
    }
  }

  /** Returns the number of free slots and the milliseconds until one more is free; 0 if none is taken. */
  async peek(name: string, now: number): Promise<{ left: number; nextMs: number }> {
    const folder = this.folder(name);
    const newest = await newestClaims(folder).catch(() => new Map<number, number>());
    const claims = [...newest].map(([index, generation]) => waitFor(folder, index, generation, now));
    const waits = (await Promise.all(claims)).filter((wait) => wait > 0);
    return { left: this.size - waits.length, nextMs: waits.length === 0 ? 0 : Math.min(...waits) };
  }

  async release(name: string, place: string): Promise<void> {
    await removeFile(join(this.folder(name), place));
  }

  private folder(name: string): string {
    return join(this.root, createHash('sha256').update(name).digest('hex').slice(0, 32));
  }
}

async function claimAt(folder: string, place: string, now: number): Promise<boolean> {
  const won = await claim(folder, place);
  if (won) {
    const at = new Date(now);
    await utimes(join(folder, place), at, at);
  }
  return won;
}

async function newestClaims(folder: string): Promise<Map<number, number>> {
  const newest = new Map<number, number>();
  for (const name of await readdir(folder)) {
    const [, index, generation] = CLAIM.exec(name) ?? [];
    if (index !== undefined && generation !== undefined) {
      newest.set(Number(index), Math.max(newest.get(Number(index)) ?? 0, Number(generation)));
    }
  }
  return newest;
}

/**
 * Returns the milliseconds until a claim is an hour old. A claim far in the future comes from a clock that was set back
 * since, and does not count: if that is wrong, the service's own limit applies.
 */
async function waitFor(folder: string, index: number, generation: number, now: number): Promise<number> {
  const claimed = await stat(join(folder, `${index}-${generation}`)).catch(() => undefined);
  const age = claimed === undefined ? HOUR_MS : now - claimed.mtimeMs;
  return age < -SKEW_MS ? 0 : Math.max(0, HOUR_MS - age);
}

/** Removes the link before the given one, which is kept: a concurrent listing must see at least one link. */
async function forget(folder: string, index: number, generation: number | undefined): Promise<void> {
  if (generation !== undefined && generation > 0) {
    await removeFile(join(folder, `${index}-${generation - 1}`)).catch(() => undefined);
  }
}
