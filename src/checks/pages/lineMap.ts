/** Converts offsets in a text to lines and columns, which count from 1. */
export class LineMap {
  private readonly starts: number[] = [];

  /** @param lines without line ends, each of which is one character */
  constructor(lines: readonly string[]) {
    let start = 0;
    for (const { length } of lines) {
      this.starts.push(start);
      start += length + 1;
    }
  }

  place(offset: number): { line: number; column: number } {
    let low = 0;
    for (let high = this.starts.length - 1; low < high;) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }
}
