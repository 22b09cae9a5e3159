import type { NameKind, Place } from './finding';
import { normalizeLiteral } from './literals';
import { classify } from './names';
import type { CodeSpan, Page, PageTable } from './pages/page';
import { pastLines, pastSentences } from './pages/readPage';

/** A page says what the default of a name is. */
export interface DefaultClaim {
  name: string;
  kind: NameKind;
  /** Of the literal. */
  place: Place;
  /** Normalized. */
  literal: string;
  /** As the page shows it. */
  shown: string;
}

type Name = Pick<DefaultClaim, 'name' | 'kind'>;
/** A literal on a page. Lines and columns count from 1. */
interface Shown {
  shown: string;
  line: number;
  column: number;
  /** The rest of its line. */
  rest: string;
}
type Report = (name: Name | undefined, shown: Pick<Shown, 'shown' | 'line' | 'column'> | undefined) => void;

/** No longer line or tag is read. */
const MAX_LINE = 2_000;
/** How many lines above a default its name may stand: in the same paragraph, and otherwise. */
const MAX_PARAGRAPH = 9;
const MAX_ABOVE = 30;
/** How many defaults are read in a line. */
const MAX_STATED = 9;

/** The defaults that a page states in tables, sentences, attributes of components, and code blocks. */
export function defaultsOnPage(page: Page, path: string): DefaultClaim[] {
  const claims = new Map<string, DefaultClaim>();
  const isPast = pastLines(page);
  const isOfThePast = pastSentences(page);
  const report: Report = (name, found) => {
    const literal = found === undefined ? undefined : normalizeLiteral(found.shown);
    if (
      name !== undefined &&
      found !== undefined &&
      literal !== undefined &&
      !isPast(found.line) &&
      !isOfThePast(found)
    ) {
      const { shown, line, column } = found;
      const place = { path, line, column, endColumn: column + shown.length };
      claims.set(`${name.name} ${line} ${column}`, { name: name.name, kind: name.kind, place, literal, shown });
    }
  };
  const names = new Names(page);
  const inBlock = new Set(page.blocks.flatMap(({ text, line }) => text.split('\n').map((_, index) => line + index)));
  page.tables.forEach((table) => readTable(table, names, report));
  page.blocks.forEach(({ text, line }) => readBlock(text, line, report));
  for (const [index, line] of page.lines.entries()) {
    if (line.length <= MAX_LINE && /default/i.test(line) && !inBlock.has(index + 1)) {
      readTag(page.lines, index, report);
      readLine(names, line, index, report);
    }
  }
  return [...claims.values()];
}

/** The first name in a piece of a page that consists of names: a cell, a heading, a term. */
function nameOf(text: string): Name | undefined {
  const code = /`([^`]+)`/.exec(text)?.[1] ?? text.replaceAll(/[*:]/g, ' ');
  return code
    .split(/[,|/]\s/)
    .flatMap((each) => classify(each.trim()))
    .find(({ kind, name }) => kind !== 'file' && !/^default$/i.test(name));
}

const DEFAULT_CELL = /^[*_`]*(?:the )?defaults?(?:[ -]?values?)?[*_`:]*$/i;
const NAME_CELL =
  /\b(?:names?|options?|param(?:eter)?s?|propert(?:y|ies)|settings?|keys?|fields?|flags?|variables?|arguments?|attributes?)\b/i;

function readTable({ header, rows }: PageTable, names: Names, report: Report): void {
  const column = header.findIndex((text) => DEFAULT_CELL.test(text));
  const named = Math.max(
    0,
    header.findIndex((text) => NAME_CELL.test(text)),
  );
  for (const { line, cells } of rows) {
    // “Default | 5” belongs to the heading above the table.
    const isUnderHeading = cells.length === 2 && DEFAULT_CELL.test(cells[0]?.text ?? '');
    const cell = cells[isUnderHeading ? 1 : column];
    const text = cells[named]?.text ?? '';
    const [, marks = '', shown] = /^([*_]*`?)([^`*_](?:[^`*]*[^`*_])?)`?[*_]*$/.exec(cell?.text ?? '') ?? [];
    if (cell !== undefined && shown !== undefined && (column !== named || isUnderHeading)) {
      const isName = text.includes('`') || !/\w \w/.test(text);
      const name = isUnderHeading ? names.above(line - 1, line - 1, true) : isName ? nameOf(text) : undefined;
      report(name, { shown, line, column: cell.column + marks.length });
    }
  }
}

const UNIT =
  '(?:ms|[smhd]|[kKMGT]?i?B|[kKMG]|%|(?:milli|micro|nano)?seconds?|min(?:ute)?s?|hours?|days?|weeks?|(?:kilo|mega|giga)?bytes?)';
/** A literal in code font, in quotes, or one that prose can't contain by chance. */
const VALUE = new RegExp(
  `\`{1,2}([^\`\\n]{1,80})\`{1,2}|["“']([^"“”'\\n]{1,60})["”']|` +
    `([-+]?\\d[\\d_]*(?:,\\d{3})*(?:\\.\\d+)?(?:[ -]?${UNIT}(?![\\w-]))?|(?:true|false)\\b)(?![\\w-]|\\.\\w)`,
  'iy',
);
/** A word up to the end of the line or of the brackets. */
const BARE = /([\w./:@+-]{1,60}?)(?=[)\]]|[.*_)\]]{0,3}$)/y;
const STATED =
  /\bdefaults?(?:[ -]?values?)?((?:[*_]{0,3}\s?[:=→][*_]{0,3}|\s(?:is|are|to|of|for|set|being|currently)(?=[ :])){0,3})\s?(?:the )?/gi;
/** What shows that a value holds only sometimes, or isn't all of it. */
const CONDITION =
  /^(?:,? (?:or|but)\b|, ?`|\s*(?:and|if|when|unless|for|on|plus|per|times|x|to|in|with|otherwise|except)\b|\s*[+*×/]\s*[\d`])/i;
const NO_CONDITION =
  /^,?\s*(?:(?:if|when) (?:\w+ ){0,3}(?:not|unset|omitted|unspecified|no)\b|in \w*(?:seconds|bytes)\b)/i;
/** “`5` (default)”, “is `5` by default”, “(by default `5`)” */
const MARKED =
  /(?:``?([^`\n]{1,80})``?|"([^"\n]{1,60})")\s\((?:the )?default[),;]|(?:\b(?:is|are|to|at)|[(:])\s``?([^`\n]{1,80})``?\sby default\b|\(by default:?\s``?([^`\n]{1,80})``?\)/gi;
const FIELD = /^\s*:default(?:-value)?:\s{1,9}`{0,2}(?=[^`\s])/;

/** A line outside of code blocks. */
function readLine(names: Names, line: string, index: number, report: Report): void {
  const field = FIELD.exec(line)?.[0].length;
  if (field !== undefined) {
    const shown = line.slice(field).replace(/`.*/, '').trim();
    report(names.above(index, index, true), { shown, line: index + 1, column: field + 1 });
  }
  for (const { 0: whole, 1: verb = '', index: at } of Array.from(line.matchAll(STATED)).slice(0, MAX_STATED)) {
    const isMarked = /[([,;]\s?$/.test(line.slice(Math.max(0, at - 9), at));
    const mayBeBare = verb !== '' && (isMarked || /[:=]/.test(verb));
    const value = verb === '' && !isMarked ? undefined : valueAt(line, index + 1, at + whole.length, mayBeBare);
    // “The default of `retries` is `5`.”
    const next = /^(?: \w+){0,2}(?: (?:is|are)|:) /.exec(value?.rest ?? '')?.[0].length;
    const other =
      next === undefined ? undefined : valueAt(line, index + 1, line.length - (value?.rest ?? '').length + next, false);
    const found = other ?? (verb.endsWith(' for') ? undefined : value);
    if (value !== undefined && found !== undefined && (!CONDITION.test(found.rest) || NO_CONDITION.test(found.rest))) {
      report(other === undefined ? names.before(index, at) : nameOf(value.shown), found);
    }
  }
  for (const { 0: whole, index: at, ...groups } of Array.from(line.matchAll(MARKED)).slice(0, MAX_STATED)) {
    const shown = [groups[1], groups[2], groups[3], groups[4]].find((each) => each !== undefined) ?? '';
    const [, flag, value = shown] = /^(--[\w.-]+)=(\S+)$/.exec(shown) ?? [];
    const column = at + whole.lastIndexOf(value) + 1;
    report(flag === undefined ? names.before(index, at) : nameOf(flag), { shown: value, line: index + 1, column });
  }
}

function valueAt(text: string, line: number, start: number, mayBeBare: boolean): Shown | undefined {
  for (const pattern of mayBeBare ? [VALUE, BARE] : [VALUE]) {
    pattern.lastIndex = start;
    const [whole = '', ...groups] = pattern.exec(text) ?? [];
    const shown = groups.find((each: string | undefined) => each !== undefined);
    if (shown !== undefined) {
      return { shown, line, column: start + whole.indexOf(shown) + 1, rest: text.slice(start + whole.length) };
    }
  }
  return undefined;
}

/** `<ParamField path="retries" default="5">`, which may go over several lines. */
function readTag(lines: readonly string[], index: number, report: Report): void {
  const [, start = '', shown] = /^(.*\sdefault(?:Value)?=["'{])([^"'}\n]*)["'}]/.exec(` ${lines[index] ?? ''}`) ?? [];
  const near = shown === undefined ? [] : lines.slice(Math.max(0, index - 5), index + 6);
  const from = near.findLastIndex((line, at) => at <= Math.min(5, index) && /^\s*<[A-Z]\w*(?:\s|$)/.test(line));
  const [tag = ''] =
    from === -1
      ? []
      : near
          .slice(from)
          .join('\n')
          .split(/>\s*\n/, 1);
  const name = /\s(?:path|query|body|header|name|prop|param)=["'{]{1,2}([^"'}\n]+)/.exec(tag)?.[1];
  report(name === undefined ? undefined : nameOf(name), { shown: shown ?? '', line: index + 1, column: start.length });
}

/** The beginning of an item, a row, a heading, or a directive. */
const BEGINS = /^\s*(?:[-*+•]\s|\d+[.)]\s|[|#>]|:\s|\.\.\s)/;
/** What may stand before a name that an item begins with. */
const LEADING = /^\s*(?:[-*+•|>]\s*)?(?:\[[ x]\]\s*)?[*_["'(]{0,4}`{1,2}$/;
const DIRECTIVE = /^\s*\.\. (?:[a-z]{1,9}:)?(?:confval|option|envvar|setting|data|attribute|property)::\s+(\S+)/;
const ONLY_NAME = /^\s*(?:[-*+]\s+)?[*_]{0,3}`{1,2}[^`]+`{1,2}[*_:]{0,3}(?:\s?\([^()]*\))?:{0,2}\s*$/;
const NAME_AS_HEADING = /^(?:`[^`]+`|(?=[a-z-]|\w*_|[A-Z]\w*[a-z][A-Z])[\w.:$-]+(?:,\s?-{1,2}[\w-]+)*)(?:\s?[({<].*)?$/;

/** Finds the names that defaults belong to. */
class Names {
  private readonly spans: Map<number, CodeSpan[]>;
  private readonly headings: Map<number, string>;
  private readonly known = new Map<string, Name | undefined>();

  constructor(private readonly page: Page) {
    this.spans = Map.groupBy(page.spans, ({ line }) => line);
    this.headings = new Map(page.headings.map(({ line, text }) => [line, text.replaceAll(/[*\\]|:$/g, '')]));
  }

  private nameIn(code: string): Name | undefined {
    const known = this.known.get(code) ?? nameOf(`\`${code}\``);
    this.known.set(code, known);
    return known;
  }

  /** The name that a sentence or an item is about before a place in a line. */
  before(index: number, at: number): Name | undefined {
    const { lines } = this.page;
    let first = index;
    while (
      !BEGINS.test(lines[first] ?? '') &&
      (lines[first - 1] ?? '').trim() !== '' &&
      !this.headings.has(first) &&
      index - first < MAX_PARAGRAPH
    ) {
      first--;
    }
    const paragraph = lines.slice(first, index + 1).join('\n');
    const text = paragraph.slice(0, paragraph.length - (lines[index] ?? '').length + at);
    const named: { name: Name; from: number; end: number }[] = [];
    for (let each = first, lineStart = 0; each <= index; lineStart += (lines[each] ?? '').length + 1, each++) {
      for (const { text: code, column } of this.spans.get(each + 1) ?? []) {
        const [from, end] = [lineStart + column - 1, lineStart + column - 1 + code.length];
        const name = end > text.length ? undefined : this.nameIn(code);
        // In a list of values, no value is the name.
        const isListed =
          /`[\s,]+(?:or |and )?`+$/.test(paragraph.slice(Math.max(0, from - 9), from)) ||
          /^`+,?\s(?:or |and )?`/.test(paragraph.slice(end, end + 9));
        if (name !== undefined && (!isListed || LEADING.test(text.slice(0, from)))) {
          named.push({ name, from, end });
        }
      }
    }
    const [leading] = named;
    const nearest = named.at(-1);
    if (leading === undefined || nearest === undefined) {
      return this.above(first, index, /^[\W_]*(?:the )?$/i.test(text));
    }
    const between = text.slice(nearest.end);
    const isSubject = /^`{1,2}[)*_]*\s$/.test(between) && /^defaults\b/i.test((lines[index] ?? '').slice(at));
    if (!isSubject && LEADING.test(text.slice(0, leading.from))) {
      return leading.name;
    }
    const isOnly = named.every(({ name }) => name.name === nearest.name.name);
    return isOnly || !/[.!?]\s/.test(between) ? nearest.name : undefined;
  }

  /**
   * The heading, term, or directive above that consists of a name.
   *
   * @param isFar whether a heading may have other text below it
   */
  above(first: number, index: number, isFar: boolean): Name | undefined {
    const { lines } = this.page;
    let indent = (lines[first] ?? '').search(/\S|$/);
    let isNext = true;
    for (let each = first; each >= 0 && index - each < MAX_ABOVE; each--) {
      const line = lines[each] ?? '';
      const heading = this.headings.get(each + 1);
      if (heading !== undefined) {
        return (isNext || isFar) && NAME_AS_HEADING.test(heading) ? nameOf(heading) : undefined;
      }
      const depth = line.search(/\S/);
      const directive = depth < indent ? DIRECTIVE.exec(line)?.[1] : undefined;
      if (directive !== undefined) {
        return nameOf(directive);
      }
      if (each !== first && depth !== -1 && (depth < indent || (depth === indent && ONLY_NAME.test(line)))) {
        const [span] = this.spans.get(each + 1) ?? [];
        const isTerm = span !== undefined && LEADING.test(line.slice(0, span.column - 1));
        const name = isTerm ? this.nameIn(span.text) : undefined;
        if (name !== undefined) {
          return name;
        }
        indent = depth;
      }
      isNext &&= each === first || depth === -1;
    }
    return undefined;
  }
}

const KEY = /^\s*(?:- )?(?:export |readonly )?["']?([A-Za-z_][\w.-]*)["']?\??\s?[:=](?!=)/;
const COMMENT = /(?:^|\s)(?:#|\/\/|\/?\*{1,2}|--|;)\s/;
const IN_COMMENT = /\bdefault(?:s|[ -]?value)?(?:\s(?:is|to)\b|\s?[:=]|(?<=@default))\s?/i;
const FLAG_HELP = /^\s*(?:-\w,?\s+)?(--[a-z][\w.-]*)/;
const SHOWN_IN_HELP = /[([]default(?: is|:)?\s["']?([^)\]"'\s]+)["']?[)\]]/i;
/** Some programs show a default in place of a placeholder, which is in capitals. */
const VALUE_IN_HELP = /^\s*(?:-\w, )?(--[a-z][\w.-]*)=(?![A-Z_]+(?:\s|$))"?([^"\s]+)"?(?:\s{2}|\s*$)/;
/** `[ retries: <int> | default = 5 ]` */
const REFERENCE = /^\s*\[\s*([A-Za-z_][\w.-]*):\s*<[^<>]*>\s*\|\s*default\s*=\s*["']?([^"'\s\]]+)/;

/** Configuration with comments, or the help of a program. */
function readBlock(text: string, first: number, report: Report): void {
  const isHelp = /^(?:usage|flags|options)\b/im.test(text);
  let flag: Name | undefined;
  let above: Shown | undefined;
  for (const [index, code] of text.split('\n').entries()) {
    const line = code.length > MAX_LINE ? '' : code;
    const number = first + index;
    const [whole, key = '', value = ''] = REFERENCE.exec(line) ?? (isHelp ? VALUE_IN_HELP.exec(line) : null) ?? [];
    const [option] = whole === undefined ? (FLAG_HELP.exec(line)?.slice(1) ?? []) : [key];
    flag = option === undefined ? flag : nameOf(option);
    const help = flag === undefined ? undefined : SHOWN_IN_HELP.exec(line);
    const shown = help?.[1] ?? value;
    report(whole === undefined ? flag : nameOf(key), { shown, line: number, column: line.lastIndexOf(shown) + 1 });
    const comment = COMMENT.exec(line)?.index ?? line.length;
    const stated = IN_COMMENT.exec(line.slice(comment));
    const found = stated === null ? undefined : valueAt(line, number, comment + stated.index + stated[0].length, true);
    const kept = found === undefined || CONDITION.test(found.rest) ? undefined : found;
    const member = KEY.exec(line.slice(0, comment))?.[1];
    report(member === undefined ? undefined : nameOf(member), kept ?? above);
    above =
      member !== undefined || comment === line.length ? undefined : (kept ?? (found === undefined ? above : undefined));
  }
}
