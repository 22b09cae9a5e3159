import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { build } from 'esbuild';
import { git } from '../../support/temporaryRepository';
import { checkoutRoot, extensionFolder } from '../../support/vscode/paths';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import { vscodeExecutable } from '../../support/vscode/vscodeExecutable';
import type { HostFigures } from './inHost';

const FILES = 2_000;
/** Bytes of the whole diff. */
const DIFF_SIZE = 50 * 1024 * 1024;
const LINE = 'The policy says how often a request is sent again, and how long the pause is.';

/** What composing from a very large change costs in a real extension host, as a Markdown table. */
export function measureChanges(rounds: number): Promise<string> {
  return withTemporaryFolder(async (folder) => {
    const workspace = join(folder, 'workspace');
    await changedRepository(workspace);
    const floor = await plainDiff(workspace);
    const { quiet, figures } = await inHost(folder, workspace, rounds);
    const worst = (of: keyof HostFigures): number => Math.max(...figures.map((each) => each[of]));
    const best = Math.min(...figures.map(({ took }) => took));
    const [before] = figures;
    const rows = [
      ['measured', 'composing', 'floor', 'ratio'],
      ['---', '--:', '--:', '--:'],
      ['time, best, against `git diff` of it all to nowhere', ...times(best, floor.took, 'ms')],
      ['time, longest', ...times(worst('took'), floor.took, 'ms')],
      ['longest task of the host, against the host at rest', ...times(worst('longestTask'), quiet.longestTask, 'ms')],
      ['heap at its highest, against before', ...grown(worst('heap'), before?.heapBefore ?? 0)],
      ['resident at its highest, against before', ...grown(worst('resident'), before?.residentBefore ?? 0)],
    ];
    const size = (floor.bytes / 1024 / 1024).toFixed(0);
    const about = `A change of ${FILES} files and ${size} MiB of diff comes to ${worst('characters')} characters.`;
    return `${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${about}\n`;
  });
}

async function changedRepository(folder: string): Promise<void> {
  await mkdir(join(folder, 'pages'), { recursive: true });
  const lines = Math.ceil(DIFF_SIZE / FILES / (2 * (LINE.length + 8)));
  const write = (mark: string) =>
    Promise.all(
      Array.from({ length: FILES }, (_, index) => {
        const text = Array.from({ length: lines }, (_line, line) => `${mark}${line} ${LINE}\n`).join('');
        return writeFile(join(folder, 'pages', `page-${index}.md`), text);
      }),
    );
  await write('a');
  await git(folder, 'init', '--quiet');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', 'Pages');
  await write('b');
}

/** What git alone takes to write the whole diff. */
async function plainDiff(folder: string): Promise<{ took: number; bytes: number }> {
  const diffOnce = async (): Promise<{ took: number; bytes: number }> => {
    const start = performance.now();
    const child = spawn('git', ['diff', 'HEAD'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await once(child, 'close');
    return { took: performance.now() - start, bytes };
  };
  const all = [await diffOnce(), await diffOnce(), await diffOnce()];
  return all.reduce((a, b) => (a.took < b.took ? a : b));
}

async function inHost(
  folder: string,
  workspace: string,
  rounds: number,
): Promise<{ quiet: HostFigures; figures: HostFigures[] }> {
  const profile = join(folder, 'profile');
  const result = join(folder, 'figures.json');
  const script = join(folder, 'inHost.cjs');
  await build({
    entryPoints: [join(checkoutRoot, 'test/bench/prompt/inHost.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  await mkdir(join(profile, 'User'), { recursive: true });
  const settings = { 'docsAgent.projectId': 'docs-project', 'telemetry.telemetryLevel': 'off' };
  await writeFile(join(profile, 'User', 'settings.json'), JSON.stringify(settings));
  const executable = await vscodeExecutable();
  await runTests({
    vscodeExecutablePath: executable.path,
    extensionDevelopmentPath: extensionFolder,
    extensionTestsPath: script,
    launchArgs: [workspace, `--user-data-dir=${profile}`, '--disable-extensions', '--password-store=basic'],
    extensionTestsEnv: { DOCS_AGENT_BENCH_RESULT: result, DOCS_AGENT_BENCH_ROUNDS: String(rounds) },
  });
  return JSON.parse(await readFile(result, 'utf8')) as { quiet: HostFigures; figures: HostFigures[] };
}

function times(ours: number, floor: number, unit: string): string[] {
  return [`${ours.toFixed(1)} ${unit}`, `${floor.toFixed(1)} ${unit}`, (ours / floor).toFixed(1)];
}

function grown(growth: number, before: number): string[] {
  return [`${(before + growth).toFixed(0)} MiB`, `${before.toFixed(0)} MiB`, ((before + growth) / before).toFixed(2)];
}
