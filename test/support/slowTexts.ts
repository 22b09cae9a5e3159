/** The length of a text. Each function is also tried with a tenth of it. */
const LENGTH = 250_000;

/** In milliseconds. An editor, or a service with many clients, is blocked for that long. */
const MAX_MS = 50;

/**
 * How much more time a text that is ten times, or four times, as long may take: both allow for the 1.4th power. A text
 * counts as slow only if both are exceeded, because what a short text leaves behind costs the garbage collector almost
 * nothing.
 */
const MAX_GROWTH = { ofTen: 25, ofFour: 7 };

/** The longest that one call may take on a slow and busy machine if the time grows linearly with the text. */
const MAX_BUSY_MS = 3 * MAX_MS;

/** A disturbed measurement is repeated up to this many times; the fastest counts. */
const MAX_RUNS = 4;

/** For each function, this many of the slowest texts are tried at full length. */
const MAX_LONG_TEXTS = 5;

/** The pieces that texts consist of; each text repeats one piece. */
const PIECES: readonly string[] = [
  // Spaces, line ends, control characters.
  ...[' ', '\t', '\n', '\r', '\r\n', ' \n', '\n ', '\t \t', '\u00a0', '\u2028', '\0', '\u001b', '\u001b[1;', '\u001b]'],
  // Letters, digits, emoji, and invisible characters.
  ...['a', 'A', '0', '1,', 'a ', 'a\n', 'a.', 'ä', '漢', '😀', '\ud83d', '\u200d', '\u{e0041}', '\ufe0f', '\u202e'],
  // Markup.
  ...['[', '[a](', '](', '(', ')', '(a) ', '<', '<!--', '&', '`', '```\n', '~~~\n', '- ', '-', '- a\n', '#', '# a\n'],
  ...'= * _ | ! : a: a= " \' \\ \\" \\n ; ..'.split(' '),
  ...['=\n', '> ', '| a ', ': ', ', ', '. '],
  // Templates, JSON, regular expressions.
  ...['${', '${a', '{{', '{0}', '{"a":', '[[', '"a":', '$(', '%41', '^', '+'],
  // URLs, paths, names.
  ...['/', '/a', '../', '://', 'http://', 'https://a@', 'https://h/pull/', '@', '@a ', 'www.', 'C:\\', '/home/user/'],
  // Secrets.
  ...['Bearer ', 'Bearer  a ', 'mint_', 'mint_abcdef ', 'AKIA', 'ghp_', 'password=', '-----BEGIN ', '_authToken='],
  // Messages of git and Git hosts, and our own.
  ...['remote: ', '!\t', 'In `a`, line 1:\n', 'fatal: ', 'path: ', 'docs_dir: ', 'a-by', '+a\n', '-a\n'],
  ...['@@ -1 +1 @@\n'],
];

/** Endings of a text: a search that fails at the very end, or at another kind of line end, may backtrack. */
const ENDS: readonly string[] = ['', '\u2028x'];

/** A function that takes a text. */
export interface Row {
  /** The text is truncated to this length before it reaches the function. */
  bound?: number;
  /** Additional prefixes that get a text past the initial check of this function. */
  begins?: readonly string[];
  run: (text: string) => unknown;
}

function textOf(begin: string, piece: string, end: string, length: number): string {
  const count = Math.ceil((length - begin.length - end.length) / piece.length);
  return (begin + piece.repeat(count)).slice(0, length - end.length) + end;
}

/** Nothing notifies it, so waiting for it pauses the thread. */
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/** Of this thread on Node.js 22.19 or newer: other threads collect the garbage of all earlier tests. */
function cpuUsage(previous?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  const own: Partial<NodeJS.Process> = process;
  // Linux counts the time of a running thread in ticks of up to 10 ms, and exactly only once the thread pauses.
  Atomics.wait(neverNotified, 0, 0, 0.01);
  return own.threadCpuUsage?.(previous) ?? process.cpuUsage(previous);
}

/** CPU time in milliseconds: the minimum of several runs, repeated while it exceeds `enough`. */
async function fastest(run: () => unknown, enough: number): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < MAX_RUNS && least > enough; count += 1) {
    // CPU time, not wall time: it is not affected by other processes.
    const before = cpuUsage();
    await run();
    const { user, system } = cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * Describes what is wrong with the times that a function takes; returns undefined if nothing is. Skips short texts that
 * are so fast that even quadratic growth would be acceptable. Stops at the first slow text, because a worse one may
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
    const quarter = make(bound / 4);
    const growth = async (): Promise<number> =>
      (await fastest(() => run(text), 0)) / (await fastest(() => run(quarter), 0));
    if (
      long > MAX_BUSY_MS ||
      (long > MAX_MS && long > MAX_GROWTH.ofTen * short && (await growth()) > MAX_GROWTH.ofFour)
    ) {
      return `${name}: ${short} ms for ${bound / 10} characters, ${long} ms for ${bound}`;
    }
  }
  return undefined;
}
