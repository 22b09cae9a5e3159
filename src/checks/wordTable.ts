const HYPHEN = 45;

/** By byte: whether it is a letter, a digit, or an underscore. */
const IS_NAME = Uint8Array.from({ length: 256 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0));
/** The same as a mask of all bits. */
const NAME_MASK = Int32Array.from(IS_NAME, (isName) => -isName);

/** The smallest size of the filter, a power of two, and its entries per word: few other words of a text pass. */
const [FILTER, PER_WORD] = [1 << 16, 16];

function hashOf(word: Uint8Array): number {
  return word.reduce((hash, byte) => ((hash << 5) - hash + byte) | 0, 0);
}

/** Remembers words in two megabytes, however many there are. A word that was not added is rarely taken for one. */
export class SeenWords {
  private readonly bits = new Uint8Array(1 << 21);

  addText(text: Uint8Array): void {
    let hash = 0;
    for (const byte of text) {
      if (IS_NAME[byte] === 1) {
        hash = ((hash << 5) - hash + byte) | 0;
      } else if (hash !== 0) {
        this.add(hash);
        hash = 0;
      }
    }
    this.add(hash);
  }

  private add(hash: number): void {
    const at = (hash ^ (hash >>> 15)) & 0xff_ffff;
    this.bits[at >>> 3] = (this.bits[at >>> 3] ?? 0) | (1 << (at & 7));
  }

  /** Of words with hyphens, only the parts are known. */
  has(word: string): boolean {
    return word.split('-').every((part) => {
      const hash = hashOf(Buffer.from(part, 'latin1'));
      const at = (hash ^ (hash >>> 15)) & 0xff_ffff;
      return ((this.bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
    });
  }
}

/** Called for each occurrence of a word: `[start, end)` is its place in the text. */
export type WordVisitor = (word: number, start: number, end: number) => void;

/**
 * Finds given words in texts. A history has hundreds of megabytes of code, so no word of a text is copied: each is
 * hashed byte by byte, and only what has the hash of a given word is compared. A word is a run of letters, digits, and
 * underscores, or several of them that are joined by hyphens; `retry-max` has itself and both of its parts. A given word
 * may end with a hyphen, which matches where a name is assembled: `retry-${kind}`.
 */
export class WordTable {
  readonly words: string[] = [];
  private readonly index = new Map<string, number>();
  /** By the hash of the last part. */
  private readonly byHash = new Map<number, { word: number; bytes: Buffer; isJoined: boolean }[]>();
  private filter = new Uint8Array(FILTER);

  /** Returns the number of the word, by which `scan` names it. */
  add(word: string): number {
    const known = this.index.get(word);
    if (known !== undefined) {
      return known;
    }
    const at = this.words.push(word) - 1;
    this.index.set(word, at);
    const last = word.split('-').findLast((part) => part !== '') ?? '';
    const hash = hashOf(Buffer.from(last, 'latin1'));
    const entry = { word: at, bytes: Buffer.from(word, 'latin1'), isJoined: word.includes('-') };
    this.byHash.set(hash, [...(this.byHash.get(hash) ?? []), entry]);
    if (this.byHash.size * PER_WORD > this.filter.length) {
      this.filter = new Uint8Array(4 * this.filter.length);
      for (const each of this.byHash.keys()) {
        this.mark(each);
      }
    }
    this.mark(hash);
    return at;
  }

  private mark(hash: number): void {
    this.filter[hash & (this.filter.length - 1)] = 1;
  }

  get(word: string): number | undefined {
    return this.index.get(word);
  }

  scan(text: Uint8Array, visit: WordVisitor): void {
    const { filter } = this;
    const { length } = text;
    const last = filter.length - 1;
    let hash = 0;
    // This loop takes most of the time of a check. Where a word ends can't be predicted, so it doesn't branch there.
    for (let at = 0; at < length; at++) {
      const byte = text[at] ?? 0;
      hash = ((hash << 5) - hash + byte) & (NAME_MASK[byte] ?? 0);
      if (filter[hash & last] === 1 && (at + 1 === length || IS_NAME[text[at + 1] ?? 0] !== 1)) {
        this.compare(text, hash, at + 1, visit);
      }
    }
  }

  /** @param end of the last part of a word */
  private compare(text: Uint8Array, hash: number, end: number, visit: WordVisitor): void {
    for (const { word, bytes, isJoined } of this.byHash.get(hash) ?? []) {
      const open = bytes.at(-1) === HYPHEN ? 1 : 0;
      const start = end + open - bytes.length;
      if (isAt(text, bytes, start) && isWhole(text, start, end + open, isJoined)) {
        visit(word, start, end + open);
      }
    }
  }
}

function isAt(text: Uint8Array, word: Uint8Array, start: number): boolean {
  for (let at = word.length - 1; at >= 0; at--) {
    if (word[at] !== text[start + at]) {
      return false;
    }
  }
  return start >= 0;
}

/** Whether a word that is joined by hyphens continues neither before nor after; of others, that is a part. */
function isWhole(text: Uint8Array, start: number, end: number, isJoined: boolean): boolean {
  let [before, after] = [start - 1, end];
  for (; isJoined && text[before] === HYPHEN; before--);
  for (; isJoined && text[after] === HYPHEN; after++);
  return IS_NAME[text[before] ?? 0] !== 1 && IS_NAME[text[after] ?? 0] !== 1;
}
