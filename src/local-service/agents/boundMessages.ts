import { MessageTooLargeError } from '@agentclientprotocol/sdk';

/** The largest message that is passed on as it is: in bytes, and how many members and elements it may have. */
const MAX_BYTES = 6 * 1024 * 1024;
const MAX_PARTS = 30_000;

/** The largest outline, in bytes. A longer one is cut, and then is no longer valid JSON. */
const MAX_OUTLINE = 4_096;

const NEWLINE = 0x0a;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Passes on an agent's messages, one a line, and reduces those that would take too long to parse to their outline. The
 * number of parts matters, not only the size: an image of some megabytes is parsed in a few milliseconds, as many empty
 * objects in a second. An outline says what kind of message it is, and which request it answers or makes, so no one
 * waits for a lost one.
 *
 * @param maxLineBytes a longer line ends the stream with MessageTooLargeError
 * @param onReduced called for each message that is reduced
 */
export async function* boundMessages(
  pieces: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
  onReduced: () => void,
): AsyncGenerator<Uint8Array, void> {
  let line = new MessageLine(maxLineBytes);
  const end = (): Uint8Array => {
    const { bytes, isReduced } = line;
    line = new MessageLine(maxLineBytes);
    if (isReduced) {
      onReduced();
    }
    return bytes;
  };
  for await (const piece of pieces) {
    const first = piece.indexOf(NEWLINE);
    if (first !== -1) {
      line.add(piece.subarray(0, first));
      yield end();
      // The lines in between are shorter than a piece.
      const last = piece.lastIndexOf(NEWLINE);
      yield piece.subarray(first, last + 1);
      line.add(piece.subarray(last + 1));
    } else {
      line.add(piece);
    }
  }
  yield end();
}

/** One message, or as much of it as has arrived. */
class MessageLine {
  private pieces: Uint8Array[] = [];
  private size = 0;
  private parts = 0;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  /** The message without what is inside of its members: `{"id":1,"method":"a","params":{}}`. */
  private readonly outline: number[] = [];

  constructor(private readonly maxBytes: number) {}

  get isReduced(): boolean {
    return this.size > MAX_BYTES || this.parts > MAX_PARTS;
  }

  get bytes(): Uint8Array {
    return this.isReduced ? Uint8Array.from(this.outline) : Buffer.concat(this.pieces);
  }

  add(piece: Uint8Array): void {
    this.size += piece.length;
    if (this.size > this.maxBytes) {
      throw new MessageTooLargeError(this.maxBytes);
    }
    piece.forEach((byte) => this.scan(byte));
    if (this.isReduced) {
      this.pieces = [];
    } else {
      this.pieces.push(piece);
    }
  }

  private scan(byte: number): void {
    const isOpening = byte === OPEN_ARRAY || byte === OPEN_OBJECT;
    const isClosing = byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
    const isText = this.isInString;
    if (this.isEscaped) {
      this.isEscaped = false;
    } else if (byte === QUOTE) {
      this.isInString = !this.isInString;
    } else if (isText) {
      this.isEscaped = byte === BACKSLASH;
    } else if (isOpening || byte === COMMA) {
      this.parts += 1;
    }
    this.depth -= !isText && isClosing ? 1 : 0;
    if (this.depth <= 1 && this.outline.length < MAX_OUTLINE) {
      this.outline.push(byte);
    }
    this.depth += !isText && isOpening ? 1 : 0;
  }
}
