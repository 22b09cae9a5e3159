import type { NameKind, Place } from './finding';
import { normalizeLiteral } from './literals';
import { classify } from './names';
import type { CodeBlock, CodeSpan, Page, TableCell } from './pages/page';
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
  rest?: string;
}

/** No longer line is read, and no further defaults in a line. */
const MAX_LINE = 2_000;
const MAX_STATED = 9;

/** The defaults that a page states in tables, sentences, attributes of components, and code blocks. */
export function defaultsOnPage(page: Page, path: string): DefaultClaim[] {
  return page.lines.some((line) => /default|^\s*--[a-z][\w.-]*=/i.test(line)) ? new Reader(page, path).read() : [];
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
const LITERAL_CELL = /^([*_]*`?)([^`*_](?:[^`*]*[^`*_])?)`?[*_]*$/;

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
  /\b(?!default to\b)defaults?(?:[ -]?values?)?((?:[*_]{0,3}\s?[:=→][*_]{0,3}|\s(?:is|are|to|of|for|set|being|currently)(?=[ :])){0,3})\s?(?:the )?/gi;
/** What shows that a value holds only sometimes, or isn't all of it. */
const CONDITION =
  /^(?!,?\s(?:if|when) (?:\w+ ){0,3}(?:not|unset|omitted|unspecified|no)\b|\sin \w*(?:seconds|bytes)\b)(?:,? (?:or|but)\b|, ?`|\s*(?:and|if|when|unless|for|on|plus|per|times|x|to|in|with|otherwise|except)\b|\s*[+*×/]\s*[\d`])/i;
/** “`5` (default)”, “is `5` by default”, “(by default `5`)” */
const MARKED =
  /``?([^`\n]{1,80})``?\s\((?:the )?default[),;]|(?:\b(?:is|are|to|at)|[(:])\s``?([^`\n]{1,80})``?\sby default\b|\(by default:?\s``?([^`\n]{1,80})``?\)/gi;
/** `<ParamField path="retries" default="5">`, `:default: 5` */
const ATTRIBUTE = /(?:^|\s)(?:default(?:Value)?=["'{]|:default:\s{1,9}`{0,2})(?=[^`\s])([^"'}`\n]+)/;

/** The beginning of an item, a row, or a directive. */
const BEGINS = /^\s*(?:[-*+•]\s|\d+[.)]\s|[|>]|:\s|\.\.\s)/;
/** What may stand before a name that an item begins with. */
const LEADING = /^\s*(?:[-*+•|>]\s*)?(?:\[[ x]\]\s*)?[*_["'(]{0,4}`{1,2}$/;
const ONLY_NAME = /^\s*(?:[-*+]\s+)?[*_]{0,3}`{1,2}[^`]+`{1,2}[*_:]{0,3}(?:\s?\([^()]*\))?:{0,2}\s*$/;
const NAME_AS_HEADING = /^(?:`[^`]+`|(?=[a-z-]|\w*_|[A-Z]\w*[a-z][A-Z])[\w.:$-]+(?:,\s?-{1,2}[\w-]+)*)(?:\s?[({<].*)?$/;

const KEY = /^\s*(?:- )?(?:export |readonly )?["']?([A-Za-z_][\w.-]*)["']?\??\s?[:=](?!=)/;
const COMMENT = /(?:^|\s)(?:#|\/\/|\/?\*{1,2}|--|;)\s/;
const IN_COMMENT = /\bdefault(?:s|[ -]?value)?(?:\s(?:is|to)\b|\s?[:=]|(?<=@default))\s?/i;
const FLAG_HELP = /^\s*(?:-\w,?\s+)?(--[a-z][\w.-]*)/;
const SHOWN_IN_HELP = /[([]default(?: is|:)?\s["']?([^)\]"'\s]+)["']?[)\]]/i;
/** Some programs show a default in place of a placeholder, which is in capitals. */
const VALUE_IN_HELP = /^\s*(?:-\w, )?(--[a-z][\w.-]*)=(?![A-Z_]+(?:\s|$))"?([^"\s]+)"?(?:\s{2}|\s*$)/;
/** `[ retries: <int> | default = 5 ]` */
const REFERENCE = /^\s*\[\s*([A-Za-z_][\w.-]*):\s*<[^<>]*>\s*\|\s*default\s*=\s*["']?([^"'\s\]]+)/;

class Reader {
  private readonly claims = new Map<string, DefaultClaim>();
  private readonly isPast: (line: number) => boolean;
  private readonly isOfThePast: (place: { line: number; column: number }) => boolean;
  /** The heading above, if it is a name. */
  private heading: Name | undefined;
  /** Whether no paragraph has followed that heading yet. */
  private isBelowHeading = false;
  /** The names that the items around the current line begin with. */
  private terms: { name: Name; indent: number; isAlone: boolean }[] = [];
  private paragraph = '';
  private named: { name: Name; from: number; end: number; isLeading: boolean }[] = [];

  constructor(
    private readonly page: Page,
    private readonly path: string,
  ) {
    this.isPast = pastLines(page);
    this.isOfThePast = pastSentences(page);
  }

  read(): DefaultClaim[] {
    const { page } = this;
    const spans = Map.groupBy(page.spans, ({ line }) => line);
    const headings = new Map(page.headings.map(({ line, text }) => [line, text.replaceAll(/[*\\]|:$/g, '')]));
    const rows = new Map(
      page.tables.flatMap(({ header, rows: all }) => all.map(({ line, cells }) => [line, { header, cells }])),
    );
    const inBlock = new Set(page.blocks.flatMap(({ text, line }) => text.split('\n').map((_, at) => line + at)));
    for (const [index, line] of page.lines.entries()) {
      const heading = headings.get(index + 1);
      const row = rows.get(index + 1);
      if (heading !== undefined) {
        this.heading = NAME_AS_HEADING.test(heading) ? nameOf(heading) : undefined;
        this.isBelowHeading = true;
        this.terms = [];
        this.paragraph = '';
      } else if (line.length <= MAX_LINE && !inBlock.has(index + 1)) {
        this.enter(line, spans.get(index + 1) ?? []);
        this.readRow(row?.header ?? [], row?.cells ?? [], index + 1);
        if (/default/i.test(line)) {
          this.readLine(line, index + 1);
        }
      }
    }
    page.blocks.forEach((block) => this.readBlock(block));
    return [...this.claims.values()];
  }

  private report(name: Name | undefined, found: Shown | undefined): void {
    const literal = found === undefined ? undefined : normalizeLiteral(found.shown);
    if (
      name !== undefined &&
      found !== undefined &&
      literal !== undefined &&
      !this.isPast(found.line) &&
      !this.isOfThePast(found)
    ) {
      const { shown, line, column } = found;
      const place = { path: this.path, line, column, endColumn: column + shown.length };
      this.claims.set(`${name.name} ${line} ${column}`, { name: name.name, kind: name.kind, place, literal, shown });
    }
  }

  /** Goes on to a line: keeps the names in its paragraph, and the terms it belongs to. */
  private enter(line: string, spans: readonly CodeSpan[]): void {
    const indent = line.search(/\S/);
    const [first] = spans;
    const isTerm =
      first !== undefined && (first.isDefinition === true || LEADING.test(line.slice(0, first.column - 1)));
    const isAlone = ONLY_NAME.test(line);
    if (this.paragraph === '' || indent === -1 || isAlone || BEGINS.test(line)) {
      this.isBelowHeading &&= this.paragraph === '';
      this.paragraph = '';
      this.named = [];
    }
    if (indent === -1) {
      return;
    }
    if (this.paragraph === '') {
      this.terms = this.terms.filter(
        (term) => term.indent < indent || (term.indent === indent && term.isAlone && !isTerm),
      );
    }
    const name = isTerm ? nameOf(`\`${first.text}\``) : undefined;
    if (name !== undefined) {
      this.terms.push({ name, indent, isAlone: isAlone || first?.isDefinition === true });
    }
    const start = this.paragraph.length;
    for (const span of spans) {
      const from = span.column - 1;
      const end = from + span.text.length;
      const isLeading = start === 0 && span === first && isTerm;
      // In a list of values, no value is the name.
      const isListed =
        /`[\s,]+(?:or |and )?`+$/.test(line.slice(Math.max(0, from - 9), from)) ||
        /^`+,?\s(?:or |and )?`/.test(line.slice(end, end + 9));
      const found = isListed && !isLeading ? undefined : nameOf(`\`${span.text}\``);
      if (found !== undefined) {
        this.named.push({ name: found, from: start + from, end: start + end, isLeading });
      }
    }
    this.paragraph += `${line}\n`;
  }

  /** The name that a default in the current line is about; `rest` begins with the words about it. */
  private nameBefore(rest: string): Name | undefined {
    const text = this.paragraph.slice(0, this.paragraph.length - rest.length - 1);
    const named = this.named.filter(({ end }) => end <= text.length);
    const nearest = named.at(-1);
    if (nearest === undefined) {
      const isAbout = this.isBelowHeading || /^[\W_]*(?:the )?$/i.test(text);
      // In an item that begins with the value, the item around it has the name.
      const outer = this.terms.at(this.named[0]?.isLeading === true ? -2 : -1);
      return outer?.name ?? (isAbout ? this.heading : undefined);
    }
    const between = text.slice(nearest.end);
    const isSubject = /^`{1,2}[)*_]*\s$/.test(between) && /^defaults\b/i.test(rest);
    const [leading] = named;
    if (leading?.isLeading === true && !isSubject) {
      return leading.name;
    }
    const isOnly = named.every(({ name }) => name.name === nearest.name.name);
    return isOnly || !/[.!?]\s/.test(between) ? nearest.name : undefined;
  }

  private readRow(header: readonly string[], cells: readonly TableCell[], line: number): void {
    const column = header.findIndex((text) => NAME_CELL.test(text));
    const named = cells[Math.max(0, column)]?.text ?? '';
    // “Default | 5” belongs to the heading above the table.
    const isUnderHeading = cells.length === 2 && DEFAULT_CELL.test(cells[0]?.text ?? '');
    const cell = cells[isUnderHeading ? 1 : header.findIndex((text) => DEFAULT_CELL.test(text))];
    const [, marks = '', shown] = LITERAL_CELL.exec(cell?.text ?? '') ?? [];
    if (cell !== undefined && shown !== undefined && (isUnderHeading || cell.text !== named)) {
      const name = named.includes('`') || !/\w \w/.test(named) ? nameOf(named) : undefined;
      this.report(isUnderHeading ? this.heading : name, { shown, line, column: cell.column + marks.length });
    }
  }

  private readLine(line: string, number: number): void {
    const [attribute, text] = ATTRIBUTE.exec(line) ?? [];
    if (attribute !== undefined && text !== undefined) {
      const column = line.indexOf(attribute) + attribute.length - text.length + 1;
      this.report(this.terms.at(-1)?.name, { shown: text.trim(), line: number, column });
    }
    for (const { 0: whole, 1: verb = '', index } of Array.from(line.matchAll(STATED)).slice(0, MAX_STATED)) {
      const isMarked = /[([,;]\s?$/.test(line.slice(Math.max(0, index - 9), index));
      const mayBeBare = verb !== '' && (isMarked || /[:=]/.test(verb));
      const value = verb === '' && !isMarked ? undefined : valueAt(line, number, index + whole.length, mayBeBare);
      // “The default of `retries` is `5`.”
      const { rest = '' } = value ?? {};
      const next = /^(?: \w+){0,2}(?: (?:is|are)|:) /.exec(rest)?.[0].length;
      const other = next === undefined ? undefined : valueAt(line, number, line.length - rest.length + next, false);
      const found = other ?? (verb.endsWith(' for') ? undefined : value);
      if (value !== undefined && !CONDITION.test(found?.rest ?? '')) {
        this.report(other === undefined ? this.nameBefore(line.slice(index)) : nameOf(value.shown), found);
      }
    }
    for (const { 0: whole, 1: one, 2: two, 3: three, index } of Array.from(line.matchAll(MARKED)).slice(
      0,
      MAX_STATED,
    )) {
      const shown = one ?? two ?? three ?? '';
      const [, flag, value = shown] = /^(--[\w.-]+)=(\S+)$/.exec(shown) ?? [];
      const name = flag === undefined ? this.nameBefore(line.slice(index)) : nameOf(flag);
      this.report(name, { shown: value, line: number, column: index + whole.lastIndexOf(value) + 1 });
    }
  }

  /** Configuration with comments, or the help of a program. */
  private readBlock({ text, line: first }: CodeBlock): void {
    const isHelp = /^(?:usage|flags|options)\b/im.test(text);
    let flag: Name | undefined;
    let above: Shown | undefined;
    for (const number of text.split('\n').map((_, at) => first + at)) {
      const line = this.page.lines[number - 1]?.slice(0, MAX_LINE) ?? '';
      const [whole, key = '', value = ''] = REFERENCE.exec(line) ?? (isHelp ? VALUE_IN_HELP.exec(line) : null) ?? [];
      const option = whole === undefined ? FLAG_HELP.exec(line)?.[1] : key;
      flag = option === undefined ? flag : nameOf(option);
      const shown = (flag === undefined ? undefined : SHOWN_IN_HELP.exec(line)?.[1]) ?? value;
      this.report(flag, { shown, line: number, column: line.lastIndexOf(shown) + 1 });
      const comment = COMMENT.exec(line)?.index ?? line.length;
      const stated = IN_COMMENT.exec(line.slice(comment));
      const found =
        stated === null ? undefined : valueAt(line, number, comment + stated.index + stated[0].length, true);
      const kept = CONDITION.test(found?.rest ?? '') ? undefined : (found ?? above);
      const member = KEY.exec(line.slice(0, comment))?.[1];
      this.report(member === undefined ? undefined : nameOf(member), kept);
      above = member !== undefined || comment === line.length ? undefined : kept;
    }
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
