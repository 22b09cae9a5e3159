import { addBlock } from './lines';
import { blank, type Page } from './page';

const END = '$(?![^])';
/** A fenced block, or what isn't closed up to the end. */
const FENCE = `^[ \\t]*(?<fence>\`{3,}|~{3,})(?<info>(?:[^\`~\\n].*)?)\\n(?:[^]*?^[ \\t]*\\k<fence>[\`~]*[ \\t]*$|[^]*${END})`;
/** Code of Hugo and Jekyll. */
const HIGHLIGHT =
  '^[ \\t]*(?:\\{\\{[<%]|\\{%-?)[ \\t]*highlight[ \\t]+"?(?<language>[\\w+#-]+)(?:[^\\w+#\\n-].*)?\\n[^]*?^.*(?:/highlight|endhighlight)\\b.*$';
const SPAN = '(?<ticks>`+)(?!`)(?:(?:(?!\\n[ \\t]*\\n)[^]){1,2000}?(?<!`)\\k<ticks>(?!`))?|\\\\[^]';
/** A declaration after an empty line, up to the next one. */
const IMPORT = `^(?<!\\S.*\\n)(?:import|export)\\b[^]*?(?=\\n\\n|${END})`;
const COMMENT = `<!--[^]*?(?:-->|${END})`;
const BRACES = Array.from({ length: 8 }).reduce<string>((inner) => `\\{[^{}]*(?:${inner}[^{}]*)*\\}`, '\\{[^{}]*\\}');
const TAG = `(?<tag></?(?:[A-Za-z]|(?=>))[^<>{}"']*(?:(?:"[^"]*"|'[^']*'|${BRACES})[^<>{}"']*)*>)`;

const MARKDOWN = new RegExp(`${FENCE}|${HIGHLIGHT}`, 'gm');
const MDX = new RegExp(`${FENCE}|${SPAN}|${IMPORT}|${COMMENT}|${TAG}|${BRACES}`, 'gm');

/** A directive of MyST in the form of a code block, whose text is Markdown. */
const DIRECTIVE =
  /^([ \t]*(`{3,}|~{3,})\{(?:note|tip|hint|warning|important|caution|danger|attention|error|seealso|admonition|dropdown|details|tab-set|tab-item|grid|grid-item|grid-item-card|card|versionadded|topic|sidebar|margin)\}.*\n)([^]*?)^([ \t]*\2[ \t]*)$/gm;

/** Begins a tab or a note of MkDocs, or closes a tag of Markdoc, whose text may be indented: there is no indented code. */
const INDENTED = /^[ \t]*(?:===[!+]{0,2}[ \t]+["']|!!![ \t]+\S|\?\?\?\+?[ \t]+\S)|\{%[ \t]*\/[a-z]/m;

export function hasIndentedText(text: string): boolean {
  return INDENTED.test(text);
}

/**
 * Replaces what a Markdown parser would misread with spaces: JSX tags, expressions, and imports of MDX; code of
 * generators; and fenced blocks that may be indented by any number of spaces. Adds the blocks to the page.
 *
 * @param onTag takes each tag of MDX, which may span several lines
 */
export function maskMarkdown(page: Page, text: string, onTag: (tag: string, start: number) => void): string {
  const isMdx = page.format === 'mdx';
  const isIndented = isMdx || hasIndentedText(text);
  const open = (whole: string, opening: string, _mark: string, inner: string, closing: string): string =>
    blank(opening) + inner + blank(closing);
  const plain = isMdx ? text : text.replace(DIRECTIVE, open).replace(DIRECTIVE, open);
  let line = 0;
  let counted = 0;
  return plain.replace(isMdx ? MDX : MARKDOWN, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const start = rest.at(-3) as number;
    if (groups['tag'] !== undefined) {
      onTag(whole, start);
    } else if (groups['fence'] !== undefined && !isIndented) {
      return whole;
    } else if (groups['fence'] !== undefined || groups['language'] !== undefined) {
      line += plain.slice(counted, start).split('\n').length - 1;
      counted = start;
      const code = whole.split('\n').length - 1;
      addBlock(page, groups['language'] ?? languageOf(groups['info'] ?? ''), line + 1, line + code);
    }
    return (whole.startsWith('`') && groups['fence'] === undefined) || whole.startsWith('\\') ? whole : blank(whole);
  });
}

/** The language that the text after an opening fence names, as `js {1}`, `{.js}`, `{code-block} js`, or `js title="a"`. */
export function languageOf(info: string): string {
  const words = info
    .trim()
    .toLowerCase()
    .replace(/^\{(?:code|code-block|code-cell|sourcecode)\}\s*/, '');
  return /^\{?\.?([^\s{}:,]*)/.exec(words)?.[1] ?? '';
}
