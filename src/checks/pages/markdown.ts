import * as helpers from 'markdown-it/lib/helpers/index.mjs';
import type MarkdownIt from 'markdown-it/lib/index.mjs';
import ParserBlock from 'markdown-it/lib/parser_block.mjs';
import ParserInline from 'markdown-it/lib/parser_inline.mjs';
import type { RuleInline } from 'markdown-it/lib/parser_inline.mjs';
import type Token from 'markdown-it/lib/token.mjs';
import { readTags } from './htmlTags';
import { maskMdx } from './mdx';
import { blank, frontMatterOf, newPage, type Page, plainLineEnds } from './page';
import { SourceMap } from './sourceMap';

/** What the inline rules find, with places in the content of their block. */
interface Environment {
  references?: Record<string, { href: string }>;
  found?: { kind: 'code' | 'link' | 'image' | 'html'; start: number; end: number; target: string }[];
  /** Inside of the description of an image, whose places are others. */
  inImage?: boolean;
}

/*
 * The parts of markdown-it that find blocks and code spans, without its renderer and its search for links in text. The
 * rules report where they begin and end, which the tokens of inline text don't say.
 */
function createParser(isMdx: boolean): MarkdownIt {
  const block = new ParserBlock();
  const inline = new ParserInline();
  inline.ruler.enableOnly(['text', 'escape', 'backticks', 'link', 'image', 'autolink', 'html_inline']);
  inline.ruler2.enableOnly([]);
  if (isMdx) {
    // MDX has neither indented code nor HTML.
    block.ruler.disable(['code', 'html_block']);
    inline.ruler.disable(['html_inline', 'autolink']);
  }
  const parser = {
    block,
    inline,
    helpers,
    options: { html: true, maxNesting: 50 },
    normalizeLink: (target: string) => target,
    normalizeLinkText: (target: string) => target,
    validateLink: () => true,
  } as unknown as MarkdownIt;
  report(inline, 'backticks', 'code');
  report(inline, 'link', 'link');
  report(inline, 'image', 'image');
  report(inline, 'html_inline', 'html');
  return parser;
}

type Kind = NonNullable<Environment['found']>[number]['kind'];

function report(inline: ParserInline, name: string, kind: Kind): void {
  const rules = inline.ruler as unknown as { __rules__: { name: string; fn: RuleInline }[] };
  const rule = rules.__rules__.find((each) => each.name === name)?.fn;
  if (rule === undefined) {
    throw new Error(`markdown-it has no rule ${name}`);
  }
  inline.ruler.at(name, (state, silent) => {
    const env = state.env as Environment;
    const start = state.pos;
    const before = state.tokens.length;
    const wasInImage = env.inImage;
    env.inImage = wasInImage === true || kind === 'image';
    const isFound = rule(state, silent);
    if (wasInImage === undefined) {
      delete env.inImage;
    } else {
      env.inImage = wasInImage;
    }
    if (isFound && !silent && wasInImage !== true) {
      const token = state.tokens.slice(before).find(({ type }) => type !== 'text');
      if (token !== undefined) {
        const target = token.attrGet(kind === 'image' ? 'src' : 'href') ?? '';
        env.found?.push({ kind, start, end: state.pos, target });
      }
    }
    return isFound;
  });
}

/** A longer paragraph is not text that somebody wrote, in characters. */
const MAX_INLINE = 20_000;

const parsers: Partial<Record<'markdown' | 'mdx', MarkdownIt>> = {};

/** @param onlyCode leaves out links and anchors, which takes half of the time */
export function readMarkdown(source: string, format: 'markdown' | 'mdx', onlyCode: boolean): Page {
  const text = plainLineEnds(source);
  const page = newPage(format, text.split('\n'));
  const front = frontMatterOf(text);
  const body = blank(front) + text.slice(front.length);
  const masked = format === 'mdx' ? maskMdx(body) : undefined;
  if (masked !== undefined && !onlyCode) {
    readTags(page, masked.tags, lineStarts(page.lines));
  }
  const parser = (parsers[format] ??= createParser(format === 'mdx'));
  const env: Environment = {};
  const tokens: Token[] = [];
  parser.block.parse(masked?.text ?? body, parser, env, tokens);
  readTokens(page, tokens, { parser, env, onlyCode, map: new SourceMap(page.lines) });
  return page;
}

interface Reading {
  parser: MarkdownIt;
  env: Environment;
  onlyCode: boolean;
  map: SourceMap;
}

function readTokens(page: Page, tokens: readonly Token[], reading: Reading): void {
  let range: readonly [number, number] = [0, 0];
  let level = 0;
  for (const token of tokens) {
    range = token.map ?? range;
    if (token.type === 'heading_open') {
      level = Number(token.tag.slice(1));
    } else if (token.type === 'inline') {
      readInline(page, token.content, range[0], reading);
      if (level > 0) {
        page.headings.push({ line: range[0] + 1, level, text: token.content });
      }
      level = 0;
    } else if (token.type === 'fence' && !reading.onlyCode) {
      const [language = ''] = token.info
        .trim()
        .toLowerCase()
        .split(/[\s{:,]/, 1);
      page.blocks.push({ language, text: token.content, line: range[0] + 2, column: 1 });
    } else if (token.type === 'html_block' && !reading.onlyCode) {
      const start = reading.map.find(token.content.split('\n', 1)[0] ?? '', range[0]);
      readTags(page, [{ start: 0, text: token.content }], undefined, { line: range[0] + 1, column: start + 1 });
    }
  }
}

function readInline(page: Page, content: string, line: number, { parser, env, onlyCode, map }: Reading): void {
  if (content.length > MAX_INLINE) {
    return;
  }
  const places = map.place(content, line);
  if (!content.includes('`') && (onlyCode || !/[[<]/.test(content))) {
    return;
  }
  env.found = [];
  parser.inline.parse(content, parser, env, []);
  for (const { kind, start, end, target } of env.found) {
    const piece = content.slice(start, end);
    const place = places(start);
    if (kind === 'code') {
      const ticks = /^`+/.exec(piece)?.[0].length ?? 1;
      if (!piece.includes('\n')) {
        page.spans.push({ text: piece.slice(ticks, -ticks), line: place.line, column: place.column + ticks });
      }
    } else if (kind === 'html') {
      readTags(page, [{ start: 0, text: piece }], undefined, place);
    } else {
      const last = piece.includes('\n') ? place.column + piece.indexOf('\n') : place.column + piece.length;
      page.links.push({ target, isImage: kind === 'image', line: place.line, column: place.column, endColumn: last });
    }
  }
}

function lineStarts(lines: readonly string[]): number[] {
  let start = 0;
  return lines.map((line) => {
    const here = start;
    start += line.length + 1;
    return here;
  });
}
