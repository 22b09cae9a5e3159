import type { CodeBlock, PageLink } from './page';

/** Begins a tab or a note of MkDocs, whose text is indented by four more spaces. */
const CONTAINER = /^[ \t]*(?:===[!+]{0,2}[ \t]+["']|!!![ \t]+\S|\?\?\?\+?[ \t]+\S)/;
/** A directive of MyST in the form of a code block, whose text is Markdown. */
const DIRECTIVE =
  /^\{(?:note|tip|hint|warning|important|caution|danger|attention|error|seealso|admonition|dropdown|details|tab-set|tab-item|grid|grid-item|grid-item-card|card|versionadded|topic|sidebar|margin)\}/;
const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^`~].*)?$/;
/** Code of Hugo and Jekyll. */
const HIGHLIGHT = /^[ \t]*(?:\{\{[<%][ \t]*|\{%-?[ \t]*)highlight[ \t]+"?([\w+#-]+)/;
const END_OF_HIGHLIGHT = /\{\{[<%][ \t]*\/highlight\b|\{%-?[ \t]*endhighlight\b/;
const HAS_NONE = /^[ \t]*(?:===|!!!|\?\?\?|[`~]{3,}\{|.{0,3}\{[{%].{0,3}highlight)/m;

export interface PlainMarkdown {
  lines: string[];
  /** How many characters are missing at the start of a line, by its index. */
  removed: Map<number, number>;
  blocks: CodeBlock[];
}

/** Turns the forms of generators that other readers would take for code into plain Markdown with the same lines. */
export function plainMarkdown(text: string): PlainMarkdown {
  const plain: PlainMarkdown = { lines: text.split('\n'), removed: new Map(), blocks: [] };
  if (!HAS_NONE.test(text)) {
    return plain;
  }
  /** How far the text of each open container is indented. */
  const containers: number[] = [];
  const directives: string[] = [];
  let fence: { mark: string; depth: number } | undefined;
  let code: CodeBlock | undefined;
  for (const [index, whole] of plain.lines.entries()) {
    const indent = indentOf(whole);
    while (whole.trim() !== '' && indent < (containers.at(-1) ?? 0)) {
      containers.pop();
    }
    if (fence !== undefined && fence.depth > containers.length) {
      fence = undefined;
    }
    const start = containers.length === 0 ? 0 : startOf(whole, containers.length);
    let line = whole.slice(start);
    const [, mark = '', info = ''] = FENCE.exec(line) ?? [];
    const isEnd = info.trim() === '';
    if (code !== undefined) {
      if (END_OF_HIGHLIGHT.test(line)) {
        plain.blocks.push(code);
        code = undefined;
      } else {
        code.text += `${line}\n`;
      }
      line = '';
    } else if (fence !== undefined) {
      fence = isEnd && mark.startsWith(fence.mark) ? undefined : fence;
    } else if (isEnd && mark !== '' && mark === directives.at(-1)) {
      directives.pop();
      line = '';
    } else if (DIRECTIVE.test(info)) {
      directives.push(mark);
      line = '';
    } else if (mark !== '') {
      fence = { mark, depth: containers.length };
    } else if (CONTAINER.test(line)) {
      containers.push(indent + 4);
    } else if (HIGHLIGHT.test(line)) {
      code = { language: HIGHLIGHT.exec(line)?.[1] ?? '', text: '', line: index + 2, column: 1 };
      line = '';
    }
    if (line !== whole) {
      plain.lines[index] = line;
      plain.removed.set(index, start);
    }
  }
  return plain;
}

function indentOf(line: string): number {
  return (/^[ \t]*/.exec(line)?.[0] ?? '').replaceAll('\t', '    ').length;
}

/** The length of this many indentations. */
function startOf(line: string, count: number): number {
  let at = 0;
  for (let each = 0; each < count; each++) {
    at += line[at] === '\t' ? 1 : (/^ {1,4}/.exec(line.slice(at, at + 4))?.[0].length ?? 0);
  }
  return at;
}

/** Lines that show the text of another file: of MkDocs, VitePress (two forms), mdBook, and of imports in MDX. */
const INCLUDES: readonly RegExp[] = [
  /^\s*-+8<-+\s+["']([^"'\n]+)["']/,
  /^\s*<<<\s+([^\s{]+)/,
  /<!--\s*@include:\s*([^\s{>]+?)(?=[\s{]|-->)/,
  /(?<!\\)\{\{#(?:rustdoc_)?(?:include|playground)\s+([^}\s]+)/,
  /^(?:import|export)\s.*\bfrom\s+["'](?:!!raw-loader!)?([^"'\n]+\.\w+)(?:\?raw)?["']/,
];
const HAS_INCLUDE = /8<-|<<<|@include:|\{\{#|^(?:import|export)\s/;

/** The files whose text a page shows, with a section as the fragment. Ranges of lines are left out. */
export function includesOf(lines: readonly string[]): PageLink[] {
  const links: PageLink[] = [];
  for (const [index, line] of lines.entries()) {
    const short = line.slice(0, 1_000);
    if (HAS_INCLUDE.test(short)) {
      const [whole = '', shown = ''] =
        INCLUDES.map((pattern) => pattern.exec(short)).find((found) => found !== null) ?? [];
      if (shown !== '') {
        const column = short.indexOf(whole) + whole.lastIndexOf(shown) + 1;
        const target = shown.replace(/(?::\d*){1,2}$/, '').replace(/:(?=[^/\\:]+$)/, '#');
        links.push({ target, kind: 'include', line: index + 1, column, endColumn: column + shown.length });
      }
    }
  }
  return links;
}
