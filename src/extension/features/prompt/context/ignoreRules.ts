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
    return this.turns.run('', () => isIgnoredBy(rules, parts, isFolder));
  }

  private rulesOf(folder: string): Promise<Ignore | undefined> {
    const known = this.rules.get(folder);
    const rules =
      known ??
      this.read(folder).then((text) => (text === undefined ? undefined : ignore().add(patternsOf(text).map(linear))));
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
  const patterns = text.length > MAX_LENGTH ? [] : text.split(/\r?\n/).filter((line) => !/^(?:#|\s*$)/.test(line));
  return text.length > MAX_LENGTH || patterns.length > MAX_PATTERNS ? [EVERYTHING] : patterns;
}

/**
 * Matching a pattern with several `**` takes exponential time. So a pattern is cut off after the second one, and
 * ignores more than it should. A pattern that makes exceptions (`!`) is dropped.
 */
function linear(pattern: string): string {
  const names = pattern.split('/');
  const places = names.flatMap((name, at) => (/^!?\*{2,}$/.test(name) && at < names.length - 1 ? [at] : []));
  const [, second] = places;
  return second === undefined ? pattern : pattern.startsWith('!') ? '' : names.slice(0, second + 1).join('/');
}
