import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { decodeJson } from '../shared/util/decodeJson';
import { removeFile } from '../shared/util/durability';
import { replaceFile } from '../shared/util/replaceFile';

const recordSchema = z.object({
  version: z.literal(1),
  /** The folder of the repository. */
  root: z.string(),
  /** The job's branch. */
  ref: z.string(),
  /** What was checked out before: a branch, or a commit. */
  before: z.string(),
  /** How far it came. In the first two steps only while it goes on, or when it was cut short. */
  step: z.enum(['stashing', 'switching', 'there']),
  /** The message of the stash; undefined where nothing had to be stashed. */
  message: z.optional(z.string()),
  /** The stash, once it is made. */
  stash: z.optional(z.object({ commit: z.optional(z.string()), message: z.string(), hasIndex: z.boolean() })),
});

/** That the branch of a job was checked out in a repository, and what is needed to go back. */
export type CheckoutRecord = Omit<z.infer<typeof recordSchema>, 'version'>;

/** On disk, one file for each repository, because a window may close, or end, at any time in between. */
export class CheckoutRecords {
  constructor(private readonly folder: string) {}

  /** What can't be read is left out: git itself still has the branch and the stash. */
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

  async forget(root: string): Promise<void> {
    await removeFile(this.file(root));
  }

  private file(root: string): string {
    return join(this.folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.json`);
  }
}
