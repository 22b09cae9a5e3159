import { MAX_PARAGRAPH } from '../../base/limits';
import { blank } from './page';

export interface MaskedText {
  /** The same lines and columns, with spaces in place of what isn't Markdown. */
  text: string;
  /** The tags, and where each starts. */
  tags: { start: number; text: string }[];
  /** The fenced blocks, with their fences, and where each starts. They may be indented by any number of spaces. */
  fences: { start: number; text: string }[];
}

/** How far to search for the end of a code span. */
const MAX_SPAN = 2_000;

/**
 * Replaces JSX tags, expressions, imports, and fenced blocks with spaces, so that a Markdown parser can read the rest.
 * What isn't closed stays as it is, as in plain Markdown.
 */
export function maskMdx(text: string): MaskedText {
  return new Mask(text).run();
}

class Mask {
  private readonly parts: string[] = [];
  private readonly tags: MaskedText['tags'] = [];
  private readonly fences: MaskedText['fences'] = [];
  private copied = 0;
  private at = 0;
  private hasCommentEnd = true;
  /**
   * How much more text may be searched for ends that don't exist: many unclosed tags would otherwise take quadratic
   * time.
   */
  private budget: number;

  constructor(private readonly text: string) {
    this.budget = 4 * text.length + MAX_PARAGRAPH;
  }

  run(): MaskedText {
    const { text } = this;
    const stop = /^[ \t]*(?:`{3,}|~{3,})|[`<{\\]|^(?:import|export)\b/gm;
    for (;;) {
      stop.lastIndex = this.at;
      const found = stop.exec(text);
      if (found === null) {
        break;
      }
      this.at = found.index;
      this.step(found[0]);
    }
    this.parts.push(text.slice(this.copied));
    return { text: this.parts.join(''), tags: this.tags, fences: this.fences };
  }

  private step(mark: string): void {
    const { text, at } = this;
    if (mark.length >= 3 && /[`~]$/.test(mark)) {
      const end = endOfFence(text, at, mark.trim());
      this.fences.push({ start: at, text: text.slice(at, end) });
      this.mask(end);
    } else if (mark === 'import' || mark === 'export') {
      // Within a paragraph, it is a word.
      if (text.slice(text.lastIndexOf('\n', at - 2) + 1, at).trim() !== '') {
        this.at += mark.length;
        return;
      }
      const end = text.indexOf('\n\n', at);
      this.mask(end === -1 ? text.length : end);
    } else if (mark === '`') {
      this.at = endOfSpan(text, at);
    } else if (mark === '\\') {
      this.at = at + 2;
    } else if (mark === '{') {
      this.maskTo(this.endOfBraces(at));
    } else {
      this.maskTag(at);
    }
  }

  private maskTag(start: number): void {
    if (this.text.startsWith('<!--', start)) {
      const end = this.hasCommentEnd ? this.text.indexOf('-->', start) : -1;
      this.hasCommentEnd = end !== -1;
      this.maskTo(end === -1 ? -1 : end + 3);
      return;
    }
    const end = /^<\/?(?:[A-Za-z]|>)/.test(this.text.slice(start, start + 3)) ? this.endOfTag(start) : -1;
    if (end !== -1) {
      this.tags.push({ start, text: this.text.slice(start, end) });
    }
    this.maskTo(end);
  }

  private maskTo(end: number): void {
    if (end === -1) {
      this.at++;
    } else {
      this.mask(end);
    }
  }

  private mask(end: number): void {
    this.parts.push(this.text.slice(this.copied, this.at), blank(this.text.slice(this.at, end)));
    this.copied = end;
    this.at = end;
  }

  private endOfTag(start: number): number {
    const { text } = this;
    const last = Math.min(text.length, start + MAX_PARAGRAPH, start + this.budget);
    let at = start + 1;
    while (at < last) {
      const mark = text[at];
      if (mark === '>') {
        return at + 1;
      }
      if (mark === '<') {
        break;
      }
      const end = mark === '{' ? this.endOfBraces(at) : mark === '"' || mark === "'" ? this.endOfQuote(at) : at + 1;
      if (end === -1) {
        break;
      }
      at = end;
    }
    this.budget -= at - start;
    return -1;
  }

  private endOfQuote(start: number): number {
    const end = this.text.indexOf(this.text[start] ?? '', start + 1);
    const isNear = end !== -1 && end - start < MAX_PARAGRAPH;
    if (!isNear) {
      this.budget -= end === -1 ? this.text.length - start : end - start;
    }
    return isNear && this.budget > 0 ? end + 1 : -1;
  }

  private endOfBraces(start: number): number {
    const { text } = this;
    const last = Math.min(text.length, start + MAX_PARAGRAPH, start + this.budget);
    let depth = 0;
    for (let at = start; at < last; at++) {
      const mark = text[at];
      if (mark === '{') {
        depth++;
      } else if (mark === '}' && --depth === 0) {
        return at + 1;
      }
    }
    this.budget -= last - start;
    return -1;
  }
}

function endOfFence(text: string, start: number, fence: string): number {
  const lineEnd = text.indexOf('\n', start);
  if (lineEnd === -1) {
    return text.length;
  }
  const closing = new RegExp(`^[ \\t]*\\${fence[0] ?? '`'}{${fence.length},}[ \\t]*$`, 'gm');
  closing.lastIndex = lineEnd + 1;
  const end = closing.exec(text);
  return end === null ? text.length : end.index + end[0].length;
}

function endOfSpan(text: string, start: number): number {
  const ticks = /^`+/.exec(text.slice(start, start + MAX_SPAN))?.[0] ?? '`';
  const rest = text.slice(start + ticks.length, start + MAX_SPAN);
  const [inParagraph = ''] = rest.split(/\n[ \t]*\n/, 1);
  let at = 0;
  while (at < inParagraph.length) {
    const found = inParagraph.indexOf(ticks, at);
    if (found === -1) {
      break;
    }
    let end = found + ticks.length;
    if (inParagraph[end] !== '`') {
      return start + ticks.length + end;
    }
    while (inParagraph[end] === '`') {
      end++;
    }
    at = end;
  }
  return start + ticks.length;
}
