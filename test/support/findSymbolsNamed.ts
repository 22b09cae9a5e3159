import type { CancellationToken, DocumentSymbol, Range, TextDocument } from 'vscode';
import { SymbolCache, symbolNamedAt } from '../../src/extension/features/code-actions/symbolNamedAt';

/** Looks for the symbol at the cursor where the language server gives all symbols this name. */
export async function findSymbolsNamed(name: string): Promise<unknown> {
  const word = {
    isSingleLine: true,
    start: { line: 1 },
    contains: () => true,
    isEqual: () => false,
  } as unknown as Range;
  const elsewhere = { contains: () => false, isEqual: () => false };
  const symbols = Array.from({ length: 1_000 }, (_, at) => {
    const isHere = at % 10 === 0;
    const range = isHere ? word : elsewhere;
    return { name, kind: 'Function', range, selectionRange: range, children: [] } as unknown as DocumentSymbol;
  });
  const document = { version: 1, lineCount: 1, getWordRangeAtPosition: () => word, getText: () => 'send' };
  const token = { isCancellationRequested: false } as CancellationToken;
  const cache = new SymbolCache<TextDocument, DocumentSymbol>(() => Promise.resolve(symbols));
  return symbolNamedAt(document as unknown as TextDocument, word, token, cache);
}
