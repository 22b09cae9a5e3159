/** How long a text is. Each function is tried with a tenth of that, too. */
const LENGTH = 250_000;

/** In milliseconds. An editor, or a service for many, does nothing else meanwhile. */
const MAX_MS = 50;

/** Ten times the text may take ten times as long; the rest is for measurements that a busy machine has disturbed. */
const MAX_GROWTH = 25;

/** The longest that one call may take on a machine that is both slow and busy, where the time grows with the text alone. */
const MAX_BUSY_MS = 3 * MAX_MS;

/** A disturbed measurement is repeated up to so many times; the fastest counts. */
const MAX_RUNS = 4;

/** So many texts of each function, those that took longest, are tried at their whole length. */
const MAX_LONG_TEXTS = 5;

/** What each text is made of, again and again. */
const PIECES: readonly string[] = [
  // Blanks, line ends, controls.
  ...[' ', '\t', '\n', '\r', '\r\n', ' \n', '\n ', '\t \t', '\u00a0', '\u2028', '\0', '\u001b', '\u001b[1;', '\u001b]'],
  // Letters, digits, emoji, and what can't be seen.
  ...['a', 'A', '0', '1,', 'a ', 'a\n', 'a.', 'ä', '漢', '😀', '\ud83d', '\u200d', '\u{e0041}', '\ufe0f', '\u202e'],
  // Markup.
  ...['[', '[a](', '](', '(', ')', '(a) ', '<', '<!--', '&', '`', '```\n', '~~~\n', '- ', '-', '- a\n', '#', '# a\n'],
  ...[
    '=',
    '=\n',
    '*',
    '_',
    '> ',
    '|',
    '| a ',
    '!',
    ':',
    ': ',
    'a:',
    'a=',
    '"',
    "'",
    '\\',
    '\\"',
    '\\n',
    ', ',
    ';',
    '. ',
    '..',
  ],
  // Templates, JSON, patterns.
  ...['${', '${a', '{{', '{0}', '{"a":', '[[', '"a":', '$(', '%41', '^', '+'],
  // Addresses, paths, names.
  ...['/', '/a', '../', '://', 'http://', 'https://a@', 'https://h/pull/', '@', '@a ', 'www.', 'C:\\', '/home/user/'],
  // Secrets.
  ...['Bearer ', 'Bearer  a ', 'mint_', 'mint_abcdef ', 'AKIA', 'ghp_', 'password=', '-----BEGIN ', '_authToken='],
  // What git, hosts and our own texts say.
  ...[
    'remote: ',
    '!\t',
    'In `a`, line 1:\n',
    'fatal: ',
    'path: ',
    'docs_dir: ',
    'a-by',
    '+a\n',
    '-a\n',
    '@@ -1 +1 @@\n',
  ],
];

/** What ends a text: a search that fails at the very end, or at a line end of another kind, may go back. */
const ENDS: readonly string[] = ['', '\u2028x'];

/** A function that takes a text. */
export interface Row {
  /** The text is cut to this length before it comes here. */
  bound?: number;
  /** More beginnings, by which a text gets past the first look of this function. */
  begins?: readonly string[];
  run: (text: string) => unknown;
}

function textOf(begin: string, piece: string, end: string, length: number): string {
  const count = Math.ceil((length - begin.length - end.length) / piece.length);
  return (begin + piece.repeat(count)).slice(0, length - end.length) + end;
}

/** Milliseconds of this process, the least of several runs as long as one takes more than `enough`. */
async function fastest(run: () => unknown, enough: number): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < MAX_RUNS && least > enough; count += 1) {
    // Not the time of day: the others who use the machine have no part in this one.
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * What is wrong with the times that a function takes; undefined when nothing is. Of the short texts, those are left out
 * that take so little that even its square would do; and it ends with the first that is slow, because a worse one may
 * take hours.
 */
export async function slowness({ run, bound = LENGTH, begins = [''] }: Row): Promise<string | undefined> {
  const tried: { name: string; make: (length: number) => string; short: number }[] = [];
  for (const begin of begins) {
    for (const piece of PIECES) {
      for (const end of ENDS) {
        const make = (length: number): string => textOf(begin, piece, end, length);
        const name = JSON.stringify([begin, piece, end]);
        const text = make(bound / 10);
        const short = await fastest(() => run(text), MAX_MS / 100);
        if (short > MAX_MS) {
          return `${name}: ${short} ms for ${text.length} characters`;
        }
        tried.push({ name, make, short });
      }
    }
  }
  const slowest = tried.filter(({ short }) => short > MAX_MS / 100).toSorted((a, b) => b.short - a.short);
  for (const { name, make, short } of slowest.slice(0, MAX_LONG_TEXTS)) {
    const text = make(bound);
    const long = await fastest(() => run(text), MAX_MS);
    // The first measurement may be minutes old: both lengths are compared at the same moment.
    const growth = async (): Promise<number> =>
      (await fastest(() => run(text), 0)) / (await fastest(() => run(make(bound / 10)), 0));
    if (long > MAX_BUSY_MS || (long > MAX_MS && long > MAX_GROWTH * short && (await growth()) > MAX_GROWTH)) {
      return `${name}: ${short} ms for ${bound / 10} characters, ${long} ms for ${bound}`;
    }
  }
  return undefined;
}
