import * as vscode from 'vscode';

export type AnySymbol = vscode.DocumentSymbol | vscode.SymbolInformation;

/** What data and markup call symbols: a key of a JSON file is nothing to document. */
const NOT_CODE = new Set([
  vscode.SymbolKind.String,
  vscode.SymbolKind.Number,
  vscode.SymbolKind.Boolean,
  vscode.SymbolKind.Array,
  vscode.SymbolKind.Object,
  vscode.SymbolKind.Key,
  vscode.SymbolKind.Null,
]);

/** What holds symbols that are seen from outside; in any other, variables are nobody else's business. */
const HOLDERS = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Module,
  vscode.SymbolKind.Namespace,
  vscode.SymbolKind.Package,
  vscode.SymbolKind.Struct,
]);

/** The name of the symbol whose name the cursor stands on, or which is selected; undefined on anything else. */
export async function symbolNamedAt(
  document: vscode.TextDocument,
  range: vscode.Range,
  token: vscode.CancellationToken,
  kept: KeptSymbols<vscode.TextDocument, AnySymbol>,
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
    // The TypeScript server calls functions without a name so.
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
  // Some servers name more than the name (“send(text)”), and older ones tell only where the whole symbol is.
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
