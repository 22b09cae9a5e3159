import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Coverage, Finding } from '../../../src/checks/finding';
import { largeRepository, type RenamedRepository, renamedRepository } from '../../support/checkedRepositories';
import { notOnWindows } from '../../support/machine';
import { seed } from '../../support/scale';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const main = fileURLToPath(new URL('../../../src/local-service/main.ts', import.meta.url));

let cache: string;

function start(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const home = { HOME: cache, XDG_CACHE_HOME: cache, LOCALAPPDATA: cache, GITHUB_ACTIONS: '' };
  const env = { ...process.env, ...home, ...environment };
  return spawn(process.execPath, ['--import', 'tsx', main, 'check', ...args], { env, stdio: 'pipe' });
}

async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(args);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** The processes with this text in their environment; none where the system doesn't list it. */
async function processesWith(text: string): Promise<string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(ids.map((id) => readFile(`/proc/${id}/environ`, 'latin1').catch(() => '')));
  return ids.filter((_, at) => environments[at]?.includes(text) === true);
}

describe('service check', function () {
  let planted: RenamedRepository;

  before(async () => {
    planted = await renamedRepository(seed);
    cache = await temporaryFolder();
  });

  it('prints a table of the findings and exits with 1', async () => {
    const { code, stdout } = await run(planted.folder);
    strictEqual(code, 1);
    const lines = stdout.trimEnd().split('\n');
    match(
      lines.at(-1) ?? '',
      /^Checked \d+ names, \d+ links, and \d+ defaults on \d+ pages\. Left out: \d+ pages about the past, such as changelogs\.$/,
    );
    const count = Number(/^(\d+) findings on \d+ pages\.$/.exec(lines.at(-2) ?? '')?.[1]);
    ok(count >= 28);
    strictEqual(lines.filter((line) => /^ {2}\d+:\d+ +“\S+” is no longer in the code\. ?/.test(line)).length, count);
    ok(lines.some((line) => /^ {6,}src\/\S+?(:\d+)?: \S.* → /.test(line)));
  });

  it('prints JSON lines with --json, and the same findings with and without the cache', async () => {
    const events = async (...args: string[]) => {
      const { stdout } = await run(planted.folder, '--json', ...args);
      const all = stdout.trimEnd().split('\n');
      return all.map((line) => JSON.parse(line) as { type: string; finding?: Finding; coverage?: Coverage });
    };
    const first = await events();
    strictEqual(first.at(-1)?.type, 'end');
    ok((first.at(-1)?.coverage?.names ?? 0) >= 30);
    const findings = (list: typeof first) => list.filter(({ type }) => type === 'finding').map(JSON.stringify as never);
    ok(findings(first).length >= 28);
    deepStrictEqual(findings(await events()).toSorted(), findings(first).toSorted());
    deepStrictEqual(findings(await events('--no-cache')).toSorted(), findings(first).toSorted());
  });

  it('writes no SARIF through a symbolic link in the repository', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const folder = await sampleRepository();
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'profile'), 'mine');
    await symlink(join(outside, 'profile'), join(folder, 'findings.sarif'));
    const { code, stderr } = await run(folder, '--sarif', join(folder, 'findings.sarif'));
    strictEqual(code, 2);
    match(stderr, /symbolic link/);
    strictEqual(await readFile(join(outside, 'profile'), 'utf8'), 'mine');
  });

  it('writes a Code Quality report', async () => {
    const file = join(cache, 'quality.json');
    await run(planted.folder, '--code-quality', file);
    const report = JSON.parse(await readFile(file, 'utf8')) as { location: { path: string } }[];
    ok(report.length >= 28 && report.every(({ location }) => location.path.startsWith('docs/')));
  });

  it('writes SARIF', async () => {
    const file = join(cache, 'out.sarif');
    await run(planted.folder, '--sarif', file);
    const sarif = JSON.parse(await readFile(file, 'utf8')) as { version: string; runs: { results: object[] }[] };
    strictEqual(sarif.version, '2.1.0');
    ok((sarif.runs[0]?.results.length ?? 0) >= 28);
  });

  it('shows invisible characters as code points', async () => {
    const folder = await sampleRepository();
    await writeFile(join(folder, 'docs/more.md'), '# More\n\n[More](a\u202eb\u200b.md)\n');
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'More');
    const { stdout } = await run(folder, '--base', 'HEAD~1');
    match(stdout, /^docs\/more\.md\n {2}3:1 {2}The link “a⟨U\+202E⟩b⟨U\+200B⟩\.md” doesn’t lead/);
    const { stderr } = await run(folder, '--base', 'no\u202ewhere');
    match(stderr, /There is no commit “no⟨U\+202E⟩where”/);
  });

  it('reports no link whose target is ignored', async () => {
    const folder = await sampleRepository();
    await mkdir(join(folder, '.docs-agent'));
    const ignore = [{ name: 'made-by-the-site.md', reason: 'The site makes it' }];
    await writeFile(join(folder, '.docs-agent/checks.json'), JSON.stringify({ ignore }));
    await writeFile(join(folder, 'docs/more.md'), '[A](made-by-the-site.md) and [b](gone.md)\n');
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'More');
    const { stdout } = await run(folder, '--base', 'HEAD~1', '--json');
    deepStrictEqual(stdout.match(/"target":"[^"]*"/g), ['"target":"gone.md"']);
  });

  it('exits with 0 when nothing was found', async () => {
    strictEqual((await run(await sampleRepository())).code, 0);
  });

  it('exits with 2 when it could not run, and says why', async () => {
    const none = await temporaryFolder();
    const folder = await sampleRepository();
    await mkdir(join(folder, '.docs-agent'));
    await writeFile(join(folder, '.docs-agent/checks.json'), '{ "ignore": ["a"] }');
    for (const [args, words] of [
      [[none], /not a git repository/],
      [[folder, '--base', 'nowhere'], /checks\.json|There is no commit “nowhere”/],
      [[folder], /“\.docs-agent\/checks\.json” can’t be used at “ignore\.0”/],
      [[folder, '--nonsense'], /--nonsense/],
      [[folder, '--head', 'HEAD'], /--head needs --base/],
    ] as const) {
      const { code, stderr } = await run(...args);
      strictEqual(code, 2);
      match(stderr, words);
    }
  });

  it('runs no program that the repository configures', async () => {
    const folder = await sampleRepository();
    const proof = join(folder, 'proof');
    const program = `sh -c 'touch ${proof}'`;
    await writeFile(join(folder, '.gitattributes'), '* filter=x diff=x\n');
    await writeFile(join(folder, 'src/retry.ts'), 'export const nothing = 1;\n');
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Remove all');
    for (const [key, value] of [
      ['filter.x.clean', program],
      ['filter.x.smudge', program],
      ['diff.x.textconv', program],
      ['diff.x.command', program],
      ['core.fsmonitor', program],
      ['core.pager', program],
    ] as const) {
      await git(folder, 'config', key, value);
    }
    await writeFile(join(folder, 'docs/index.md'), 'Changed `attempts`.\n');
    await run(folder);
    await run(folder, '--base', 'HEAD~1');
    strictEqual((await readFile(proof).catch(() => undefined)) === undefined, true);
  });

  describe('when it is terminated', () => {
    notOnWindows();

    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`exits with 2 after ${signal}, says so, and leaves no git process`, async () => {
        const size = { pages: 400, namesPerPage: 20, commits: 4_000, codeFiles: 300 };
        const large = await largeRepository(size, seed);
        // Only this run's processes have this variable.
        const mark = `check-${process.pid}-${seed}-${signal}`;
        const child = start([large, '--json', '--no-cache'], { LC_MARK: mark });
        await once(child.stdout!, 'data');
        let stderr = '';
        child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
        child.kill(signal);
        const [code] = (await once(child, 'close')) as [number | null];
        strictEqual(code, 2);
        match(stderr, /The check was stopped/);
        deepStrictEqual(await processesWith(mark), []);
      });
    }
  });
});
