import { AbsentNames } from './absentNames';
import type { AddedCheck } from './addedLines';
import { type CodeWords, missingGroups, scanCode } from './codeWords';
import type { NameOnPage } from './collectNames';
import { HistoryReader } from './historyReader';
import { type ClassifiedName, isStructured } from './names';
import { pathRules } from './paths';
import type { CoverageCounter, Tree } from './ports';

interface Parts {
  check: AddedCheck;
  /** The names on added lines, and whether each is new on its page. */
  names: readonly { onPage: NameOnPage; isNew: boolean }[];
  tree: Tree;
  counter: CoverageCounter;
  hasTime: () => boolean;
  /** In milliseconds. */
  timeLeft: () => number;
}

interface MissingName {
  onPage: NameOnPage;
  isNew: boolean;
  missing: string[][];
}

/** Reports names on added lines that are gone from the code, or were never in it. */
export async function checkAddedNames(parts: Parts): Promise<void> {
  const { check, names, counter } = parts;
  if (names.length === 0) {
    return;
  }
  const code = await scanAll(parts);
  // The code that was not read could contain the names.
  if (!parts.hasTime()) {
    return;
  }
  const absent = names.flatMap(({ onPage, isNew }): MissingName[] => {
    const missing = onPage.name.isPlain ? [] : missingGroups(onPage.name, code);
    return missing.length === 0 ? [] : [{ onPage, isNew, missing }];
  });
  const missing = await withoutUnread(parts, absent, code);
  const lacksHistory = missing.length > 0 && (await check.repositories[0].lacksHistory());
  if (lacksHistory) {
    counter.skip('shallow', new Set(missing.map(({ onPage }) => onPage.path)).size);
  }
  const history = new AbsentNames(code, parts.hasTime);
  missing.forEach((each) => history.add(each.onPage, each.missing));
  const isWhole = !lacksHistory && (await readHistory(parts, history));
  const gone = new Set<NameOnPage>();
  for (const name of history.all()) {
    for (const place of name.removed === undefined ? [] : name.places) {
      gone.add(place);
      const { path, line, column, endColumn } = place;
      check.listener.finding({
        rule: 'gone-name',
        place: { path, line, column, endColumn },
        name: place.name.name,
        kind: place.name.kind,
        certainty: 'certain',
        evidence: name.removed ?? null,
        successor: history.successorOf(name, place),
      });
    }
  }
  const never = missing.filter(({ onPage, isNew }) => isNew && !gone.has(onPage) && isOwnName(onPage.name, code));
  await reportUnknown(parts, never, code, isWhole);
}

async function scanAll({ check, tree, counter, hasTime }: Parts): Promise<CodeWords[]> {
  const code: CodeWords[] = [];
  for (const [at, repository] of check.repositories.entries()) {
    const rules = pathRules(at === 0 ? check.configuration : { documentation: [], code: [] });
    const head = at === 0 ? check.head : ((await repository.resolve('HEAD')) ?? '');
    const scan = {
      limits: check.limits,
      isCode: (path: string) => rules.isCode(path),
      hasTime,
      counter,
      read: () => undefined,
    };
    code.push(await scanCode(repository, at === 0 ? tree : await repository.tree(head), scan));
  }
  return code;
}

/** Leaves out names that occur in files that the first pass did not read. */
async function withoutUnread(
  { check }: Parts,
  absent: readonly MissingName[],
  code: readonly CodeWords[],
): Promise<MissingName[]> {
  const words = [...new Set(absent.flatMap(({ missing }) => missing.flat()))];
  const present = new Set<string>();
  for (const [at, repository] of words.length === 0 ? [] : check.repositories.entries()) {
    const { isComplete = true, unread = [] } = code[at] ?? {};
    if (!isComplete) {
      const head = at === 0 ? check.head : 'HEAD';
      (await repository.find(head, words, unread.length > 1_000 ? [] : unread)).forEach((word) => present.add(word));
    }
  }
  return absent.filter(({ missing }) => !missing.some((group) => group.some((word) => present.has(word))));
}

/** @returns whether all of it was read */
async function readHistory({ check, counter, hasTime, timeLeft }: Parts, names: AbsentNames): Promise<boolean> {
  if (names.size === 0) {
    return true;
  }
  let isWhole = true;
  const rules = pathRules(check.configuration);
  for (const [at, repository] of check.repositories.entries()) {
    const head = at === 0 ? check.head : await repository.resolve('HEAD');
    const reader = new HistoryReader({
      wants: (word) => names.wants(word),
      hunk: (hunk) => {
        if (at > 0 || rules.isCode(hunk.path)) {
          names.takeHunk(hunk, at);
        }
      },
      files: (changes) => names.takeFiles(changes, at),
      commit: () => undefined,
    });
    const limits = { commits: check.limits.commits, bytes: check.limits.historyBytes, timeMs: timeLeft() };
    const onCut = (reason: 'commits' | 'time'): void => {
      isWhole = false;
      counter.skip(reason);
    };
    for await (const text of head === undefined ? [] : repository.history(head, limits, onCut)) {
      reader.push(text);
      if (!hasTime()) {
        break;
      }
    }
    reader.end();
    if (!hasTime()) {
      counter.skip('time');
      isWhole = false;
    }
    const commits = head === undefined ? 0 : await repository.countCommits(head);
    counter.skip('commits', Math.max(0, commits - limits.commits));
    isWhole &&= commits <= limits.commits;
  }
  return isWhole;
}

async function reportUnknown(
  { check }: Parts,
  never: readonly MissingName[],
  code: readonly CodeWords[],
  isWholeHistory: boolean,
): Promise<void> {
  const words = new Set(
    never.filter(({ onPage }) => onPage.name.kind !== 'file').flatMap(({ missing }) => missing.flat()),
  );
  const there = looselyThere(new Set([...words].map(looseName)), code);
  const declared = words.size === 0 ? new Set<string>() : await check.dependencies.find(words);
  const isKnown = (group: readonly string[]): boolean =>
    group.some((word) => declared.has(word) || there.has(looseName(word)));
  const certainty = isWholeHistory && check.dependencies.isComplete() ? 'certain' : 'likely';
  for (const { onPage, missing } of never) {
    if (missing.some((group) => !isKnown(group))) {
      const { path, line, column, endColumn, name } = onPage;
      const place = { path, line, column, endColumn };
      check.listener.finding({ rule: 'unknown-name', place, name: name.name, kind: name.kind, certainty });
    }
  }
}

/**
 * Whether a name that was found nowhere should be reported. Plain words in code font, names of packages, and flags in
 * command lines mostly belong to other software.
 */
export function isOwnName(name: ClassifiedName, code: readonly CodeWords[]): boolean {
  switch (name.kind) {
    case 'flag':
    case 'variable':
      return !name.inCommand;
    case 'file':
      return isBelowOwnFolder(name.name, code);
    case 'keyPath':
      return name.groups.some(([word = '']) => isStructured(word)) || isBelowOwnName(name, code);
    case 'identifier':
      return !name.isPlain && !name.name.includes('-') && (isStructured(name.name) || isCalled(name));
  }
}

/** For example, `client.reconnect` when the code has `client`. */
function isBelowOwnName({ name }: ClassifiedName, code: readonly CodeWords[]): boolean {
  const [first = ''] = name.split(/\W/, 1);
  return first.length > 2 && code.some((words) => words.has(first));
}

/** A lowercase word is only reported as a call. */
function isCalled(name: ClassifiedName): boolean {
  return /^[a-z][a-z0-9]*$/.test(name.name) && !name.isPlain;
}

/** Examples show files of the reader's project, whose folders this repository usually doesn't have. */
function isBelowOwnFolder(path: string, code: readonly CodeWords[]): boolean {
  const folder = path.replace(/\/$/, '').split('/').slice(0, -1).join('/');
  return folder.includes('/') && code.some((words) => words.hasFolder(folder));
}

/** A name without case and separators, because a binding in another language spells it in its own notation. */
export function looseName(word: string): string {
  return word.replace(/[_-]/g, '').toLowerCase();
}

/** Returns the loose names that match some word of the code. */
export function looselyThere(wanted: ReadonlySet<string>, code: readonly CodeWords[]): Set<string> {
  const found = new Set<string>();
  for (const words of wanted.size === 0 ? [] : code) {
    for (const word of words.all()) {
      const loose = looseName(word);
      if (wanted.has(loose)) {
        found.add(loose);
      }
    }
  }
  return found;
}
