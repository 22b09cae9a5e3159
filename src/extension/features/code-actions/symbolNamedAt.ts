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

/** The longest name that is looked at, in UTF-16 code units. */
const MAX_NAME = 1_000;

/** What is looked for: a word at a position, and the pattern of a name that begins with it. */
interface Wanted {
  word: vscode.Range;
  name: RegExp;
}

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
  // Some servers include more than the name (“send(text)”).
  const name = new RegExp(`^[^\\p{L}_$]*${escaped(document.getText(word))}(?![\\p{L}\\p{N}_$])`, 'u');
  return token.isCancellationRequested ? undefined : namedAt(symbols, { word, name }, true);
}

function namedAt(symbols: readonly AnySymbol[], wanted: Wanted, seen: boolean): string | undefined {
  for (const symbol of symbols) {
    const variable = symbol.kind === vscode.SymbolKind.Variable || symbol.kind === vscode.SymbolKind.Constant;
    // The TypeScript server names anonymous functions like this.
    const nameless = symbol.name.endsWith(' callback');
    const counts = !NOT_CODE.has(symbol.kind) && !nameless && (seen || !variable);
    if (counts && hasNameAt(symbol, wanted)) {
      return symbol.name;
    }
    const children = 'children' in symbol && symbol.range.contains(wanted.word) ? symbol.children : [];
    const inner = namedAt(children, wanted, HOLDERS.has(symbol.kind));
    if (inner !== undefined) {
      return inner;
    }
  }
  return undefined;
}

/** Looks at the place first: there may be thousands of symbols with long names. */
function hasNameAt(symbol: AnySymbol, { word, name }: Wanted): boolean {
  const isNamed = (): boolean => symbol.name.length <= MAX_NAME && name.test(symbol.name);
  if ('children' in symbol) {
    return symbol.selectionRange.contains(word) && (symbol.selectionRange.isEqual(word) || isNamed());
  }
  // Older servers report only the range of the whole symbol.
  return symbol.location.range.start.line === word.start.line && isNamed();
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
