/** A position in a text; both count from 0. */
export interface Point {
  line: number;
  character: number;
}

export interface Span {
  start: Point;
  end: Point;
}

/** A symbol as providers return it: nested symbols are its children, or refer to it as their container. */
export interface AnySymbol {
  name: string;
  kind: number;
  range?: Span;
  children?: readonly AnySymbol[];
  location?: { range: Span };
  containerName?: string;
}

export interface FoundSymbol {
  kind: number;
  /** Its name, preceded by the names of its containers, outermost first. */
  names: string[];
  range: Span;
}

/** The innermost symbol at a position; undefined when there is none. */
export function symbolAt(symbols: readonly AnySymbol[], at: Point): FoundSymbol | undefined {
  return symbols
    .flatMap((symbol) => {
      const range = symbol.range ?? symbol.location?.range;
      if (range === undefined || !contains(range, at)) {
        return [];
      }
      const inner = symbolAt(symbol.children ?? [], at);
      const container = symbol.containerName ?? '';
      const names = [...(container === '' ? [] : [container]), symbol.name];
      return [
        inner === undefined ? { kind: symbol.kind, names, range } : { ...inner, names: [...names, ...inner.names] },
      ];
    })
    .reduce<FoundSymbol | undefined>(
      (best, found) => (best && contains(found.range, best.range.start) ? best : found),
      undefined,
    );
}

function contains({ start, end }: Span, at: Point): boolean {
  return !isBefore(at, start) && !isBefore(end, at);
}

function isBefore(a: Point, b: Point): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
