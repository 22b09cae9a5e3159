/** What a letter, digit, or underscore of a name is, and a hyphen, which may join the parts of one. */
const [OTHER, NAME, HYPHEN] = [0, 1, 2];

const KINDS = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\w/.test(character) ? NAME : character === '-' ? HYPHEN : OTHER;
});

/** The size of the filter, a power of two: large enough that few other words of a text pass it. */
const FILTER = 1 << 18;

function hashOf(word: string): number {
  let hash = 0;
  for (const byte of Buffer.from(word, 'latin1')) {
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  return hash;
}

/** Remembers words in two megabytes, however many there are. A word that was not added is rarely taken for one. */
export class SeenWords {
  private readonly bits = new Uint8Array(1 << 21);

  add(hash: number): void {
    const at = (hash ^ (hash >>> 15)) & 0xff_ffff;
    this.bits[at >>> 3] = (this.bits[at >>> 3] ?? 0) | (1 << (at & 7));
  }

  has(word: string): boolean {
    const hash = hashOf(word);
    const at = (hash ^ (hash >>> 15)) & 0xff_ffff;
    return ((this.bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }
}

const EMPTY = Buffer.alloc(0);

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
  private readonly bytes: Buffer[] = [];
  private readonly index = new Map<string, number>();
  private readonly byHash = new Map<number, number[]>();
  private readonly filter = new Uint8Array(FILTER);

  /** Returns the number of the word, by which `scan` names it. */
  add(word: string): number {
    const known = this.index.get(word);
    if (known !== undefined) {
      return known;
    }
    const at = this.words.push(word) - 1;
    this.index.set(word, at);
    this.bytes.push(Buffer.from(word, 'latin1'));
    const hash = hashOf(word);
    this.byHash.set(hash, [...(this.byHash.get(hash) ?? []), at]);
    this.filter[hash & (FILTER - 1)] = 1;
    return at;
  }

  get(word: string): number | undefined {
    return this.index.get(word);
  }

  /** @param seen gets all words of the text */
  scan(text: Buffer, visit: WordVisitor, seen?: SeenWords): void {
    const { filter } = this;
    const { length } = text;
    let part = 0;
    let partStart = -1;
    // The word so far with its hyphens, if it has any.
    let whole = 0;
    let wholeStart = -1;
    let hyphens = 0;
    let isJoined = false;
    for (let at = 0; at <= length; at++) {
      const byte = at === length ? 0 : (text[at] ?? 0);
      const kind = KINDS[byte];
      if (kind === NAME) {
        if (partStart === -1) {
          partStart = at;
          for (; hyphens > 0; hyphens--) {
            whole = (Math.imul(whole, 31) + 45) | 0;
          }
        }
        part = (Math.imul(part, 31) + byte) | 0;
        if (wholeStart !== -1) {
          whole = (Math.imul(whole, 31) + byte) | 0;
          isJoined = true;
        }
        continue;
      }
      if (partStart !== -1) {
        seen?.add(part);
        if (filter[part & (FILTER - 1)] === 1) {
          this.compare(text, part, partStart, at, visit);
        }
        if (kind === HYPHEN && wholeStart === -1) {
          whole = part;
          wholeStart = partStart;
        }
        part = 0;
        partStart = -1;
      }
      if (kind === HYPHEN) {
        hyphens++;
        continue;
      }
      if (wholeStart !== -1) {
        if (isJoined) {
          seen?.add(whole);
          if (filter[whole & (FILTER - 1)] === 1) {
            this.compare(text, whole, wholeStart, at - hyphens, visit);
          }
        }
        const open = (Math.imul(whole, 31) + 45) | 0;
        if (hyphens > 0 && filter[open & (FILTER - 1)] === 1) {
          this.compare(text, open, wholeStart, at - hyphens + 1, visit);
        }
        whole = 0;
        wholeStart = -1;
        isJoined = false;
      }
      hyphens = 0;
    }
  }

  private compare(text: Buffer, hash: number, start: number, end: number, visit: WordVisitor): void {
    for (const word of this.byHash.get(hash) ?? []) {
      if (isAt(text, this.bytes[word] ?? EMPTY, start, end)) {
        visit(word, start, end);
      }
    }
  }
}

function isAt(text: Buffer, word: Buffer, start: number, end: number): boolean {
  if (word.length !== end - start) {
    return false;
  }
  for (let at = 0; at < word.length; at++) {
    if (word[at] !== text[start + at]) {
      return false;
    }
  }
  return true;
}
