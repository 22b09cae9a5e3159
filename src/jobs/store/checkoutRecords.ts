import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { removeFile, replaceFile } from '../../base/files';
import { decodeJson } from '../../base/json';

const checkoutSchema = z.object({
  /** The job's branch. */
  ref: z.string(),
  /** What was checked out before: a branch or a commit. */
  before: z.string(),
  /**
   * The step reached. The first two steps are only recorded while the checkout is in progress, or if it was
   * interrupted.
   */
  step: z.enum(['stashing', 'switching', 'there']),
  /** The message of the stash; undefined if nothing had to be stashed. */
  message: z.optional(z.string()),
  /** The stash, once it is created. */
  stash: z.optional(z.object({ commit: z.optional(z.string()), message: z.string(), hasIndex: z.boolean() })),
});

const recordSchema = z.extend(checkoutSchema, {
  version: z.literal(1),
  /** The root folder of the repository. */
  root: z.string(),
  /** The process that performs the checkout, and when it recorded this step. */
  by: z.optional(z.object({ pid: z.number(), at: z.number() })),
  /** Earlier checkouts that are not over either, newest first. Going back continues through them. */
  earlier: z.optional(z.array(checkoutSchema)),
});

/** Records that a job's branch was checked out in a repository, and what is needed to go back. */
export type CheckoutRecord = Omit<z.infer<typeof recordSchema>, 'version'>;

/** The longest a checkout takes, in milliseconds. After that, the process may have ended and its pid been reused. */
const MAX_CHECKOUT_MS = 10 * 60_000;

/** True while any window is in the middle of the checkout. A stash recorded in the first step is one that stays. */
export function isUnderWay({ step, stash, by }: CheckoutRecord): boolean {
  const isOver = step === 'there' || (step === 'stashing' && stash !== undefined);
  return !isOver && by !== undefined && Math.abs(Date.now() - by.at) < MAX_CHECKOUT_MS && isAlive(by.pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Stored on disk, one file per repository, because a window may close or crash at any step. */
export class CheckoutRecords {
  constructor(private readonly folder: string) {}

  async of(root: string): Promise<CheckoutRecord | undefined> {
    return (await this.all()).find((record) => record.root === root);
  }

  /** Unreadable records are skipped: git itself still has the branch and the stash. */
  async all(): Promise<CheckoutRecord[]> {
    const names = await readdir(this.folder).catch(() => []);
    const texts = names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFile(join(this.folder, name), 'utf8').catch(() => ''));
    return (await Promise.all(texts)).flatMap((text) => {
      const parsed = z.safeParse(recordSchema, decodeJson(text));
      return parsed.success ? [parsed.data] : [];
    });
  }

  async keep(record: CheckoutRecord): Promise<void> {
    await replaceFile(this.file(record.root), JSON.stringify({ ...record, version: 1 }));
  }

  /**
   * Ends the latest checkout, restoring the record of the one before it. Returns false if the record has changed in the
   * meantime.
   */
  async drop(record: CheckoutRecord): Promise<boolean> {
    const { root, earlier: [next, ...earlier] = [] } = record;
    const now = await this.of(root);
    if (now === undefined || contentOf(now) !== contentOf(record)) {
      return false;
    }
    await (next === undefined ? this.forget(root) : this.keep({ root, ...next, earlier }));
    return true;
  }

  async forget(root: string): Promise<void> {
    await removeFile(this.file(root));
  }

  private file(root: string): string {
    return join(this.folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.json`);
  }
}

function contentOf({ ref, before, step, message, stash, earlier = [] }: CheckoutRecord): string {
  return JSON.stringify([ref, before, step, message, stash, earlier]);
}
