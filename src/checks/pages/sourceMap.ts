/** How far a text may be from the end of the one before, in characters: borders, indentation, marks. */
const NEAR = 1_000;

/** Finds where the text of a block stands in the page: the parser removes indentation, list marks, and cell borders. */
export class SourceMap {
  /** Where the last text on a line ended: the cells of a table follow each other on one line. */
  private last = { line: -1, column: 0 };

  constructor(private readonly lines: readonly string[]) {}

  /** The 0-based column of a text on this 0-based line. */
  find(text: string, line: number): number {
    const source = this.lines[line] ?? '';
    return Math.max(0, source.endsWith(text) ? source.length - text.length : source.indexOf(text));
  }

  /**
   * @param line 0-based
   * @returns a function from places in the content to lines and columns that count from 1
   */
  place(content: string, line: number): (offset: number) => { line: number; column: number } {
    const starts: { offset: number; column: number }[] = [];
    let offset = 0;
    for (const [index, text] of content.split('\n').entries()) {
      const here = line + index;
      const from = this.last.line === here ? this.last.column : 0;
      const column = this.columnOf(text, here, from);
      this.last = { line: here, column: column + text.length };
      starts.push({ offset, column });
      offset += text.length + 1;
    }
    return (at) => {
      let low = 0;
      for (let high = starts.length - 1; low < high;) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle]?.offset ?? 0) <= at) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      const start = starts[low] ?? { offset: 0, column: 0 };
      return { line: line + low + 1, column: start.column + at - start.offset + 1 };
    };
  }

  private columnOf(text: string, line: number, from: number): number {
    const source = this.lines[line] ?? '';
    if (text === '') {
      return from;
    }
    if (from === 0 && source.endsWith(text)) {
      return source.length - text.length;
    }
    // Only there: a row of many cells would otherwise be searched to its end for each of them.
    const near = source.slice(from, from + text.length + NEAR);
    const found = near.indexOf(text);
    if (found !== -1) {
      return from + found;
    }
    // Tabs became spaces, or a border inside of a cell lost its backslash: the start is right, the rest may be off.
    const start = near.indexOf(text.trimStart().slice(0, 8));
    return start === -1 ? from : from + start;
  }
}
