import { createHash } from 'node:crypto';
import { permalink } from '../../../prompt/permalink';
import type { ChangeRepository } from '../changes/changeSource';
import type { RepositoryFacts } from './repositoryFacts';

/** A file as the user has it. */
export interface FileAtHand {
  /** From the repository's root, with slashes. */
  path: string;
  /** What the editor or the disk has of it; each is looked for, so that line ends make no difference. */
  contents: readonly Uint8Array[];
  lines?: { start: number; end: number };
}

/**
 * Where an agent finds this file, or why it can't: whether the bytes are those of a commit is told by their hash, so that
 * no filter of the repository runs.
 *
 * @param isLocal the agent is the local service's, which sees what is committed
 */
export async function placeNotes(
  repository: ChangeRepository,
  facts: RepositoryFacts,
  { path, contents, lines }: FileAtHand,
  isLocal: boolean,
): Promise<string[]> {
  const { head, pushed, remote } = facts;
  const wanted = isLocal ? head : pushed;
  const inHead = head === undefined ? undefined : await blobAt(repository, head, path);
  const inWanted = wanted === head || wanted === undefined ? inHead : await blobAt(repository, wanted, path);
  const has = (blob: string | undefined): boolean =>
    blob !== undefined && contents.some((bytes) => blobId(bytes, blob.length) === blob);
  if (wanted !== undefined && has(inWanted)) {
    const place = { commit: wanted, path, ...(lines === undefined ? {} : { lines }) };
    return remote === undefined ? [] : [`Permalink: ${permalink({ ...remote, ...place, ...unseen(facts, wanted) })}`];
  }
  if (inHead === undefined) {
    return [notVisible(isLocal, 'not in git')];
  }
  if (!has(inHead)) {
    return [notVisible(isLocal, 'uncommitted changes')];
  }
  return [remote === undefined ? NO_REMOTE : notVisible(isLocal, 'commits that are not pushed')];
}

export const NO_REMOTE = 'This repository has no remote on a code host, so a hosted agent may not see it';

/** What is not read whole can't be told to be that of a commit. */
export function notCompared(megabytes: number): string {
  return `Larger than ${megabytes} MB, so it was not compared with git: the agent may see it otherwise`;
}

export function notVisible(isLocal: boolean, why: string): string {
  return isLocal ? `Not visible to the agent: ${why}` : `Not visible to the hosted agent: ${why}`;
}

/** A commit that is on no host yet has no address there. */
function unseen({ pushed, head }: RepositoryFacts, commit: string): { forge?: undefined } {
  return commit === head && commit !== pushed ? { forge: undefined } : {};
}

async function blobAt({ git, place }: ChangeRepository, commit: string, path: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}:${path}`];
  return (await git.run(place, args).catch(() => '')).trim() || undefined;
}

/** The id that git gives to these bytes (gitformat-pack(5)): by SHA-1, or SHA-256 where ids are longer. */
export function blobId(bytes: Uint8Array, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The bytes as they are, and with the line ends and the mark at the beginning that git may have stored instead. */
export function asStored(bytes: Uint8Array): Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const plain = Buffer.from(buffer.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);
  const all = buffer.includes('\r\n') ? [buffer, plain] : [buffer];
  return buffer.subarray(0, 3).equals(mark) ? all : [...all, ...all.map((each) => Buffer.concat([mark, each]))];
}
