const MAX_LINE = 300;

/** Matches the name of an exception, or a line that is labeled as an error. */
const PROBLEM = /^(uncaught |fatal |internal )*(error|panic|exception)\b|\b[A-Z]\w*(Error|Exception)\b|\berror: /i;

/** Match a stack frame, and the version that Node and others print below a stack. */
const STACK = /^at |^\s*\^+$|^File "/;
const VERSION = /^(Node\.js|Bun|Deno|Python) v?\d/;

/** Keeps the end of a program's output, at most `maxBytes` bytes. */
export class OutputTail {
  private chunks: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes: number) {}

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size > 2 * this.maxBytes) {
      this.chunks = [this.bytes()];
      this.size = this.maxBytes;
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks).subarray(-this.maxBytes);
  }

  /** The last nonblank line, without terminal colors and control characters, at most 300 characters; or ''. */
  lastLine(): string {
    return (this.lines().findLast((line) => line !== '') ?? '').slice(0, MAX_LINE);
  }

  /**
   * The line that says what went wrong, cleaned up in the same way: the first that names an error, else the last one.
   * Skips stacks and versions, with which the output of a crashed program ends.
   */
  problemLine(): string {
    const said = this.lines().filter((line) => line !== '');
    const problem = said.find((line) => PROBLEM.test(line.slice(0, MAX_LINE)) && !STACK.test(line));
    const last = said.findLast((line) => !STACK.test(line) && !VERSION.test(line));
    return (problem ?? last ?? '').slice(0, MAX_LINE);
  }

  /** The last `count` lines without blank ones at either end, cleaned up in the same way; or ''. */
  lastLines(count: number): string {
    return this.lines().slice(-count).join('\n').trim();
  }

  private lines(): string[] {
    const plain = this.bytes()
      .toString('utf8')
      // oxlint-disable-next-line no-control-regex -- terminal sequences are what is being removed
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '');
    return plain
      .trimEnd()
      .split(/[\r\n]+/)
      .map((line) => line.replace(/\p{Cc}/gu, '').trim());
  }
}
