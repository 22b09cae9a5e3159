// `npm run bench:fixes -- FOLDER --build BEFORE --build AFTER`: how many real fixes of stale documentation the check would
// have found, at which cost. FOLDER has clones of the repositories in fixes.json, bare or not, as OWNER+NAME, with their
// whole history; a build is a service.mjs (this checkout's without `--build`). Linux only, because of the processor time.
//
//   --only TEXT   only repositories whose name contains this
//   --half NAME   only `tuning` or `held-out`
//   --list        each fix of the tuning half, found or not; the held-out half is for totals only
//   --heads FILE  instead, check the newest commits and write the findings to this file, to review them
//
// fixes.json has, for each repository, the commit that fixed a page, the page, the line at the commit's parent, what was
// stale and where it stood, the name or the link's target (alternatives with `|`; empty if only the meaning was wrong), and
// how the fix was found: by the commit's message, or by content: the code had the name or target when the line was written
// and no longer at the parent; or by both. Fixes of dead links to other sites are left out. The first hexadecimal digit of the
// commit's SHA-256 decided the half before anyone looked at the fixes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked, withTemporaryFolder } from '../../support/vscode/run';

type Row = [commit: string, page: string, line: number, kind: string, where: string, name: string, how: string];

interface Fix {
  repository: string;
  half: 'tuning' | 'held-out';
  commit: string;
  page: string;
  line: number;
  kind: string;
  where: string;
  name: string;
  how: string;
  /** For each build. */
  found: boolean[];
}

type Finding = Readonly<Record<string, unknown>> & { place: { path: string; line: number } };

interface Cost {
  /** Of the process and its git, in seconds. */
  processor: number;
  /** Peak of the process, in MB. */
  memory: number;
}

interface Check extends Cost {
  findings: Finding[];
  notChecked: unknown;
}

/** Strings of a finding that don't say what it is about. */
const OTHER_STRINGS = new Set(['rule', 'kind', 'written', 'successor', 'certainty']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    build: { type: 'string', multiple: true, default: [join(checkoutRoot, 'dist', 'service.mjs')] },
    only: { type: 'string', default: '' },
    half: { type: 'string' },
    list: { type: 'boolean', default: false },
    heads: { type: 'string' },
  },
});
const [folder = process.env['DOCUMENTATION_REPOSITORIES'] ?? ''] = positionals;
const builds = values.build.map((path) => resolve(path));
const rows = JSON.parse(await readFile(join(import.meta.dirname, 'fixes.json'), 'utf8')) as Record<string, Row[]>;
const repositories = Object.entries(rows).filter(([name]) => name.includes(values.only));
await (values.heads === undefined ? recall() : heads(values.heads));

async function recall(): Promise<void> {
  const fixes: Fix[] = [];
  const costs: Cost[][] = builds.map(() => []);
  for (const [repository, all] of repositories) {
    const ours = all.map((row) => fix(repository, row)).filter(({ half }) => (values.half ?? half) === half);
    const perCommit = Map.groupBy(ours, ({ commit }) => commit);
    process.stderr.write(`${repository}: ${ours.length} fixes in ${perCommit.size} commits …\n`);
    await inClone(repository, async (clone) => {
      for (const [commit, ofCommit] of perCommit) {
        await runChecked('git', ['checkout', '--quiet', '--force', '--detach', `${commit}^`], { cwd: clone });
        for (const [index, build] of builds.entries()) {
          const result = await check(build, clone);
          costs[index]?.push(result);
          ofCommit.forEach((one) => one.found.push(result.findings.some((finding) => isOf(finding, one))));
        }
      }
    });
    fixes.push(...ours);
  }
  for (const half of ['tuning', 'held-out'] as const) {
    const ours = fixes.filter((one) => one.half === half);
    const groups = [(one: Fix) => one.how, (one: Fix) => one.kind, (one: Fix) => `in ${one.where}`];
    const lines = groups.flatMap((group) =>
      [...Map.groupBy(ours, group)].map(([name, some]) => counted(name, some)).toSorted(byName),
    );
    print([[half, 'fixes', ...builds], counted('all', ours), ...lines]);
  }
  const cost = costs.map((some) => {
    const time = some.map(({ processor }) => processor).toSorted((a, b) => a - b);
    const sum = time.reduce((a, b) => a + b, 0);
    const memory = Math.max(...some.map((one) => one.memory));
    return [sum.toFixed(1), (time[time.length >> 1] ?? 0).toFixed(2), (time.at(-1) ?? 0).toFixed(1), memory.toFixed(0)];
  });
  const measured = ['processor time, s', 'median of a check', 'longest', 'peak memory, MB'];
  print([['cost', ...builds], ...measured.map((name, row) => [name, ...cost.map((figures) => figures[row] ?? '')])]);
  for (const one of values.list ? fixes.filter(({ half }) => half === 'tuning') : []) {
    const found = one.found.map((yes) => (yes ? 'found' : 'missed')).join(' ');
    process.stdout.write(
      `${found}\t${one.repository}\t${one.commit}\t${one.page}:${one.line}\t${one.kind}\t${one.name}\n`,
    );
  }
}

/** For precision: the findings are there to be judged. */
async function heads(file: string): Promise<void> {
  const found: object[] = [];
  const table = [['repository', ...builds.flatMap((path) => [path, 's', 'MB']), 'git log -p, s']];
  for (const [repository] of repositories) {
    await inClone(repository, async (clone) => {
      await runChecked('git', ['checkout', '--quiet', '--detach', 'HEAD'], { cwd: clone });
      const head = (await runChecked('git', ['rev-parse', 'HEAD'], { cwd: clone })).trim();
      const figures: string[] = [];
      for (const build of builds) {
        const { findings, notChecked, processor, memory } = await check(build, clone);
        found.push({ repository, head, build, notChecked, findings });
        figures.push(String(findings.length), processor.toFixed(2), memory.toFixed(0));
      }
      const before = await childrenSeconds();
      const log = ['log', '-p', '-U0', '--no-renames', '--output=/dev/null', 'HEAD'];
      await runChecked('git', log, { cwd: clone });
      const row = [repository, ...figures, ((await childrenSeconds()) - before).toFixed(2)];
      process.stderr.write(`${row.join('  ')}\n`);
      table.push(row);
    });
  }
  print(table);
  await writeFile(file, `${JSON.stringify(found, null, 2)}\n`);
}

function fix(repository: string, [commit, page, line, kind, where, name, how]: Row): Fix {
  const digit = createHash('sha256').update(commit).digest('hex').slice(0, 1);
  const half = Number.parseInt(digit, 16) % 2 === 0 ? 'tuning' : 'held-out';
  return { repository, half, commit, page, line, kind, where, name, how, found: [] };
}

/** Text and links are wrapped, so the lines above and below count as well. */
function isOf(finding: Finding, { page, line, name }: Fix): boolean {
  const { path, line: at } = finding.place;
  return path === page && Math.abs(at - line) <= 1 && name.split('|').some((one) => isAbout(finding, one));
}

function isAbout(finding: Finding, name: string): boolean {
  const wanted = bare(name);
  const texts = Object.entries(finding).filter(([key]) => !OTHER_STRINGS.has(key));
  return texts.some(([, value]) => {
    const text = typeof value === 'string' ? bare(value) : '';
    return wanted !== '' && text.length > 2 && (text.includes(wanted) || wanted.includes(text));
  });
}

/** Without the `./` and `--` in front. */
function bare(text: string): string {
  return text.toLowerCase().replace(/^[./-]+(?=\w)|\/$/g, '');
}

function inClone(repository: string, use: (clone: string) => Promise<void>): Promise<void> {
  const source = resolve(folder, repository.replace('/', '+'));
  return withTemporaryFolder(async (clone) => {
    await runChecked('git', ['clone', '--quiet', '--shared', '--no-checkout', source, clone]);
    await use(clone);
  });
}

async function check(build: string, clone: string): Promise<Check> {
  const before = await childrenSeconds();
  const child = spawn(process.execPath, [build, 'check', clone, '--json', '--no-cache'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let memory = 0;
  const timer = setInterval(() => void peak(child.pid).then((now) => (memory = Math.max(memory, now))), 100);
  const findings: Finding[] = [];
  let notChecked: unknown;
  for await (const line of createInterface(child.stdout)) {
    const event = JSON.parse(line) as { finding?: Finding; coverage?: { notChecked: unknown } };
    findings.push(...(event.finding === undefined ? [] : [event.finding]));
    notChecked = event.coverage?.notChecked ?? notChecked;
  }
  await closed;
  clearInterval(timer);
  if (child.exitCode !== 0 && child.exitCode !== 1) {
    throw new Error(`${build} ended with ${String(child.exitCode)}`);
  }
  return { findings, notChecked, processor: (await childrenSeconds()) - before, memory };
}

/** Of all programs that this process has started and that have ended, with their own. A tick is 10 ms. */
async function childrenSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(user) + Number(system)) / 100;
}

async function peak(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

function counted(name: string, fixes: readonly Fix[]): string[] {
  const found = builds.map((_, index) => fixes.filter((one) => one.found[index] === true).length);
  return [name, String(fixes.length), ...found.map(String)];
}

function byName([a = '']: string[], [b = '']: string[]): number {
  return a < b ? -1 : 1;
}

function print(table: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const [head = [], ...others] = table;
  process.stdout.write(`\n${line(head)}${line(head.map(() => '---'))}${others.map(line).join('')}`);
}
