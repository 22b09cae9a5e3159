/**
 * How many characters of each kind of context go into a prompt; what is over is left out and counted there. A prompt
 * stays readable, and within what a service and its model take.
 */
export const BUDGETS = {
  /** All cursors of an editor together. */
  selections: 60_000,
  /** One file that was asked for by itself. */
  file: 40_000,
  /** All files that were asked for at once. */
  files: 120_000,
  /** The names in a folder. */
  tree: 8_000,
  /** The contents of a folder's files together, and of each. */
  folder: 60_000,
  folderFile: 16_000,
  symbol: 30_000,
  /** The problems of one file, and of all files. */
  problems: 12_000,
  allProblems: 40_000,
  terminal: 20_000,
  /** The text of a change, and the names of files whose text is not shown. */
  changes: 50_000,
  changedNames: 8_000,
  /** The messages of commits. */
  messages: 6_000,
} as const;

/** The least that a budget can be, in characters: the line that tells what was left out needs room. */
export const MIN_BUDGET = 80;

/** Room for that line with its breaks. */
const MARK_ROOM = 50;

/**
 * The text within a budget of characters, at least `MIN_BUDGET`: its head and its tail as they are, and between them a
 * line that tells how much was left out. A text that fits comes back as it is. Where whole lines would leave most of
 * the room empty the cut goes through a line, and characters are counted.
 */
export function elide(text: string, budget: number): string {
  if (text.length <= Math.max(budget, MIN_BUDGET)) {
    return text;
  }
  const room = Math.max(budget, MIN_BUDGET) - MARK_ROOM;
  return byLines(text, room) ?? byCharacters(text, room);
}

/** How much of a budget each text gets: the small ones are whole, the others share what is left alike. */
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

/** “1 line”, “1,234 lines”: counts in a prompt are written in one way, whatever the user's language. */
export function count(amount: number, one: string, several = `${one}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? one : several}`;
}

/** Head and tail of whole lines; undefined when they would be less than half of the room. */
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

/** How many of the first lines fit, and how long they are with their breaks. */
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

/** The place itself, or the one before it where it would split two halves of a character. */
function beforePair(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at;
}

function afterPair(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(at - 1, 0), at + 1));
}
