import { MAX_NAME, MAX_PATH } from '../../base/limits';
import * as z from 'zod/mini';
import { decodeJson } from '../../base/json';
import { maxLength, minLength } from '../../base/lengthChecks';
import { type Coverage, type Finding, MAX_EVIDENCE_LINE } from '../finding';

/** What the program that checks a repository prints. */
export type CheckEvent =
  | { type: 'progress'; done: number; total: number }
  | { type: 'finding'; finding: Finding }
  | { type: 'end'; coverage: Coverage };

/** Longer lines are dropped. In characters. */
const MAX_LINE = 32_768;

/** A program that prints more lines has gone wrong. */
const MAX_LINES = 500_000;

/** Commit subjects, link targets, and messages of parsers have no limit. Only their start is shown. */
const MAX_TEXT = 300;

const counted = z.int().check(z.minimum(0), z.maximum(1_000_000_000));
const position = z.int().check(z.minimum(1), z.maximum(1_000_000_000));
const name = z.string().check(minLength(1), maxLength(MAX_NAME));

/** A path that leads out of the repository is not one of its pages. */
const pagePath = z.string().check(
  minLength(1),
  maxLength(MAX_PATH),
  z.refine((path) => !/^([/\\]|[a-z]:)|(^|[/\\])\.\.([/\\]|$)|\0/i.test(path)),
);

const shortened = z.pipe(
  z.string(),
  z.transform((text) => text.slice(0, MAX_TEXT)),
);

const commit = z.object({
  commit: z.string().check(z.regex(/^[0-9a-f]{7,64}$/)),
  subject: shortened,
  date: z.number(),
});

/** `endColumn` can equal `column`, because a code block can be invalid at an empty line. */
const place = z
  .object({ path: pagePath, line: position, column: position, endColumn: position })
  .check(z.refine(({ column, endColumn }) => endColumn >= column));

const certainty = z.enum(['certain', 'likely']);
const line = z.string().check(maxLength(MAX_EVIDENCE_LINE));
const evidence = z.object({
  commit,
  repository: counted,
  path: pagePath,
  line: z.nullable(position),
  before: line,
  after: z.nullable(line),
});

const named = {
  place: place.check(z.refine(({ column, endColumn }) => endColumn > column)),
  name,
  kind: z.enum(['identifier', 'flag', 'variable', 'keyPath', 'file']),
  certainty,
};

const linked = { place, target: shortened, certainty, evidence: z.nullable(evidence), successor: z.nullable(pagePath) };

export const findingSchema = z.discriminatedUnion('rule', [
  z.object({
    rule: z.literal('gone-name'),
    ...named,
    evidence: z.nullable(evidence),
    successor: z.nullable(name),
  }),
  z.object({ rule: z.literal('changed-default'), ...named, documented: shortened, current: shortened, evidence }),
  z.object({ rule: z.literal('unknown-name'), ...named }),
  z.object({ rule: z.literal('broken-link'), ...linked, problem: z.enum(['file', 'anchor']) }),
  z.object({ rule: z.literal('missing-image'), ...linked }),
  z.object({ rule: z.literal('invalid-code'), place, language: shortened, message: shortened, certainty }),
]);

const REASONS = ['shallow', 'time', 'commits', 'files', 'size', 'not-utf8', 'submodule'] as const;

const coverage = z.object({
  pages: counted,
  leftOut: counted,
  names: counted,
  links: counted,
  defaults: counted,
  notChecked: z.array(z.object({ reason: z.enum(REASONS), count: counted })).check(maxLength(100)),
});

const checkEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: counted, total: counted }),
  z.object({ type: z.literal('finding'), finding: findingSchema }),
  z.object({ type: z.literal('end'), coverage }),
]);

/** Every line begins like this. No other line is parsed, because many short ones would block the caller. */
const LINE_START = '{"type":"';

/** Returns what a line says; undefined if it is not one that the program should print. */
export function parseCheckLine(line: string): CheckEvent | undefined {
  if (line.length > MAX_LINE || !line.startsWith(LINE_START)) {
    return undefined;
  }
  return z.safeParse(checkEvent, decodeJson(line)).data;
}

/** Splits the output of the program into events. Its text comes from the repository, so nothing in it is trusted. */
export class CheckOutput {
  /** The start of a line; what exceeds the limit is not kept. */
  private rest = '';
  private lines = 0;
  /** The number of lines that were dropped. */
  dropped = 0;

  /** Returns the events of the lines that are complete. Throws if there are too many lines. */
  push(chunk: string): CheckEvent[] {
    const parts = chunk.split('\n');
    const last = parts.pop() ?? '';
    const events: CheckEvent[] = [];
    for (const part of parts) {
      const event = parseCheckLine(this.bounded(part));
      this.rest = '';
      this.lines++;
      if (this.lines > MAX_LINES) {
        throw new Error('the check printed too much');
      }
      if (event === undefined) {
        this.dropped++;
      } else {
        events.push(event);
      }
    }
    this.rest = this.bounded(last);
    return events;
  }

  private bounded(part: string): string {
    return this.rest + part.slice(0, Math.max(0, MAX_LINE + 1 - this.rest.length));
  }
}
