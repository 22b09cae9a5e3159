import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { showInvisible } from '../../base/text';
import { sayFinding, shortened } from '../../checks/describe';
import { byPlace, type Coverage, type Finding } from '../../checks/finding';
import { counted, describeCoverage } from '../../checks/describeCoverage';

/** How often progress is printed at most, in milliseconds. */
const PROGRESS_MS = 100;
/** GitHub shows no more of a step (“annotations” of a workflow command). */
const MAX_ANNOTATIONS = 10;
/** To the start of the line, and erase it (ECMA-48). */
const CLEAR = '\r\u001B[K';

interface Options {
  /** One JSON object per line, as things happen; otherwise a table at the end. */
  json: boolean;
  /** Whether likely findings are shown, too. */
  all: boolean;
  /** The folder of the repository in GitHub's workspace, if the program runs in a workflow. */
  annotate: string | undefined;
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** Prints what happens. */
export class Output {
  /** Those that are shown. */
  readonly findings: Finding[] = [];
  private hidden = 0;
  private lastProgress = -Infinity;
  private hasProgress = false;

  constructor(
    private readonly options: Options,
    private readonly out: Stream = process.stdout,
    private readonly errors: Stream = process.stderr,
  ) {}

  finding(finding: Finding): void {
    if (!this.options.all && finding.certainty === 'likely') {
      this.hidden++;
      return;
    }
    this.findings.push(finding);
    this.event({ type: 'finding', finding });
  }

  progress(done: number, total: number): void {
    const now = performance.now();
    if (now - this.lastProgress < PROGRESS_MS) {
      return;
    }
    this.lastProgress = now;
    this.event({ type: 'progress', done, total });
    if (!this.options.json && this.errors.isTTY) {
      this.hasProgress = true;
      this.errors.write(`${CLEAR}Checking: ${Math.floor((100 * done) / Math.max(total, 1))}%`);
    }
  }

  end(coverage: Coverage): void {
    this.event({ type: 'end', coverage, hidden: this.hidden });
    this.print(describeCoverage(coverage));
  }

  /** Prints what was found so far. */
  stop(): void {
    this.print();
    this.error('The check was stopped. What it had found is shown.');
  }

  error(words: string): void {
    this.clearProgress();
    this.errors.write(`docs-agent-check: ${toLine(words)}\n`);
  }

  private event(event: object): void {
    if (this.options.json) {
      this.out.write(`${JSON.stringify(event)}\n`);
    }
  }

  private print(...lastLines: string[]): void {
    this.clearProgress();
    if (this.options.json) {
      return;
    }
    const findings = this.findings.toSorted(byPlace);
    const pages = [...Map.groupBy(findings, ({ place }) => place.path)];
    const count = findings.length;
    const table = pages.flatMap(([path, each]) => [...this.table(path, each), '']);
    const lines = [
      ...(this.options.annotate === undefined ? table : [...withoutCommands(table), ...this.annotations(findings)]),
      ...(count === 0 ? [] : [`${counted(count, 'finding')} on ${counted(pages.length, 'page')}.`]),
      ...(this.hidden === 0 ? [] : [`${counted(this.hidden, 'likely finding')} not shown (--all shows all).`]),
      ...lastLines,
    ];
    this.out.write(lines.map((line) => `${line}\n`).join(''));
  }

  private table(path: string, findings: readonly Finding[]): string[] {
    const places = findings.map(({ place }) => `${place.line}:${place.column}`);
    const width = Math.max(...places.map(({ length }) => length));
    const rows = findings.flatMap((finding, at) => {
      const evidence = evidenceLine(finding);
      return [
        `  ${(places[at] ?? '').padEnd(width)}  ${toLine(sayFinding(finding, shortened))}`,
        ...(evidence === undefined ? [] : [this.style('dim', `  ${''.padEnd(width)}  ${toLine(evidence)}`)]),
      ];
    });
    return [this.style('bold', toLine(path)), ...rows];
  }

  private annotations(findings: readonly Finding[]): string[] {
    const { annotate = '' } = this.options;
    return findings.slice(0, MAX_ANNOTATIONS).map((finding) => {
      const { path, line, column, endColumn } = finding.place;
      const properties = {
        file: `${annotate}${path}`,
        line,
        col: column,
        endColumn,
        title: 'docs-agent-check',
      };
      const words = Object.entries(properties).map(([name, value]) => `${name}=${escape(`${value}`, /[%\r\n:,]/g)}`);
      return `::warning ${words.join(',')}::${escape(toLine(sayFinding(finding, shortened)), /[%\r\n]/g)}`;
    });
  }

  private style(format: 'bold' | 'dim', words: string): string {
    // Follows NO_COLOR and FORCE_COLOR.
    return this.out.isTTY ? styleText(format, words, { stream: this.out as NodeJS.WriteStream }) : words;
  }

  private clearProgress(): void {
    if (this.hasProgress) {
      this.hasProgress = false;
      this.errors.write(CLEAR);
    }
  }
}

/** The line of code that a commit changed; undefined if it isn't known. */
function evidenceLine(finding: Finding): string | undefined {
  const evidence = 'evidence' in finding ? finding.evidence : null;
  if (evidence === null || evidence.before === '') {
    return undefined;
  }
  const { path, line, before, after } = evidence;
  return `${path}${line === null ? '' : `:${line}`}: ${before}${after === null ? '' : ` → ${after}`}`;
}

/** Lines in which GitHub looks for no commands: a repository could contain some. */
function withoutCommands(lines: readonly string[]): string[] {
  const token = randomUUID();
  return [`::stop-commands::${token}`, ...lines, `::${token}::`];
}

/** As `@actions/core` does. */
function escape(words: string, what: RegExp): string {
  return words.replace(what, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** One line for a terminal: a path, a subject, or what git says may contain anything. */
function toLine(words: string): string {
  return showInvisible(words).replace(/\p{Cc}/gu, '�');
}
