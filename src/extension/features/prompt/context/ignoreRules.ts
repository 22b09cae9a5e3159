import ignore, { type Ignore } from 'ignore';
import { createYielder, KeyedQueue } from '../../../../base/async';

/**
 * How much of a `.gitignore` file is evaluated, in characters and patterns. Everything next to a longer file counts as
 * ignored: better to leave out too much than a file with secrets.
 */
export const MAX_LENGTH = 100_000;
const MAX_PATTERNS = 1_000;

/** A pattern for everything in the folder of its file. */
export const EVERYTHING = '*';

/** Anything deeper counts as ignored. */
const MAX_DEPTH = 100;

/** Evaluates the `.gitignore` files of a tree when git can't be run. */
export class IgnoreRules {
  private readonly rules = new Map<string, Promise<Ignore | undefined>>();
  private readonly turns = new KeyedQueue();

  /** @param read returns the `.gitignore` of a folder (its path from the root of the tree); undefined without one */
  constructor(private readonly read: (folder: string) => Promise<string | undefined>) {}

  /** Applies the rules of each folder from the root down. Content of an ignored folder stays ignored (gitignore(5)). */
  async isIgnored(path: string, isFolder: boolean): Promise<boolean> {
    const parts = path.split('/').filter(Boolean);
    if (parts.length > MAX_DEPTH) {
      return true;
    }
    const rules = await Promise.all(parts.map((_, depth) => this.rulesOf(parts.slice(0, depth).join('/'))));
    return this.turns.run('', () => isIgnoredBy(rules, parts.map(toBytes), isFolder));
  }

  private rulesOf(folder: string): Promise<Ignore | undefined> {
    const known = this.rules.get(folder);
    const rules = known ?? this.read(folder).then((text) => (text === undefined ? undefined : rulesIn(text)));
    this.rules.set(folder, rules);
    return rules;
  }
}

const yieldToEventLoop = createYielder();

/** @param rules those of each folder above the last part, from the root down */
async function isIgnoredBy(
  rules: readonly (Ignore | undefined)[],
  parts: readonly string[],
  isFolder: boolean,
): Promise<boolean> {
  for (let depth = 1; depth <= parts.length; depth++) {
    let ignored = false;
    for (let from = 0; from < depth; from++) {
      const rest = parts.slice(from, depth).join('/') + (depth < parts.length || isFolder ? '/' : '');
      await yieldToEventLoop();
      const answer = rules[from]?.test(rest);
      ignored = answer?.ignored === true || (ignored && answer?.unignored !== true);
    }
    if (ignored) {
      return true;
    }
  }
  return false;
}

function patternsOf(text: string): string[] {
  const patterns = text.length > MAX_LENGTH ? [] : text.split(/\r?\n|\r$/).filter((line) => !/^(?:#| *$)/.test(line));
  return text.length > MAX_LENGTH || patterns.length > MAX_PATTERNS ? [EVERYTHING] : patterns;
}

/** Git compares bytes: `?` and `[!a]` match a single one. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * The rules of a file: they ignore what git ignores, with either value of `core.ignoreCase`. So a pattern applies in any
 * case, but an exception (`!`) only in the same case.
 */
function rulesIn(text: string): Ignore {
  const rules = ignore();
  for (const pattern of patternsOf(text).map(toBytes)) {
    const body = pattern.replace(/^!/, '');
    const wide = widened(body);
    if (body === pattern) {
      rules.add(ignore().add(wide));
    } else if (wide === body) {
      rules.add(ignore({ ignoreCase: false }).add(pattern));
    }
  }
  return rules;
}

/** An escape or a character class as people write them, or a run of wildcards. */
const TOKEN = /\\[^/\r\0]|\[[!^]?(?![!^])[^\][\\/]+\]|[*?]+/g;

/** Any number of folders. */
const FOLDERS = /^\*{2,}$/;

/** A longer pattern is too long for the library. */
const MAX_PATTERN_LENGTH = 4096;

/**
 * Makes a pattern match more if the library might match less than git, or take exponential time. An exception that would
 * have to be changed is dropped instead.
 */
function widened(pattern: string): string {
  if (pattern.length > MAX_PATTERN_LENGTH || /[\\[\r\0]/.test(pattern.replace(TOKEN, ''))) {
    return `${/^\/?[^ *?[\\/\r\0]{0,255}/.exec(pattern)?.[0] ?? ''}*`;
  }
  // A class may match in another way if git ignores case: `[!A]` matches `A` then, and `[A]` matches nothing.
  const isStrict = (token: string): boolean => /^\[.*[A-Z!^]/.test(token) && !/^\[(.)\1\]$/i.test(token);
  const names = pattern.replace(TOKEN, (token) => (isStrict(token) ? '?' : token)).split('/');
  // Git takes `key**/` for any number of folders. Several `**` take exponential time.
  const first = names.findIndex((name) => FOLDERS.test(name));
  const cut = names.findIndex((name, at) => name.endsWith('**') && at !== first && at < names.length - 1);
  return names
    .slice(0, cut + 1 || undefined)
    .map((name) => (FOLDERS.test(name) ? name : name.replace(TOKEN, (token) => (/^[*?]*\*/.test(token) ? '*' : token))))
    .join('/');
}
