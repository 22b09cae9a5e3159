import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { toCodeQuality } from '../../../src/checks/codeQuality';
import { Output } from '../../../src/local-service/check/output';
import { coverage, findingsWith, goneName, SAMPLE_FINDINGS, unknownName } from '../../support/findings';

/** What the program prints. */
class Printed {
  text = '';
  constructor(readonly isTTY: boolean) {}
  write = (text: string): boolean => {
    this.text += text;
    return true;
  };
}

function outputs(options: Partial<ConstructorParameters<typeof Output>[0]> = {}, isTTY = false) {
  const [out, errors] = [new Printed(isTTY), new Printed(isTTY)];
  const output = new Output({ json: false, all: false, annotate: undefined, ...options }, out, errors);
  return { output, out, errors };
}

describe('what a check prints', () => {
  it('is a table by page, with the evidence below each finding', () => {
    const { output, out } = outputs({ all: true });
    SAMPLE_FINDINGS.toReversed().forEach((finding) => output.finding(finding));
    output.end(coverage(3));
    strictEqual(
      out.text,
      `docs/a.md
  3:1  “--retry⟨U+200B⟩-\`max\`” was not found in the code.
  4:1  “attempts” is no longer in the code. Probably replaced by “maxAttempts”. Removed in 0123456789 (“Rename the retry options”).
       src/retry.ts:7: const attempts = 5; → const maxAttempts = 5;

docs/b.md
  1:1  The link “x.md” doesn’t lead to a file.
  2:1  The link “a.md#x” leads to a page without this heading.
  3:1  The image “x.png” doesn’t exist.
  5:1  This block isn’t valid JSON: Unexpected�end

docs/c.md
  2:1  The default of “retries” is 3, not 5. Changed in 0123456789 (“Rename the retry options”).
       src/retry.ts:7: retries = 5 → retries = 3
  3:1  “attempts” is no longer in the code.
  4:1  “retryMax” isn’t in the code, its history, or its dependencies.
  5:1  The link “old.md” doesn’t lead to a file. Probably replaced by “docs/new.md”. Removed in 0123456789 (“Rename the retry options”).

10 findings on 3 pages.
Checked 1 name, 0 links, and 0 defaults on 3 pages.
`,
    );
  });

  it('leaves out what is only likely, and counts it', () => {
    const { output, out } = outputs();
    [unknownName(), unknownName()].forEach((finding) => output.finding(finding));
    output.end(coverage(1));
    match(out.text, /^2 likely findings not shown \(--all shows all\)\.\nChecked/);
    deepStrictEqual(output.findings, []);
    const json = outputs({ json: true });
    json.output.finding(unknownName());
    json.output.end(coverage(1));
    deepStrictEqual(JSON.parse(json.out.text), { type: 'end', coverage: coverage(1), hidden: 1 });
  });

  it('shows progress on a terminal only, on one line that is cleared at the end', () => {
    const terminal = outputs({}, true);
    terminal.output.progress(1, 3);
    terminal.output.progress(2, 3);
    terminal.output.end(coverage(1));
    strictEqual(terminal.errors.text, '\r\u001B[KChecking: 33%\r\u001B[K');
    const file = outputs();
    file.output.progress(1, 3);
    file.output.end(coverage(1));
    strictEqual(file.errors.text, '');
  });

  it('has what was found until it was stopped', () => {
    const { output, out, errors } = outputs();
    output.finding(goneName());
    output.stop();
    match(out.text, /“attempts” is no longer .*\n\n1 finding on 1 page\.\n$/s);
    strictEqual(errors.text, 'docs-agent-check: The check was stopped. What it had found is shown.\n');
  });

  it('has annotations in a workflow of GitHub, which nothing in a repository can add to', () => {
    const { output, out } = outputs({ annotate: 'sub/' });
    [...Array<undefined>(9)].forEach(() => output.finding(goneName()));
    findingsWith('a\n::error::b, 100%: c').forEach((finding) => output.finding(finding));
    output.end(coverage(1));
    const [, token = '', table = '', rest = ''] =
      /^::stop-commands::([0-9a-f-]{36})\n(.*?)\n::\1::\n(.*)$/s.exec(out.text) ?? [];
    match(table, /^a�::error::b, 100%: c\n/);
    strictEqual(table.includes(token), false);
    const lines = rest.split('\n').filter((line) => line.startsWith('::'));
    strictEqual(lines.length, 10);
    strictEqual(
      lines.at(-1),
      '::warning file=sub/docs/a.md,line=4,col=1,endColumn=5,title=docs-agent-check::“attempts” is no longer in the code. Probably replaced by “maxAttempts”. Removed in 0123456789 (“Rename the retry options”).',
    );
    const hostile = lines[0] ?? '';
    match(hostile, /^::warning file=sub\/a%0A%3A%3Aerror%3A%3Ab%2C 100%25%3A c,line=1,/);
  });

  it('is also a Code Quality report, with a fingerprint of its own for each finding', () => {
    const report = toCodeQuality([goneName(), goneName(), ...SAMPLE_FINDINGS]) as Record<string, unknown>[];
    strictEqual(new Set(report.map(({ fingerprint }) => fingerprint)).size, report.length);
    const { fingerprint, ...others } = report[0] ?? {};
    match(String(fingerprint), /^[0-9a-f]{64}$/);
    deepStrictEqual(others, {
      description:
        '“attempts” is no longer in the code. Probably replaced by “maxAttempts”. Removed in 0123456789 (“Rename the retry options”).',
      check_name: 'gone-name',
      severity: 'minor',
      location: { path: 'docs/a.md', lines: { begin: 4 } },
    });
  });
});
