import { SHELL } from './blockNames';
import type { Place } from './finding';
import type { Page } from './pages/page';
import { pastLines, pastSentences } from './pages/readPage';
import type { ScriptTool } from './scripts';

/** A page says that one can run a script. */
export interface ScriptClaim {
  tool: ScriptTool;
  script: string;
  /** With the program, as the page has it: `npm run serve`. */
  shown: string;
  place: Place;
}

const WITH_VALUE = '(?:-w|--workspace|--filter|-F|--prefix|--cwd|--dir|-C)';
/** Each part can be read in one way only, or it would take long. */
const FLAGS = String.raw`(?:\s{1,9}(?:${WITH_VALUE}\s{1,9}[^\s-]\S*|(?!${WITH_VALUE}\s|-f\b|--file\b|--if-present)-{1,2}\w[\w-]*(?:=\S*)?|\w+=\S*|\d+))*`;
const PROGRAM = String.raw`(?:(?<npm>(?:npm|pnpm|yarn|bun)${FLAGS}(?:\s{1,9}workspace\s{1,9}\S+)?\s{1,9}run(?:-script)?)|(?<make>g?make)|just)`;
/** At the start of a command. What follows the name must not make it a part of something else, such as a placeholder. */
const COMMAND = new RegExp(
  String.raw`(?<=^\s{0,40}(?:(?:[$%❯>]|PS[^>]{0,60}>|[\w.~@:/-]{1,60}[$%>])\s{1,9})?|(?:&&|\|\||[;|(])\s{0,40})(?:(?:sudo|time|\w+=\S*)\s{1,9})*(?<shown>${PROGRAM}${FLAGS}\s{1,9}(?<script>[A-Za-z][\w-]*(?:[:.][\w-]+)*))(?=$|[\s;&|,)#])(?!.*\s--if-present)`,
  'g',
);
/** A longer line isn't a command that a person runs. */
const MAX_LINE = 300;

/** The scripts that a page says one can run, without those that it says are gone. */
export function scriptsOnPage(page: Page, path: string): ScriptClaim[] {
  const isPast = pastLines(page);
  const isOfThePast = pastSentences(page);
  const blocks = page.blocks.filter(
    ({ language }) => SHELL.test(language) || /^(?:te?xt|plain(?:text)?)?$/.test(language),
  );
  const commands = [
    ...page.spans.filter((span) => !isOfThePast(span)),
    ...blocks.flatMap(({ text, line: first }) => {
      const lines = page.lines.slice(first - 1, first - 1 + text.trimEnd().split('\n').length);
      return lines.map((each, below) => ({ text: each, line: first + below, column: 1 }));
    }),
  ].filter(({ text, line }) => text.length <= MAX_LINE && !isPast(line));
  const claims = commands.flatMap(({ text, line, column }) =>
    Array.from(
      text.matchAll(COMMAND),
      ({ 0: { length }, index, groups: { npm, make, script = '', shown = '' } = {} }) => {
        const tool = npm !== undefined ? 'npm' : make !== undefined ? 'make' : 'just';
        const endColumn = column + index + length;
        return { tool, script, shown, place: { path, line, column: endColumn - shown.length, endColumn } } as const;
      },
    ),
  );
  // A command in code font may go on in the next line; then it isn't where it seems to be.
  return claims.filter(
    ({ script, shown, place: { line, column } }) =>
      script !== script.toUpperCase() && script !== 'env' && page.lines[line - 1]?.startsWith(shown, column - 1),
  );
}
