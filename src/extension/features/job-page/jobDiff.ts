import { setImmediate } from 'node:timers/promises';
import { changedParagraphs } from '../../../base/changedParagraphs';
import { createWordDiff } from '../../../base/wordDiff';
import { type ChangeRepository } from '../../../git/git';
import { readBlob } from '../../../git/blobs';
import { readPatches } from '../../../git/patch';
import {
  DIFF_LIMITS,
  type ImageQuery,
  imageType,
  type JobChanges,
  type JobDiff,
  MAX_IMAGE_BYTES,
} from '../../../protocol/changes';
import type { FileDiff } from './model';
import { shownPaths } from './shownPaths';

/** Where the changed text comes from: the local service, or an open repository. */
export interface DiffSource {
  diff(): Promise<JobDiff>;
  image(query: ImageQuery): Promise<string | null>;
}

/** Maximum size of all pictures on a page together, in characters of Base64. */
const MAX_IMAGES = 4_000_000;

const MARKDOWN = /\.(md|mdx|markdown)$/i;

/** More paragraphs of a file would block the page while they are rendered. */
const MAX_PARAGRAPHS = 500;

/** Returns what changed in each file, ready to be shown. */
export async function readJobDiff(source: DiffSource, changes: JobChanges): Promise<FileDiff[]> {
  const { files } = await source.diff();
  // Names that aren't valid UTF-8 can be equal; their patches have the same order as the changes.
  const patches = Map.groupBy(files, ({ path }) => path);
  const listed = changes.files.slice(0, DIFF_LIMITS.files);
  const names = shownPaths(listed.map(({ path }) => path));
  const shown: FileDiff[] = [];
  let left = MAX_IMAGES;
  for (const [index, { path, from, added, deleted }] of listed.entries()) {
    const found = patches.get(path)?.shift();
    const name = names[index] ?? '';
    const type = added === null ? imageType(path) : undefined;
    if (type !== undefined) {
      const read = (query: ImageQuery): Promise<string | null> =>
        left > 0 ? source.image(query) : Promise.resolve(null);
      const [before, after] = await Promise.all([
        read({ path: from ?? path, of: 'base' }),
        read({ path, of: 'commit' }),
      ]);
      left -= (before?.length ?? 0) + (after?.length ?? 0);
      const address = (base64: string | null): string | undefined =>
        base64 === null || !BASE64.test(base64) ? undefined : `data:${type};base64,${base64}`;
      shown.push({
        path: name,
        paragraphs: [],
        isCut: false,
        isImage: true,
        before: address(before),
        after: address(after),
      });
    } else {
      // Yields, so that nothing else has to wait for a long diff.
      await setImmediate();
      // There is no patch for the last files of a very large change.
      const { patch = '', isCut = (added ?? 0) + (deleted ?? 0) > 0 } = found ?? {};
      const all = changedParagraphs(patch.slice(0, DIFF_LIMITS.perFile), {
        diffWords: createWordDiff(),
        isProse: MARKDOWN.test(path),
      });
      const paragraphs = all.slice(0, MAX_PARAGRAPHS);
      shown.push({
        path: name,
        paragraphs,
        isCut: isCut || all.length > MAX_PARAGRAPHS,
      });
    }
  }
  return shown;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The changed text of two commits in an open repository. */
export function branchDiff(where: ChangeRepository, { base, commit }: { base: string; commit: string }): DiffSource {
  return {
    diff: async () => ({ files: await readPatches(where, [base, commit], DIFF_LIMITS) }),
    image: async ({ path, of }) => {
      const bytes = await readBlob(where, { commit: of === 'base' ? base : commit, path }, MAX_IMAGE_BYTES);
      return bytes?.toString('base64') ?? null;
    },
  };
}
