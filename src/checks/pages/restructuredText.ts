import { addBlock, addLink, addSpans, type SpanPattern } from './lines';
import { newPage, type Page, plainLineEnds } from './page';
import { roleOf } from './roles';

/** Directives whose indented text is code. */
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|testcode|testsetup|doctest|prompt|ipython)$/;
/** Directives whose indented text isn't read, or is about what has changed. */
const NO_TEXT =
  /^(?:highlight|testoutput|math|raw|productionlist|graphviz|mermaid|toctree|csv-table|versionadded|deprecated|deprecated-removed|versionchanged|versionremoved)$/;
const INCLUDE = /^(?:literalinclude|include)$/;
const IMAGE = /^(?:image|figure)$/;
/** Directives that take docstrings from the code, or describe something in it. */
const DEFINITION =
  /^(?:auto(?:function|method|class|exception|data|attribute|property|decorator|module)|function|method|classmethod|staticmethod|class|exception|attribute|property|data|decorator|option|cmdoption|envvar|confval)$/;
/** Its name, possibly with a domain; and its argument. */
const DIRECTIVE = /^(\s*\.\.[ ]+)(?:([a-z]{1,9}):)?([\w.+-]+)::(?:[ ](.*))?$/;
/** Two dots before anything but a directive, a target, a footnote, or a substitution. */
const COMMENT = /^\s*\.\.(?:[ ]+(?![_[|])|$)/;

const PATTERNS: readonly SpanPattern[] = [
  [/``([^`]{1,300}?)``/g],
  [/:(?:[a-z]{1,9}:)?([a-z]{1,20}):`(?:[^`<]{1,200}<)?[~!]?([^`<>]{1,300})>?`/g, ([, role = '']) => roleOf(role)],
  // The default role, if its text is nothing but a name of code.
  [/(?<![\w:`\\])`[~!]?((?=[\w.]{0,99}[a-z0-9][A-Z_.]\w)[A-Za-z_][\w.]{2,99}(?:\(\))?)`(?![`_\w])/g],
];
const LINK = /:(?:doc|download):`(?:[^`<\n]{1,200}<)?([^`<>\n]{1,300})>?`|`[^`<\n]{1,200}<([^`<>\n]{1,300})>`__?/g;

/** Reads reStructuredText: literals, roles and directives that name code, code blocks, links, and tables. */
export function readRestructuredText(source: string): Page {
  const page = newPage('restructuredText', plainLineEnds(source).split('\n'));
  new Reader(page).read();
  return page;
}

class Reader {
  private readonly levels: string[] = [];
  private language = '';
  private at = 0;

  constructor(private readonly page: Page) {}

  read(): void {
    const { lines } = this.page;
    while (this.at < lines.length) {
      const line = this.line(this.at);
      const [, , , name, argument = ''] = DIRECTIVE.exec(line) ?? [];
      if (line.trim() === '') {
        this.at++;
      } else if (name !== undefined) {
        this.readDirective(name, argument.trim(), line.length - argument.trimStart().length);
      } else if (COMMENT.test(line)) {
        // Two dots alone followed by an empty line have no text.
        this.at = line.trim() === '..' && this.line(this.at + 1).trim() === '' ? this.at + 1 : this.endOfBody(this.at);
      } else if (!this.readHeading(line)) {
        this.readParagraph();
      }
    }
  }

  private line(index: number): string {
    return this.page.lines[index] ?? '';
  }

  /** The index after the lines below that are indented more. */
  private endOfBody(index: number): number {
    const indent = this.line(index).search(/\S/);
    let end = index + 1;
    for (let next = end; next < this.page.lines.length; next++) {
      const found = this.line(next).search(/\S/);
      if (found !== -1 && found <= indent) {
        break;
      }
      end = found === -1 ? end : next + 1;
    }
    return end;
  }

  /** @param start the 0-based column of its argument */
  private readDirective(name: string, argument: string, start: number): void {
    const { page, at } = this;
    const end = this.endOfBody(at);
    if (CODE.test(name)) {
      let body = at + 1;
      while (body < end && /^\s*:[\w-]+:/.test(this.line(body))) {
        body++;
      }
      const language = /^(?:testcode|testsetup|doctest|ipython)$/.test(name) ? 'python' : argument.split(' ', 1)[0];
      addBlock(page, language === '' ? this.language : (language ?? ''), body, end);
      this.at = end;
      return;
    }
    if (INCLUDE.test(name) || IMAGE.test(name)) {
      addLink(page, IMAGE.test(name) ? 'image' : 'include', argument, at + 1, start + 1);
    }
    this.language = name === 'highlight' ? argument : this.language;
    if (DEFINITION.test(name)) {
      this.readDefinition(name.replace('auto', ''), argument, start);
    }
    // Text on the line of a note is read like a paragraph.
    const isSkipped = NO_TEXT.test(name) || INCLUDE.test(name);
    if (!isSkipped && !DEFINITION.test(name)) {
      addSpans(page, at, at + 1, PATTERNS);
    }
    this.at = isSkipped ? end : at + 1;
  }

  private readDefinition(name: string, argument: string, start: number): void {
    const role = /^(?:class|exception)$/.test(name)
      ? 'type'
      : /function|method/.test(name)
        ? 'function'
        : (roleOf(name) ?? 'any');
    // The signature `int load(char *path)` names `load`; an option may have several flags.
    const names =
      name === 'option' || name === 'cmdoption'
        ? argument.matchAll(/--[\w-]+/g)
        : argument.matchAll(/(?<![^\s*&])([A-Za-z_][\w.:-]*)(?=\s*(?:[(=]|->|:\s|$))/g);
    for (const { 0: text, index } of [...names].slice(0, role === 'any' || role === 'key' ? 9 : 1)) {
      this.page.spans.push({ text, line: this.at + 1, column: start + index + 1, role, isDefinition: true });
    }
    const end = Math.min(this.endOfBody(this.at), this.at + 20);
    for (let index = this.at + 1; index < end; index++) {
      const line = this.line(index);
      const before = /^\s*:members:/.exec(line)?.[0] ?? line;
      for (const { 0: text, index: column } of line.slice(before.length).matchAll(/\w+/g)) {
        const place = { line: index + 1, column: before.length + column + 1 };
        this.page.spans.push({ text, ...place, role: 'any', isDefinition: true });
      }
    }
  }

  private readHeading(line: string): boolean {
    const underline = this.line(this.at + 1);
    if (!/^([=\-~^"'`#*+.:_])\1{2,}\s*$/.test(underline) || underline.trimEnd().length < line.trim().length) {
      return false;
    }
    const mark = underline[0] ?? '';
    const level = this.levels.includes(mark) ? this.levels.indexOf(mark) : this.levels.push(mark) - 1;
    this.page.headings.push({ line: this.at + 1, level: level + 1, text: line.trim() });
    addSpans(this.page, this.at, this.at + 1, PATTERNS);
    this.at += 2;
    return true;
  }

  private readParagraph(): void {
    const { page, at } = this;
    let end = at + 1;
    while (end < page.lines.length && this.line(end).trim() !== '' && !/^\s*\.\.(?:\s|$)/.test(this.line(end))) {
      end++;
    }
    addSpans(page, at, end, PATTERNS);
    for (let index = at; index < end; index++) {
      const line = this.line(index);
      for (const { 0: whole, 1: role, 2: url, index: column } of line.includes('`') ? line.matchAll(LINK) : []) {
        const target = role ?? url ?? '';
        addLink(page, 'link', target, index + 1, column + whole.lastIndexOf(target) + 1);
      }
      // The indented text below is code.
      if (line.endsWith('::') && (index + 1 === end || /^\s*::$/.test(line))) {
        end = this.endOfBody(index);
        addBlock(page, this.language, index + 1, end);
        break;
      }
      if (/^\s*>>> /.test(line)) {
        addBlock(page, 'pycon', index, end);
        break;
      }
    }
    this.at = end;
  }
}
