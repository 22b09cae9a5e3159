import type { PageFormat } from '../paths';
import { readMarkdown } from './markdown';
import { readAsciiDoc } from './asciiDoc';
import { readRestructuredText } from './restructuredText';
import type { Page } from './page';

/** Reads a page. The caller leaves out what is longer than `CheckLimits.pageBytes`. */
export function readPage(text: string, format: PageFormat): Page {
  switch (format) {
    case 'asciidoc':
      return readAsciiDoc(text);
    case 'restructuredText':
      return readRestructuredText(text);
    case 'markdown':
    case 'mdx':
      return readMarkdown(text, format);
  }
}

/** Headings about what is gone, or about the past. */
const ABOUT_THE_PAST =
  /^(?:removed|removals?|deprecat(?:ed|ions?)|migrat(?:ing|ion)(?:$|:| (?:from|to|guide|notes|steps|path)\b|.* v?\d)|upgrad(?:e|ing)|breaking|changelog|change log|release notes|history|legacy|renamed|what(?:’|')?s new|previous(?:ly)?|older? versions?|before v?\d|until v?\d|(?:version )?v?\d+\.(?:\d+|x)|from v?\d)/i;
const OF_THE_PAST =
  /\b(?:removed|deprecated|migration guide|breaking changes|no longer supported|before v?\d+(?:\.\d+)*|renamed)\b/i;

/** Returns whether a line is under a heading about what is gone; lines count from 1. */
export function pastLines(page: Page): (line: number) => boolean {
  const ranges: { from: number; to: number }[] = [];
  for (const [index, { line, level, text }] of page.headings.entries()) {
    const words = text.slice(0, 200).replace(/^[\s[`*_#]+/, '');
    if (ABOUT_THE_PAST.test(words) || OF_THE_PAST.test(words)) {
      const next = page.headings.slice(index + 1, index + 500).find((each) => each.level <= level);
      ranges.push({ from: line, to: next?.line ?? Infinity });
    }
  }
  const past = new Uint8Array(page.lines.length + 1);
  let marked = 0;
  // Headings are in page order, so starting at `marked` never marks a line twice.
  for (const { from, to } of ranges) {
    past.fill(1, Math.max(from, marked), to);
    marked = Math.max(marked, Math.min(to, past.length));
  }
  return (line) => past[line] === 1;
}

const OF_OLD_NAMES =
  /\b(?:removed|renamed|formerly|previously,? (?:called|named|known|the|was|were|it|this|we|you)|no longer|any ?more|used to be|was called|replaced|replaces? (?:`|the (?:old|former|previous|deprecated))|superseded|older? (?:name|versions?)|before v?\d|until v?\d|prior to|versions (?:lower|older|earlier|before|below))\b/i;

/** Whether a text says that the things it names are gone. */
export function speaksOfThePast(text: string): boolean {
  return OF_OLD_NAMES.test(text.slice(0, 5_000));
}

/** A line that doesn't continue the one before: an empty line, or the beginning of an item, a row, or a directive. */
const BEGINS = /^\s*(?:$|[-*+|#>:]|\d+[.)]\s|\.\.)/;
const END_OF_SENTENCE = /[.!?:](?:\s|$)/g;

interface Line {
  speaks: boolean;
  /** The same for its first and last sentences, which may continue on the lines before and after. */
  firstSpeaks: boolean;
  lastSpeaks: boolean;
  firstEnd: number;
  lastStart: number;
}

function readLine(line: string): Line {
  const text = line.slice(0, 5_000);
  const ends = Array.from(text.matchAll(END_OF_SENTENCE), ({ index }) => index);
  const [firstEnd = Infinity, lastStart = -1] = [ends[0], ends.at(-1)];
  const speaks = speaksOfThePast(text);
  return {
    speaks,
    firstSpeaks: speaks && speaksOfThePast(text.slice(0, firstEnd)),
    lastSpeaks: speaks && speaksOfThePast(text.slice(lastStart + 1)),
    firstEnd,
    lastStart,
  };
}

/**
 * Whether the page says that the name at a place is gone: on its line, or in the rest of its sentence on the lines
 * before and after.
 */
export function pastSentences({ lines }: Pick<Page, 'lines'>): (place: { line: number; column: number }) => boolean {
  const known = new Map<number, Line>();
  const read = (line: number): Line => {
    const found = known.get(line) ?? readLine(lines[line - 1] ?? '');
    known.set(line, found);
    return found;
  };
  const begins = (line: number): boolean => BEGINS.test((lines[line - 1] ?? '').slice(0, 100));
  return ({ line, column }) => {
    const { speaks, firstEnd, lastStart } = read(line);
    return (
      speaks ||
      (firstEnd >= column - 1 && read(line - 1).lastSpeaks && !begins(line)) ||
      (lastStart < column - 1 && read(line + 1).firstSpeaks && !begins(line + 1))
    );
  };
}

const GENERATED = /\b(?:auto-?generated|generated (?:by|from|file|automatically)|do not edit|don't edit)\b/i;

/** Whether the start of a page says that a program writes it. */
export function isGenerated(text: string): boolean {
  return /^generated:[ \t]*true\b/m.test(text.slice(0, 1_000)) || GENERATED.test(text.slice(0, 600));
}
