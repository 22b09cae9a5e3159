import { constants } from 'node:fs';
import { copyFile, cp, lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { move, PRIVATE_FILE } from '../../base/files';
import { Redactor } from '../../base/redact';
import { dropInvisible } from '../../base/text';
import type { Git } from '../../git/git';
import { redactFindings, findSecrets, ownDetectors } from '../../prompt/secrets/findSecrets';
import { kindName } from '../../prompt/secrets/secret';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';
import { cutText, joinBytes } from '../text';
import type { JobFolders } from './jobClone';

/**
 * Larger object stores are not copied into the agent's clone, because with many jobs that would fill the disk. In
 * bytes.
 */
const MAX_COPIED_BYTES = 256 * 1024 * 1024;

/** How much of a system error is shown, in characters. */
const MAX_WHY = 300;

/** Marker file next to the clones: the agent's clone shares no file with the service's directory. */
const OWN_OBJECTS = 'own-objects';

/**
 * Creates the clone that the agent works in, with a copy of all objects. No file in it may be a hard link: git does not
 * check what it reads, so writing to a hard link would change the user's repository, and no diff would show it.
 *
 * A copy takes no space if the file system supports copy-on-write, and the clone also works on its own, as in a
 * container that contains nothing else. For a large repository, the clone borrows the objects from the service's own
 * directory instead, where a confined agent cannot write.
 */
export async function makeWorkClone(
  git: Git,
  { work, hostGit }: JobFolders,
  branch: string,
  maxCopiedBytes = MAX_COPIED_BYTES,
): Promise<void> {
  const unfinished = `${work}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const how = ['--quiet', '--no-tags', '--template=', '--shared'];
  await git.run({ folder: join(work, '..') }, ['clone', ...how, '--', hostGit, unfinished]);
  await git.run({ folder: unfinished }, ['remote', 'remove', 'origin']);
  const cloned = (await git.run({ folder: unfinished }, ['symbolic-ref', '--short', 'HEAD'])).trim();
  if (cloned !== branch) {
    throw new Error(`the clone is on ${cloned} instead of ${branch}`);
  }
  const [objects, hostObjects] = [join(unfinished, '.git', 'objects'), join(hostGit, 'objects')];
  const alternates = join(objects, 'info', 'alternates');
  // If the history is shallow, git has copied the objects itself.
  if (await isThere(alternates)) {
    if (await isLarger(hostObjects, maxCopiedBytes)) {
      // Relative, so that it still works if the job's folder is moved or mounted elsewhere.
      await writeFile(alternates, `${relative(objects, hostObjects).replaceAll('\\', '/')}\n`);
    } else {
      await rm(alternates);
      // Includes the alternates of the user's repository, if any.
      await cp(hostObjects, objects, { recursive: true, mode: constants.COPYFILE_FICLONE });
    }
  }
  await markOwn(work);
  await move(unfinished, work);
}

/**
 * Upgrades a clone that an older version made: replaces each file that it shares with the service's directory, and so
 * with the user's repository, with a copy. Must be done before an agent is started in it. Throws TurnFailure.
 */
export async function unshareWorkClone({ work, hostGit }: JobFolders): Promise<void> {
  if (await isThere(join(work, '..', OWN_OBJECTS))) {
    return;
  }
  try {
    await unshare(work, hostGit);
  } catch (error) {
    const words = cutText(error instanceof Error ? error.message : String(error), MAX_WHY);
    throw new TurnFailure(coded('filesShared', { words }));
  }
  await markOwn(work);
}

async function unshare(work: string, hostGit: string): Promise<void> {
  const shared = new Set<string>();
  for await (const file of filesBelow(Buffer.from(hostGit))) {
    shared.add(await identityOf(file));
  }
  // Not in the clone, where the agent may have left a link of that name.
  const copy = join(work, '..', 'unshared.new');
  for await (const file of filesBelow(Buffer.from(work))) {
    if (shared.has(await identityOf(file))) {
      await rm(copy, { force: true });
      await copyFile(file, copy, constants.COPYFILE_FICLONE);
      await move(copy, file);
    }
  }
}

function markOwn(work: string): Promise<void> {
  return writeFile(join(work, '..', OWN_OBJECTS), '', { mode: PRIVATE_FILE });
}

async function isLarger(folder: string, bytes: number): Promise<boolean> {
  let sum = 0;
  for await (const file of filesBelow(Buffer.from(folder))) {
    sum += (await lstat(file)).size;
    if (sum > bytes) {
      return true;
    }
  }
  return false;
}

/** All files below a folder, whatever the bytes of their names. Links are not followed. */
async function* filesBelow(folder: Buffer): AsyncGenerator<Buffer> {
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const path = joinBytes(folder, entry.name);
    if (entry.isDirectory()) {
      yield* filesBelow(path);
    } else if (entry.isFile()) {
      yield path;
    }
  }
}

async function identityOf(file: Buffer): Promise<string> {
  const { dev, ino } = await lstat(file, { bigint: true });
  return `${dev}:${ino}`;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/**
 * Redacts everything in a text that looks like a key or a token. Used for text that goes into a repository's history or
 * to a Git host, where others read it and no one can remove it. The agent gets the prompt as it was sent.
 */
export async function redactDetectedSecrets(text: string): Promise<string> {
  // Loaded lazily, because starting the service needs no rules.
  const { ruleDetectors } = await import('../../prompt/secrets/ruleDetectors');
  const detectors = [...ownDetectors(new Redactor()), ...ruleDetectors()];
  const redact = async (each: string): Promise<string> =>
    redactFindings(each, await findSecrets(each, detectors), kindName);
  const redacted = await redact(text);
  // Commits and pull requests drop invisible and control characters, which would put a secret together that they
  // interrupt.
  const visible = dropInvisible(redacted).replace(/(?![\t\n])\p{Cc}/gu, '');
  const seen = visible === redacted ? redacted : await redact(visible);
  return seen === visible ? redacted : seen;
}
