/** A document with more lines was hardly written by hand, and all its symbols would come over to this process. */
const MAX_LINES = 20_000;

/** More symbols are not looked through at each move of the cursor. */
const MAX_SYMBOLS = 5_000;

interface Document {
  readonly version: number;
  readonly lineCount: number;
}

/** The symbols of documents, asked for once for each version: the cursor moves far more often than the text changes. */
export class KeptSymbols<D extends Document, S> {
  private readonly kept = new WeakMap<D, { version: number; symbols: readonly S[] }>();

  constructor(private readonly ask: (document: D) => PromiseLike<readonly S[] | undefined>) {}

  /** None of a document with too many. */
  async of(document: D): Promise<readonly S[]> {
    const { version, lineCount } = document;
    const known = this.kept.get(document);
    if (known?.version === version || lineCount > MAX_LINES) {
      return known?.version === version ? known.symbols : [];
    }
    const found = (await this.ask(document)) ?? [];
    const symbols = found.length > MAX_SYMBOLS ? [] : found;
    // A language server that has just been started knows of none yet.
    if (found.length > 0 && document.version === version) {
      this.kept.set(document, { version, symbols });
    }
    return symbols;
  }
}
