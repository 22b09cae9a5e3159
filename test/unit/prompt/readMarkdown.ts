import MarkdownIt from 'markdown-it';

const reader = new MarkdownIt('commonmark');

export interface ReadBlock {
  /** The code spans of the paragraph above the fence. */
  spans: string[];
  info: string;
  content: string;
}

/** The fences of a prompt as a CommonMark parser reads them, each with the paragraph, and the list, above it. */
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

/** A text as CommonMark hands it on (0.31, section 2): breaks are one character, and NUL is replaced. A fence's last line ends. */
export function asContent(text: string): string {
  const plain = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
  return plain.endsWith('\n') ? plain : `${plain}\n`;
}
