import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processStartTime } from '../../../src/base/process';
import { checkForModels } from '../../../src/checks/process/checkForModels';
import { type CheckedResult, CheckFailed, checkResult, runCheck } from '../../../src/checks/process/runCheck';
import { sayFinding, shortened } from '../../../src/checks/describe';
import { SUPERVISOR } from '../../support/agentTask';
import { coverage, goneName } from '../../support/findings';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const program = fileURLToPath(new URL('../../support/scriptedCheck.mjs', import.meta.url));

const FINDING = goneName({ name: 'maxRetryCount' });
const COVERAGE = coverage(2);
const END = { type: 'end', coverage: COVERAGE };

describe('the process that checks a repository', () => {
  let folder: string;
  let found: string[];
  let progress: number[];

  /** Prepares what the program prints, and what it does afterward: an exit code, `fail`, or `hang`. */
  async function script(lines: readonly unknown[], then: string): Promise<void> {
    folder = await temporaryFolder();
    [found, progress] = [[], []];
    await writeFile(join(folder, 'output'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await writeFile(join(folder, 'then'), then);
  }

  const run = (signal = new AbortController().signal, code: string[] = []): ReturnType<typeof runCheck> =>
    runCheck({
      program,
      environment: process.env,
      folder,
      code,
      signal,
      onFinding: ({ place }) => found.push(place.path),
      onProgress: (done) => progress.push(done),
    });

  it('reports findings and progress, and what was covered', async () => {
    await script([{ type: 'progress', done: 1, total: 2 }, { type: 'finding', finding: FINDING }, END], '1');
    deepStrictEqual(await run(undefined, ['/other']), COVERAGE);
    deepStrictEqual([found, progress], [['docs/a.md'], [1]]);
    strictEqual(await readFile(join(folder, 'arguments'), 'utf8'), '["check","--code","/other","--json","--all"]');
  });

  it('can report that nothing was found', async () => {
    await script([END], '0');
    deepStrictEqual(await run(), COVERAGE);
  });

  it('says why it could not run', async () => {
    await script([], 'fail');
    await rejects(run(), new CheckFailed('The folder is not a Git repository.'));
  });

  describe('for a language model', () => {
    const check = (limitMs?: number, base?: string) => {
      const { signal } = new AbortController();
      return checkForModels({ program, environment: process.env, folder, code: [], signal }, base, limitMs);
    };

    it('says what was found, where, and by which evidence', async () => {
      await script([{ type: 'finding', finding: FINDING }, END], '1');
      const { sentence, problems } = await check(undefined, 'main');
      match(sentence, /^1 problem was found\. Checked .* on 2 pages\./);
      const { place, certainty, evidence } = FINDING;
      const problem = sayFinding(FINDING, shortened);
      deepStrictEqual(problems, [{ page: 'docs/a.md', line: place.line, certainty, problem, evidence }]);
      match(await readFile(join(folder, 'arguments'), 'utf8'), /"--base","main","--head","HEAD"/);
    });

    it('keeps what was found when it takes too long, and says so', async () => {
      await script([{ type: 'finding', finding: FINDING }], 'hang');
      const { sentence, problems } = await check(2_000);
      match(sentence, /^1 problem was found\. The check took too long/);
      strictEqual(problems.length, 1);
    });

    it('lists a limited number of problems, and says how many there are', async () => {
      await script([...Array.from({ length: 120 }, () => ({ type: 'finding', finding: FINDING })), END], '1');
      const { sentence, problems } = await check();
      match(sentence, /^120 problems were found\. The first 100 are listed\./);
      strictEqual(problems.length, 100);
    });

    it('says why it could not run', async () => {
      await script([], 'fail');
      await rejects(check(), /could not be checked: The folder is not a Git repository\./);
    });
  });

  for (const [what, lines, exitCode] of [
    ['ends early', [{ type: 'progress', done: 1, total: 2 }], '0'],
    ['crashes', [END], '137'],
  ] as const) {
    it(`counts as failed if it ${what}`, async () => {
      await script(lines, exitCode);
      await rejects(run(), CheckFailed);
    });
  }

  it('is killed with its children when canceled, even if it ignores signals', async () => {
    await script([{ type: 'finding', finding: FINDING }], 'hang');
    const abort = new AbortController();
    const ended = runCheck({
      program,
      environment: process.env,
      folder,
      code: [],
      signal: abort.signal,
      onFinding: ({ place }) => found.push(place.path),
      onProgress: () => abort.abort(),
    });
    strictEqual(await ended, undefined);
    deepStrictEqual(found, ['docs/a.md']);
    const pids = JSON.parse(await readFile(join(folder, 'pids'), 'utf8')) as number[];
    strictEqual(pids.length, 2);
    while ((await Promise.all(pids.map(processStartTime))).some((time) => time !== undefined)) {
      await delay(10);
    }
  });

  it('is not started when it is canceled beforehand', async () => {
    await script([], 'fail');
    strictEqual(await run(AbortSignal.abort()), undefined);
  });
});

describe('the check of a job’s result', () => {
  const [, service = ''] = SUPERVISOR;
  let folder: string;
  let logged: string[];

  const check = (more: { folder?: string; code?: string[] } = {}, signal?: AbortSignal) => {
    const log = { info: () => undefined, warn: (text: string) => logged.push(text), error: () => undefined };
    const range = { folder, base: 'HEAD~1', commit: 'HEAD', code: [], ...more };
    return checkResult(
      { program: service, environment: process.env, log },
      range,
      signal ?? new AbortController().signal,
    );
  };
  const summary = (result: CheckedResult | undefined) =>
    result?.findings.map(({ rule, place, ...rest }) => [rule, `${place.path}:${place.line}`, Object.values(rest)[0]]);

  async function commit(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Change');
  }

  beforeEach(async () => {
    folder = await sampleRepository();
    logged = [];
  });

  it('finds an invented flag, a broken link, and invalid code in the added lines only', async () => {
    await commit({ 'docs/z.md': 'Set `--older-flag` first.\n' });
    await commit({
      'docs/a.md': 'Set `--retry-budget` and `attempts`. See [there](no.md).\n',
      'docs/z.md': 'Set `--older-flag` first.\n\n```json\n{ "a": }\n```\n',
    });
    const result = await check();
    deepStrictEqual(
      summary(result)?.map((each) => each.slice(0, 2)),
      [
        ['unknown-name', 'docs/a.md:1'],
        ['broken-link', 'docs/a.md:1'],
        ['invalid-code', 'docs/z.md:4'],
      ],
    );
    strictEqual(summary(result)?.[0]?.[2], '--retry-budget');
    deepStrictEqual([result?.more, logged], [0, []]);
  });

  it('lists 100 findings and counts the others', async () => {
    await commit({ 'docs/a.md': Array.from({ length: 130 }, (_, at) => `See [${at}](no-${at}.md).\n`).join('\n') });
    const result = await check();
    deepStrictEqual([result?.findings.length, result?.more], [100, 30]);
  });

  it('looks names up in the other repositories, too', async () => {
    const other = await sampleRepository();
    await writeFile(join(other, 'src.ts'), "option('retry-budget');\n");
    await git(other, 'add', '--all');
    await git(other, 'commit', '--quiet', '-m', 'Add an option');
    await commit({ 'docs/a.md': 'Set `--retry-budget` first.\n' });
    deepStrictEqual(summary(await check({ code: [other] })), []);
  });

  it('has no result when it is aborted or fails, and logs only the failure', async () => {
    strictEqual(await check({}, AbortSignal.abort()), undefined);
    deepStrictEqual(logged, []);
    strictEqual(await check({ folder: await temporaryFolder() }), undefined);
    strictEqual(logged.length, 1);
  });
});
