/** Comment markers by VS Code language identifier; other languages are treated like C. */
const HASH = ['#'];
const DASHES = ['--'];
const MARKUP = ['<!--', '{/*'];
const MARKS: Readonly<Record<string, readonly string[]>> = {
  coffeescript: HASH,
  dockercompose: HASH,
  dockerfile: HASH,
  elixir: HASH,
  ini: [';', '#'],
  julia: HASH,
  makefile: HASH,
  perl: HASH,
  powershell: ['#', '<#'],
  properties: ['#', '!'],
  python: HASH,
  r: HASH,
  ruby: HASH,
  shellscript: HASH,
  toml: HASH,
  yaml: HASH,
  php: ['//', '#', '/*'],
  haskell: DASHES,
  lua: DASHES,
  sql: ['--', '/*'],
  clojure: [';'],
  bat: ['REM', '::'],
  latex: ['%'],
  tex: ['%'],
  vb: ["'"],
  html: MARKUP,
  markdown: MARKUP,
  mdx: MARKUP,
  xml: MARKUP,
  vue: [...MARKUP, '//', '/*'],
  svelte: [...MARKUP, '//', '/*'],
  css: ['/*'],
};
const LIKE_C = ['//', '/*'];

/** Delimiters of multi-line comments. */
const BLOCKS: readonly (readonly [string, string])[] = [
  ['/*', '*/'],
  ['<!--', '-->'],
];

/** How many lines above the current one are searched for the start of a block comment. */
const LINES_ABOVE = 80;

/**
 * Returns the trigger word in a comment on a line (whole word, case-sensitive); undefined when there is none. Detects
 * comments from the line and the few above it, without parsing the language.
 */
export function commentTrigger(
  textOf: (line: number) => string,
  line: number,
  languageId: string,
  words: readonly string[],
): string | undefined {
  const text = textOf(line);
  const found = words
    .map((word) => ({ word, at: indexOfWord(text, word) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  const marks = MARKS[languageId] ?? LIKE_C;
  return found.find(({ at }) => afterMark(text.slice(0, at), marks) || inBlock(textOf, line, text.slice(0, at), marks))
    ?.word;
}

function indexOfWord(text: string, word: string): number {
  if (word.trim() === '' || !text.includes(word)) {
    return -1;
  }
  const plain = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return text.search(new RegExp(`(?<![\\p{L}\\p{N}_])${plain}(?![\\p{L}\\p{N}_])`, 'u'));
}

/** Whether the position is after a comment marker that is not in a string. */
function afterMark(before: string, marks: readonly string[]): boolean {
  return marks.some((mark) => {
    const at = before.lastIndexOf(mark);
    const closed = mark === '/*' && before.includes('*/', at) ? true : mark === '<!--' && before.includes('-->', at);
    // The slashes of a URL (“https://”) are not a comment marker.
    const address = mark === '//' && before[at - 1] === ':';
    return at !== -1 && !closed && !address && !inString(before.slice(0, at));
  });
}

function inString(before: string): boolean {
  let open = '';
  for (let at = 0; at < before.length; at++) {
    const here = before.charAt(at);
    if (here === '\\') {
      at++;
    } else if (open === '' ? /["'`]/.test(here) : here === open) {
      open = open === '' ? here : '';
    }
  }
  return open !== '';
}

function inBlock(textOf: (line: number) => string, line: number, before: string, marks: readonly string[]): boolean {
  return BLOCKS.filter(([open]) => marks.some((mark) => mark.endsWith(open))).some(([open, close]) => {
    if (before.includes(close)) {
      return false;
    }
    for (let above = line - 1; above >= Math.max(0, line - LINES_ABOVE); above--) {
      const text = textOf(above);
      const [opened, closed] = [text.lastIndexOf(open), text.lastIndexOf(close)];
      if (opened !== -1 || closed !== -1) {
        return opened > closed && !inString(text.slice(0, opened));
      }
    }
    return false;
  });
}
