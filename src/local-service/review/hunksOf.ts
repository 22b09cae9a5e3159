/** A line of a hunk, with its sign. A number is missing on the side on which there is no such line. */
export interface HunkLine {
  content: string;
  oldNumber: number | undefined;
  newNumber: number | undefined;
}

export interface Hunk {
  header: string;
  lines: HunkLine[];
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads the hunks of one file, as `git diff` prints them. The parser of diff2html takes ten times as long. */
export function hunksOf(printed: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let lines: HunkLine[] = [];
  let [before, after] = [0, 0];
  for (const content of printed) {
    switch (content.charAt(0)) {
      case '@': {
        const [, oldStart, newStart] = HEADER.exec(content) ?? [];
        [before, after] = [Number(oldStart), Number(newStart)];
        lines = [];
        hunks.push({ header: content, lines });
        break;
      }
      case '-':
        lines.push({ content, oldNumber: before++, newNumber: undefined });
        break;
      case '+':
        lines.push({ content, oldNumber: undefined, newNumber: after++ });
        break;
      case ' ':
        lines.push({ content, oldNumber: before++, newNumber: after++ });
        break;
    }
  }
  return hunks;
}
