import { count } from '../elide';
import { harmless } from './harmless';

/** The longest line that is kept, in bytes. */
export const MAX_LINE = 2_000;

const LINE_FEED = 10;

/** Cuts a stream of bytes into lines; of a longer one the beginning is kept, and how much is missing is told in it. */
export class LineReader {
  private kept: Uint8Array[] = [];
  private length = 0;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** @param onLine takes each line, without its end; returns false when no more is wanted */
  constructor(private readonly onLine: (line: string) => boolean) {}

  /** @returns false when no more is wanted */
  push(bytes: Uint8Array): boolean {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.keep(bytes.subarray(start, end));
      start = end + 1;
      if (!this.finish()) {
        return false;
      }
    }
    this.keep(bytes.subarray(start));
    return true;
  }

  /** The stream has ended: what stands after the last line feed is a line. */
  end(): void {
    if (this.length > 0) {
      this.finish();
    }
  }

  private keep(bytes: Uint8Array): void {
    if (this.length < MAX_LINE && bytes.length > 0) {
      // A copy: the reader's buffer is used again.
      this.kept.push(bytes.slice(0, MAX_LINE - this.length));
    }
    this.length += bytes.length;
  }

  private finish(): boolean {
    const { kept, length } = this;
    this.kept = [];
    this.length = 0;
    const [first = new Uint8Array()] = kept;
    const text = this.decoder.decode(kept.length <= 1 ? first : joined(kept));
    if (length <= MAX_LINE) {
      return this.onLine(harmless(text.replace(/\r$/, '')));
    }
    // The cut may have gone through a character.
    const whole = text.replace(/\uFFFD$/, '');
    return this.onLine(`${harmless(whole)}… ${count(length - MAX_LINE, 'more byte')} of this line left out`);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
