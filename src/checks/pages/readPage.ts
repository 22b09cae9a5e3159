import type { PageFormat } from '../paths';
import { readMarkdown } from './markdown';
import { readAsciiDoc } from './asciiDoc';
import { readRestructuredText } from './restructuredText';
import type { Page } from './page';

/** Reads a page. The caller leaves out what is longer than `CheckLimits.pageBytes`. */
export function readPage(text: string, format: PageFormat): Page {
  return format === 'asciidoc'
    ? readAsciiDoc(text)
    : format === 'restructuredText'
      ? readRestructuredText(text)
      : readMarkdown(text, format);
}

/** Headings about what is gone, or about the past. */
const ABOUT_THE_PAST =
  /^(?:removed|removals?|deprecat(?:ed|ions?)|migrat(?:ing|ion)(?:$|:| (?:from|to|guide|notes|steps|path)\b|.* v?\d)|upgrad(?:e|ing)|breaking|changelog|change log|release notes|history|legacy|renamed|what(?:’|')?s new|previous(?:ly)?|older? versions?|before v?\d|until v?\d|(?:version )?v?\d+\.(?:\d+|x)|from v?\d)/i;
const OF_THE_PAST =
  /\b(?:removed|deprecated|migration guide|breaking changes|no longer supported|before v?\d+(?:\.\d+)*|renamed)\b/i;

/** Returns whether a line is under a heading about what is gone; lines count from 1. */
export function pastLines({ headings, lines }: Pick<Page, 'headings' | 'lines'>): (line: number) => boolean {
  const byLine = new Map(headings.map((heading) => [heading.line, heading]));
  /** That of the heading about the past above. */
  let level = 0;
  const past = lines.map((_, at) => {
    const heading = byLine.get(at + 1);
    if (heading !== undefined && (level === 0 || heading.level <= level)) {
      const words = heading.text.slice(0, 200).replace(/^[\s[`*_#]+/, '');
      level = ABOUT_THE_PAST.test(words) || OF_THE_PAST.test(words) ? heading.level : 0;
    }
    return level !== 0;
  });
  return (line) => past[line - 1] === true;
}

const OF_OLD_NAMES =
  /\b(?:removed|renamed|formerly|previously,? (?:called|named|known|the|was|were|it|this|we|you)|no longer|any ?more|used to be|was called|replaced|replaces? (?:`|the (?:old|former|previous|deprecated))|superseded|older? (?:name|versions?)|before v?\d|until v?\d|prior to|versions (?:lower|older|earlier|before|below))\b/i;

/** Whether a text says that the things it names are gone. */
export function speaksOfThePast(text: string): boolean {
  return OF_OLD_NAMES.test(text.slice(0, 5_000));
}

/** A line that doesn't continue the one before: an empty line, or the beginning of an item, a row, or a directive. */
const BEGINS = /^\s*(?:$|[-*+|#>:]|\d+[.)]\s|\.\.)/;
const END_OF_SENTENCE = /[.!?:](?:\s|$)/;

/**
 * Whether the page says that the name at a place is gone: on its line, or in the rest of its sentence on the lines
 * before and after.
 */
export function pastSentences({ lines }: Pick<Page, 'lines'>): (place: { line: number; column: number }) => boolean {
  const known = new Map<string, boolean>();
  const speaks = (text: string): boolean => {
    const found = known.get(text) ?? speaksOfThePast(text);
    known.set(text, found);
    return found;
  };
  const read = (line: number): string => (lines[line - 1] ?? '').slice(0, 5_000);
  return ({ line, column }) => {
    const [before, text, after] = [read(line - 1), read(line), read(line + 1)];
    const end = speaks(before) && !BEGINS.test(text) ? text.search(END_OF_SENTENCE) : -2;
    return (
      speaks(text) ||
      ((end === -1 || end >= Math.max(0, column - 1)) && speaks(before.split(END_OF_SENTENCE).at(-1) ?? '')) ||
      (speaks(after) &&
        !BEGINS.test(after) &&
        !END_OF_SENTENCE.test(text.slice(column - 1)) &&
        speaks(after.split(END_OF_SENTENCE, 1)[0] ?? ''))
    );
  };
}

const GENERATED = /\b(?:auto-?generated|generated (?:by|from|file|automatically)|do not edit|don't edit)\b/i;

/** Whether the start of a page says that a program writes it. */
export function isGenerated(text: string): boolean {
  return /^generated:[ \t]*true\b/m.test(text.slice(0, 1_000)) || GENERATED.test(text.slice(0, 600));
}
