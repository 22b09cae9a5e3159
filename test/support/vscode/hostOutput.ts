/**
 * Extracts the output of a test suite from the server's output. With a `debugId` in the payload, the extension host
 * repeats each console call on its own output, formatted, between two marker lines. The server adds its own prefix to
 * each.
 */
export class HostOutput {
  private rest = '';
  private block: string[] | undefined;

  constructor(private readonly print: (text: string) => void) {}

  /** Accepts the next chunk of the server's output, which may be cut anywhere. */
  write(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      this.line(line.replace(/^\[\d\d:\d\d:\d\d\] \[[^\]]*\]\[[^\]]*\]\[ExtensionHostConnection\] <\d+> ?/, ''));
    }
  }

  private line(line: string): void {
    if (line === 'START_NATIVE_LOG') {
      this.block = [];
    } else if (line === 'END_NATIVE_LOG') {
      this.print(`${withoutEmptyEnds(this.block ?? []).join('\n')}\n`);
      this.block = undefined;
    } else {
      this.block?.push(line);
    }
  }
}

function withoutEmptyEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}
