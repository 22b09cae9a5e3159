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
import { type Figure, figure } from '../figures';
import type { HostFigures } from './inHost';

const FILES = 2_000;
/** Size of the whole diff, in bytes. */
const DIFF_SIZE = 50 * 1024 * 1024;
const LINE = 'The policy says how often a request is sent again, and how long the pause is.';

/** Measures what composing from a very large change costs in a real extension host. */
export function measureChanges(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  return withTemporaryFolder(async (folder) => {
    const workspace = join(folder, 'workspace');
    await changedRepository(workspace);
    const floor = await plainDiff(workspace);
    const { quiet, figures } = await inHost(folder, workspace, rounds);
    const all = (of: (each: HostFigures) => number): number[] => figures.map(of);
    const before = { name: 'before it', measured: all((each) => each.heapBefore) };
    const resident = { name: 'before it', measured: all((each) => each.residentBefore) };
    const characters = Math.max(...all((each) => each.characters));
    const size = (floor.bytes / 1024 / 1024).toFixed(0);
    return {
      figures: [
        figure({
          name: 'composing the prompt',
          unit: 'ms',
          ours: all((each) => each.took),
          peer: { name: '`git diff` to /dev/null', measured: floor.took },
        }),
        figure({
          name: 'longest task of the extension host',
          unit: 'ms',
          ours: all((each) => each.longestTask),
          peer: { name: 'the host at rest', measured: quiet.longestTask },
          by: 'worst',
        }),
        figure({
          name: 'peak heap of the host',
          unit: 'MiB',
          ours: all((each) => each.heapBefore + each.heap),
          peer: before,
          by: 'worst',
        }),
        figure({
          name: 'peak memory of the host',
          unit: 'MiB',
          ours: all((each) => each.residentBefore + each.resident),
          peer: resident,
          by: 'worst',
        }),
      ],
      about: `A change of ${FILES.toLocaleString('en')} files and ${size} MiB of diff results in ${characters.toLocaleString('en')} characters: reading stops where the prompt is full.`,
    };
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

/** Measures how long git alone takes to write the whole diff, three times. */
async function plainDiff(folder: string): Promise<{ took: number[]; bytes: number }> {
  const diffOnce = async (): Promise<{ took: number; bytes: number }> => {
    const start = performance.now();
    const child = spawn('git', ['diff', 'HEAD'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await once(child, 'close');
    return { took: performance.now() - start, bytes };
  };
  const all = [await diffOnce(), await diffOnce(), await diffOnce()];
  return { took: all.map(({ took }) => took), bytes: all[0]?.bytes ?? 0 };
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
