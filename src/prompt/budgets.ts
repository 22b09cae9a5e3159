/**
 * Maximum number of characters per kind of context in a prompt; the prompt says how much was left out. Keeps a prompt
 * readable and within the limits of the service and its model.
 */
export const BUDGETS = {
  /** All cursors of an editor together. */
  selections: 60_000,
  /** A file that was added individually. */
  file: 40_000,
  /** All files that were added at once. */
  files: 120_000,
  /** The names in a folder. */
  tree: 8_000,
  symbol: 30_000,
  /** The problems of one file, and of all files. */
  problems: 12_000,
  allProblems: 40_000,
  /** The names that a check of the documentation has found. */
  findings: 40_000,
  /** The diff of a change, and the names of files whose diff is not shown. */
  changes: 50_000,
  changedNames: 8_000,
  /** Commit messages. */
  messages: 6_000,
} as const;

/** Minimum budget in characters, so that the line that says what was left out fits. */
export const MIN_BUDGET = 80;

/** Space reserved for that line and its line breaks. */
const MARK_ROOM = 50;

/**
 * Shortens a text to a budget of characters (at least `MIN_BUDGET`): keeps the head and the tail, with a line between
 * them that says how much was left out. Returns text that fits unchanged. If keeping whole lines would leave most of
 * the budget unused, cuts within a line and counts characters.
 */
export function elide(text: string, budget: number): string {
  if (text.length <= Math.max(budget, MIN_BUDGET)) {
    return text;
  }
  const room = Math.max(budget, MIN_BUDGET) - MARK_ROOM;
  return byLines(text, room) ?? byCharacters(text, room);
}

/** Splits a budget among texts of these lengths: short ones are kept whole, the others share the rest equally. */
export function shareBudget(lengths: readonly number[], budget: number): number[] {
  const shares = lengths.map(() => 0);
  const bySize = lengths.map((length, index) => ({ length, index })).toSorted((a, b) => a.length - b.length);
  let left = budget;
  bySize.forEach(({ length, index }, done) => {
    const share = Math.min(length, Math.floor(left / (bySize.length - done)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

/** “1 line”, “1,234 lines”: numbers in prompts are formatted the same way in every display language. */
export function count(amount: number, one: string, several = `${one}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? one : several}`;
}

/** Head and tail in whole lines; undefined when they would fill less than half of the budget. */
function byLines(text: string, room: number): string | undefined {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const head = fitting(lines, Math.ceil((room * 2) / 3));
  const rest = lines.slice(head.lines);
  const tail = fitting(rest.toReversed(), room - head.size);
  const leftOut = rest.length - tail.lines;
  if (head.size + tail.size < room / 2 || leftOut === 0) {
    return undefined;
  }
  const kept = [
    lines.slice(0, head.lines),
    [`… ${count(leftOut, 'line')} left out`],
    tail.lines > 0 ? rest.slice(-tail.lines) : [],
  ];
  return kept.flat().join('\n');
}

/** How many of the first lines fit, and their length including line breaks. */
function fitting(lines: readonly string[], room: number): { lines: number; size: number } {
  let size = 0;
  let fits = 0;
  for (const line of lines) {
    if (size + line.length + 1 > room) {
      break;
    }
    size += line.length + 1;
    fits += 1;
  }
  return { lines: fits, size };
}

function byCharacters(text: string, room: number): string {
  const head = text.slice(0, beforePair(text, Math.ceil((room * 2) / 3)));
  const tail = text.slice(afterPair(text, text.length - (room - head.length)));
  const leftOut = text.length - head.length - tail.length;
  return `${head}\n… ${count(leftOut, 'character')} left out\n${tail}`;
}

/** The index itself, or the one before it if it would split a surrogate pair. */
function beforePair(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at;
}

function afterPair(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(at - 1, 0), at + 1));
}
