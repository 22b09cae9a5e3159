import * as vscode from 'vscode';

export type AnySymbol = vscode.DocumentSymbol | vscode.SymbolInformation;

/** Symbol kinds of data and markup: a key in a JSON file is nothing to document. */
const NOT_CODE = new Set([
  vscode.SymbolKind.String,
  vscode.SymbolKind.Number,
  vscode.SymbolKind.Boolean,
  vscode.SymbolKind.Array,
  vscode.SymbolKind.Object,
  vscode.SymbolKind.Key,
  vscode.SymbolKind.Null,
]);

/** Symbol kinds whose members are visible from outside. Variables in any other symbol are local. */
const HOLDERS = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Module,
  vscode.SymbolKind.Namespace,
  vscode.SymbolKind.Package,
  vscode.SymbolKind.Struct,
]);

/** Returns the name of the symbol whose name is at the cursor or selected; undefined for anything else. */
export async function symbolNamedAt(
  document: vscode.TextDocument,
  range: vscode.Range,
  token: vscode.CancellationToken,
  kept: SymbolCache<vscode.TextDocument, AnySymbol>,
): Promise<string | undefined> {
  const word = range.isSingleLine ? document.getWordRangeAtPosition(range.start) : undefined;
  if (word?.contains(range) !== true) {
    return undefined;
  }
  const symbols = await kept.of(document);
  return token.isCancellationRequested ? undefined : namedAt(symbols, document, word, true);
}

function namedAt(
  symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[],
  document: vscode.TextDocument,
  word: vscode.Range,
  seen: boolean,
): string | undefined {
  for (const symbol of symbols) {
    const variable = symbol.kind === vscode.SymbolKind.Variable || symbol.kind === vscode.SymbolKind.Constant;
    // The TypeScript server names anonymous functions like this.
    const nameless = symbol.name.endsWith(' callback');
    const counts = !NOT_CODE.has(symbol.kind) && !nameless && (seen || !variable);
    if (counts && hasNameAt(symbol, document, word)) {
      return symbol.name;
    }
    const children = 'children' in symbol && symbol.range.contains(word) ? symbol.children : [];
    const inner = namedAt(children, document, word, HOLDERS.has(symbol.kind));
    if (inner !== undefined) {
      return inner;
    }
  }
  return undefined;
}

function hasNameAt(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  document: vscode.TextDocument,
  word: vscode.Range,
): boolean {
  // Some servers include more than the name (“send(text)”), and older ones report only the range of the whole symbol.
  const named = new RegExp(`^[^\\p{L}_$]*${escaped(document.getText(word))}(?![\\p{L}\\p{N}_$])`, 'u').test(
    symbol.name,
  );
  return 'children' in symbol
    ? symbol.selectionRange.contains(word) && (named || symbol.selectionRange.isEqual(word))
    : named && symbol.location.range.start.line === word.start.line;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A longer document was probably not written by hand, and all its symbols would be transferred to this process. */
const MAX_LINES = 20_000;

/** The limit for searching symbols on each cursor move. */
const MAX_SYMBOLS = 5_000;

interface Document {
  readonly version: number;
  readonly lineCount: number;
}

/** Caches the symbols of each document version, because the cursor moves far more often than the text changes. */
export class SymbolCache<D extends Document, S> {
  private readonly kept = new WeakMap<D, { version: number; symbols: readonly S[] }>();

  constructor(private readonly ask: (document: D) => PromiseLike<readonly S[] | undefined>) {}

  /** Returns no symbols for a document that is too long or has too many. */
  async of(document: D): Promise<readonly S[]> {
    const { version, lineCount } = document;
    const known = this.kept.get(document);
    if (known?.version === version || lineCount > MAX_LINES) {
      return known?.version === version ? known.symbols : [];
    }
    const found = (await this.ask(document)) ?? [];
    const symbols = found.length > MAX_SYMBOLS ? [] : found;
    // A language server that has just started may not know the symbols yet, so an empty result is not cached.
    if (found.length > 0 && document.version === version) {
      this.kept.set(document, { version, symbols });
    }
    return symbols;
  }
}
