import { once } from '../base/async';

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

/** Longer lines are data, not comments. The words come from the workspace's settings. In characters. */
const MAX_LINE = 10_000;
const MAX_WORD = 40;

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
  if (text.length > MAX_LINE) {
    return undefined;
  }
  const found = words
    .filter((word) => word.length <= MAX_WORD)
    .map((word) => ({ word, at: indexOfWord(text, word) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  const marks = MARKS[languageId] ?? LIKE_C;
  const strings = once(() => stringsOf(text));
  const blocks = once(() => blocksAbove(textOf, line, marks));
  return found.find(({ at }) => {
    const before = text.slice(0, at);
    return afterMark(before, marks, strings) || blocks().some((close) => !before.includes(close));
  })?.word;
}

function indexOfWord(text: string, word: string): number {
  if (word.trim() === '' || !text.includes(word)) {
    return -1;
  }
  const plain = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return text.search(new RegExp(`(?<![\\p{L}\\p{N}_])${plain}(?![\\p{L}\\p{N}_])`, 'u'));
}

/** Whether the position is after a comment marker that is not in a string. */
function afterMark(before: string, marks: readonly string[], strings: () => Uint8Array): boolean {
  return marks.some((mark) => {
    const at = before.lastIndexOf(mark);
    const closed = mark === '/*' && before.includes('*/', at) ? true : mark === '<!--' && before.includes('-->', at);
    // The slashes of a URL (“https://”) are not a comment marker.
    const address = mark === '//' && before[at - 1] === ':';
    return at !== -1 && !closed && !address && strings()[at] === 0;
  });
}

/** For each position of a line, 1 if it is in a string. */
function stringsOf(line: string): Uint8Array {
  const inside = new Uint8Array(line.length + 1);
  let open = '';
  for (let at = 0; at < line.length; at++) {
    const here = line.charAt(at);
    if (here === '\\') {
      at++;
      inside[at] = open === '' ? 0 : 1;
    } else if (open === '' ? '"\'`'.includes(here) : here === open) {
      open = open === '' ? here : '';
    }
    inside[at + 1] = open === '' ? 0 : 1;
  }
  return inside;
}

/** The closing delimiters of the comments that are open at the start of a line. */
function blocksAbove(textOf: (line: number) => string, line: number, marks: readonly string[]): string[] {
  return BLOCKS.filter(([open, close]) => marks.some((mark) => mark.endsWith(open)) && isOpenAbove(open, close)).map(
    ([, close]) => close,
  );

  function isOpenAbove(open: string, close: string): boolean {
    for (let above = line - 1; above >= Math.max(0, line - LINES_ABOVE); above--) {
      const text = textOf(above);
      if (text.length > MAX_LINE) {
        return false;
      }
      const [opened, closed] = [text.lastIndexOf(open), text.lastIndexOf(close)];
      if (opened !== -1 || closed !== -1) {
        return opened > closed && stringsOf(text)[opened] === 0;
      }
    }
    return false;
  }
}
