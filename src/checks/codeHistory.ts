import { MAX_CODE_FILE } from '../base/limits';
import { rolesIn } from './codeNow';
import type { KnownVersions } from './checkCache';
import type { CommitInfo } from './finding';
import { isOtherCode } from './ownNames';
import { NOT_IN_HISTORY } from './paths';
import type { Change, Repository } from './ports';
import { ROLES } from './roles';
import type { WordTable } from './wordTable';

/** Something that code may have, and a page counts on. */
export interface Want {
  word: number;
  /** Tells what is wanted, for the cache. */
  key: string;
  /** The roles that count, see `ROLES`. */
  roles: number;
  /** Whether it is at this place of a text; for what can't be told from the roles alone. */
  isAt?: (text: Buffer, start: number, end: number) => boolean;
  /** The changes that took it out of a file, newest first. */
  losses: Loss[];
}

/** A change after which a file no longer has something. */
export interface Loss {
  commit: CommitInfo;
  repository: number;
  path: string;
  before: string;
  after: string | undefined;
}

/** How many losses of a word are looked at, newest first. */
const MAX_LOSSES = 20;
/** How many uses of a word in one file are looked at. */
const MAX_USES = 50;
/** A change of more files was made by a program. */
const MAX_FILES = 5_000;
/** How many changes are listed, and versions read, before the time is looked at. */
const [TURN_CHANGES, TURN_VERSIONS] = [100, 500];

export interface HistoryRead {
  repository: Repository;
  /** The number of the repository. */
  index: number;
  table: WordTable;
  wants: readonly Want[];
  /** What earlier checks read; gets what this one reads. */
  known: KnownVersions;
  head: string;
  maxCommits: number;
  isCode: (path: string) => boolean;
  hasTime: () => boolean;
  /** Called with each change, newest first. */
  onChange: (change: Change) => void;
  /** Called with the share that was read, from 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * Finds what the code had once and lost. Each version of each file is read once, in the order in which git stores them;
 * that takes a third of the time of `git log -p`, which compares them line by line. Tests and copies of other software
 * are not read: what only they have isn't a name of this code.
 *
 * @returns whether everything was read
 */
export async function readHistory(read: HistoryRead): Promise<boolean> {
  const { repository, head, maxCommits, isCode, hasTime, onChange } = read;
  const changes: Change[] = [];
  const codes = new Map<string, boolean>();
  for await (const change of repository.changes(head, maxCommits)) {
    onChange(change);
    const files = change.files.length > MAX_FILES ? [] : change.files;
    const code = files.filter(({ path, before }) => {
      const known = codes.get(path) ?? (isCode(path) && !isOtherCode(path) && !NOT_IN_HISTORY.test(path));
      codes.set(path, known);
      return known && before !== undefined;
    });
    if (code.length > 0) {
      changes.push({ commit: change.commit, files: code });
    }
    if (changes.length % TURN_CHANGES === 0 && !hasTime()) {
      return false;
    }
  }
  if (read.wants.length === 0) {
    return true;
  }
  const found = await readVersions(read, changes);
  for (const { commit, files } of changes) {
    for (const { path, before, after } of files) {
      const had = (before === undefined ? undefined : found.get(shortId(before))) ?? [];
      const has = after === undefined ? undefined : found.get(shortId(after));
      for (const want of had) {
        if (has?.includes(want) !== true && want.losses.length < MAX_LOSSES) {
          want.losses.push({ commit, repository: read.index, path, before: before ?? '', after });
        }
      }
    }
  }
  return hasTime();
}

/** Returns the wanted things in each version of a file that has any. */
async function readVersions(
  { repository, table, wants, known, hasTime, onProgress }: HistoryRead,
  changes: readonly Change[],
): Promise<Map<string, Want[]>> {
  const all = [
    ...new Set(
      changes.flatMap(({ files }) => files.flatMap(({ before, after }) => [after ?? [], before ?? []].flat())),
    ),
  ];
  const isKnown = wants.every(({ key }) => known.having.has(key));
  const ids = isKnown ? all.filter((id) => !known.ids.has(shortId(id))) : all;
  const found = new Map<string, Want[]>();
  for (const want of isKnown ? wants : []) {
    for (const id of known.having.get(want.key) ?? []) {
      found.set(id, [...(found.get(id) ?? []), want]);
    }
  }
  const byWord = Map.groupBy(wants, ({ word }) => word);
  let at = 0;
  for await (const content of ids.length === 0 ? [] : repository.contents(ids)) {
    const id = ids[at++] ?? '';
    if (content !== undefined && content.length <= MAX_CODE_FILE) {
      const here = wantsIn(content, table, byWord);
      if (here.length > 0) {
        found.set(shortId(id), here);
      }
    }
    if (at % TURN_VERSIONS === 0) {
      onProgress(at / ids.length);
      if (!hasTime()) {
        return found;
      }
    }
  }
  known.ids = new Set(all.map(shortId));
  known.having = new Map(wants.map(({ key }) => [key, []]));
  for (const [id, here] of found) {
    here.forEach(({ key }) => known.having.get(key)?.push(id));
  }
  return found;
}

/** Enough of an id to tell the versions of one repository apart. */
function shortId(id: string): string {
  return id.slice(0, 16);
}

function wantsIn(text: Buffer, table: WordTable, byWord: ReadonlyMap<number, readonly Want[]>): Want[] {
  const here: Want[] = [];
  const uses = new Map<number, number>();
  table.scan(text, (word, start, end) => {
    const count = uses.get(word) ?? 0;
    uses.set(word, count + 1);
    for (const want of count < MAX_USES ? (byWord.get(word) ?? []) : []) {
      if (
        !here.includes(want) &&
        ((want.roles & ROLES.any) !== 0 || (rolesIn(text, start, end) & want.roles) !== 0) &&
        want.isAt?.(text, start, end) !== false
      ) {
        here.push(want);
      }
    }
  });
  return here;
}
