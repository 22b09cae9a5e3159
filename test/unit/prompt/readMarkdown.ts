import MarkdownIt from 'markdown-it';
import fc from 'fast-check';

const reader = new MarkdownIt('commonmark');

export interface ReadBlock {
  /** The code spans of the paragraph above the fence. */
  spans: string[];
  info: string;
  content: string;
}

/** The code fences of a prompt as a CommonMark parser reads them, each with the code spans of the paragraph above it. */
export function readBlocks(prompt: string): ReadBlock[] {
  const blocks: ReadBlock[] = [];
  let spans: string[] = [];
  for (const { type, info, content, children, level } of reader.parse(prompt, {})) {
    if (type === 'inline' && level === 1) {
      spans = (children ?? []).filter((child) => child.type === 'code_inline').map((child) => child.content);
    } else if (type === 'fence' && level === 0) {
      blocks.push({ spans, info, content });
    }
  }
  return blocks;
}

/** Normalizes text like CommonMark 0.31, section 2: LF line endings, NUL replaced, and a line ending at the end. */
export function asContent(text: string): string {
  const plain = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
  return plain.endsWith('\n') ? plain : `${plain}\n`;
}

/** Texts of any characters, often with characters that could end a code fence. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('`', '```', '\n```\n', '````js\n', '\n', '\r\n', '~~~', '    ```', '\t', '\n   `````   \n', '\0'),
    ),
  )
  .map((pieces) => pieces.join(''));

/** Any name that a file or a symbol can have. */
export const anyName = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('`', '``', '/', ' ', '\n', '*', '[a](b)', '<b>')))
  .map((pieces) => pieces.join(''))
  .filter((name) => name.trim() !== '');
