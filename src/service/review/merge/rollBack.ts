import { lstat, mkdir, readFile, readlink, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../../shared/util/durability';
import { isExecutable } from '../../../shared/util/fileModes';
import { changedPaths, type ChangedPath, foldersOf, isAdded, isRemoved, pathsOf } from './changedPaths';
import type { Checkout } from './checkout';
import { MergeRefusal, named } from './mergeRefusal';

/** Where the files of both sides are written, to be compared with. */
interface Sides {
  from: string;
  to: string;
  /** Environment with an index of the side that was before. */
  before: { GIT_INDEX_FILE: string };
}

/** What is in the work tree of a merge that was cut off or refused. */
interface Found {
  /** Files as after the merge, missing, or a beginning of what is after. */
  touched: ChangedPath[];
  /** Paths of files that are neither as before nor as after: the user's own. */
  foreign: string[];
}

/**
 * Brings the changed files of a merge that was cut off back to what they were. Each must be as before, as after, missing
 * or a beginning of what is after; throws MergeRefusal and changes nothing when one is something else, which then is the
 * user's own.
 *
 * @param scratch a folder for this alone
 */
export async function rollBack(checkout: Checkout, from: string, to: string, scratch: string): Promise<void> {
  await compared(checkout, from, to, scratch, async ({ touched, foreign }, sides) => {
    if (foreign.length > 0) {
      throw new MergeRefusal(
        `A merge into your branch was cut off, and ${named(foreign)} was changed since. Stash that change (“git stash push --include-untracked -- FILE”), then try again; “git stash pop” brings it back.`,
      );
    }
    await restore(checkout, touched, sides);
  });
}

/**
 * Does the same for a merge that git has just given up. Where it has written nothing because the user was quicker, there
 * is nothing to bring back, and their files are left as they are.
 *
 * @returns the paths that the user changed meanwhile; none where all is as it was
 */
export async function rollBackRefused(
  checkout: Checkout,
  from: string,
  to: string,
  scratch: string,
): Promise<readonly string[]> {
  const found = await compared(checkout, from, to, scratch, async (each) => Promise.resolve(each));
  if (found.touched.length === 0) {
    return found.foreign;
  }
  await rollBack(checkout, from, to, scratch);
  return [];
}

async function compared<T>(
  checkout: Checkout,
  from: string,
  to: string,
  scratch: string,
  work: (found: Found, sides: Sides) => Promise<T>,
): Promise<T> {
  const changes = await changedPaths(checkout, from, to);
  const sides = await writeSides(checkout, changes, from, to, scratch);
  const found: Found = { touched: [], foreign: [] };
  try {
    for (const change of changes) {
      const state = await stateOf(checkout.folder, change.path, sides);
      if (state === 'foreign') {
        found.foreign.push(change.path);
      } else if (state === 'touched') {
        found.touched.push(change);
      }
    }
    return await work(found, sides);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeSides(
  { run }: Checkout,
  changes: readonly ChangedPath[],
  from: string,
  to: string,
  scratch: string,
): Promise<Sides> {
  await rm(scratch, { recursive: true, force: true });
  const write = async (name: string, tree: string, paths: readonly string[]): Promise<{ GIT_INDEX_FILE: string }> => {
    const folder = join(scratch, name);
    await mkdir(folder, { recursive: true });
    const environment = { GIT_INDEX_FILE: join(scratch, `${name}.index`) };
    await run(['read-tree', tree], { environment });
    await run(['checkout-index', '--force', '-z', '--stdin', `--prefix=${folder}/`], {
      environment,
      input: paths.map((path) => `${path}\0`).join(''),
    });
    return environment;
  };
  const before = await write('from', from, pathsOf(changes.filter((change) => !isAdded(change))));
  await write('to', to, pathsOf(changes.filter((change) => !isRemoved(change))));
  return { from: join(scratch, 'from'), to: join(scratch, 'to'), before };
}

async function stateOf(folder: string, path: string, sides: Sides): Promise<'before' | 'touched' | 'foreign'> {
  for (const each of foldersOf(path)) {
    const found = await lstat(join(folder, each)).catch(() => undefined);
    if (found?.isSymbolicLink() === true) {
      return 'foreign';
    }
  }
  const [present, before, after] = await Promise.all(
    [folder, sides.from, sides.to].map((root) => contentOf(join(root, path))),
  );
  if (isSame(present, before)) {
    return 'before';
  }
  const isCut = present?.kind === 'file' && after?.kind === 'file' && startsWith(after.bytes, present.bytes);
  const sameBytes = present?.kind === 'file' && before?.kind === 'file' && present.bytes.equals(before.bytes);
  return present === undefined || isSame(present, after) || isCut || sameBytes ? 'touched' : 'foreign';
}

interface Content {
  kind: 'file' | 'link' | 'folder';
  bytes: Buffer;
  isExecutable: boolean;
}

/** A folder in the place of a file stands for what is in it, so it counts as nothing there. */
async function contentOf(file: string): Promise<Content | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || found.isDirectory()) {
    return undefined;
  }
  if (found.isSymbolicLink()) {
    return { kind: 'link', bytes: Buffer.from(await readlink(file)), isExecutable: false };
  }
  if (!found.isFile()) {
    return { kind: 'folder', bytes: Buffer.of(), isExecutable: false };
  }
  return { kind: 'file', bytes: await readFile(file), isExecutable: isExecutable(found) };
}

function isSame(one: Content | undefined, other: Content | undefined): boolean {
  if (one === undefined || other === undefined) {
    return one === other;
  }
  return one.kind === other.kind && one.isExecutable === other.isExecutable && one.bytes.equals(other.bytes);
}

function startsWith(whole: Buffer, part: Buffer): boolean {
  return part.length <= whole.length && whole.subarray(0, part.length).equals(part);
}

/** What was added goes first: a file of before may stand where a folder of it is. */
async function restore({ folder, run }: Checkout, touched: readonly ChangedPath[], sides: Sides): Promise<void> {
  for (const { path } of touched.filter(isAdded)) {
    await removeFile(join(folder, path));
    for (const each of foldersOf(path)) {
      const isEmpty = await rmdir(join(folder, each)).then(
        () => true,
        () => false,
      );
      if (!isEmpty) {
        break;
      }
    }
  }
  const input = pathsOf(touched.filter((change) => !isAdded(change)))
    .map((path) => `${path}\0`)
    .join('');
  if (input !== '') {
    await run(['checkout-index', '--force', '-z', '--stdin'], { input, environment: sides.before });
  }
}
