import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { git } from '../support/temporaryRepository';
import { packageExtension, run, withTemporaryFolder } from '../support/vscode/run';
import { checkoutRoot } from '../support/vscode/paths';
import { type Benchmark, type HostCost, inWindow, watch, withBrowser } from './benchWindow';

const FILES = 2_000;
/** The length of each file's part of the diff, in lines. */
const LINES = 160;
const LINE = 'The policy says how often a request is sent again, and how long the pause is.';

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE_MS = 8_000;

/** What a prompt from a very large change costs a real extension host. Linux only. */
export function measurePrompt(rounds: number): Promise<Benchmark> {
  return withTemporaryFolder(async (folder) => {
    const workspace = join(folder, 'workspace');
    await changedRepository(workspace);
    const vsix = join(folder, 'product.vsix');
    await packageExtension(checkoutRoot, vsix);
    const [ours, quiet, floor]: [HostCost[], HostCost[], number[]] = [[], [], []];
    let characters = 0;
    const settings = { 'docsAgent.projectId': 'docs-project' };
    await withBrowser((browser) =>
      inWindow(browser, workspace, { vsix: [vsix], settings, settleMs: SETTLE_MS }, async ({ host }) => {
        const compose = (): Promise<unknown> => host.command('docsAgent.addContext', { kind: 'workingTree' });
        // The first time, the commands are loaded and the document is opened.
        await compose();
        for (let round = 0; round < rounds; round++) {
          await host.run(emptyEditor);
          await delay(1_000);
          ours.push(await watch(host, compose));
          quiet.push(await watch(host, () => delay(1_000)));
          const start = performance.now();
          await run('git', ['diff', '--output=/dev/null', 'HEAD'], { cwd: workspace });
          floor.push(performance.now() - start);
        }
        characters = await host.run((vscode) => vscode.window.activeTextEditor?.document.getText().length ?? 0);
      }),
    );
    const costs = (of: (cost: HostCost) => number, list = ours): number[] => list.map(of);
    return {
      title: 'A prompt from a very large change',
      rows: [
        {
          name: 'composing the prompt',
          unit: 'ms',
          measured: costs(({ took }) => took),
          baseline: { name: '`git diff` to /dev/null', measured: floor },
        },
        {
          name: 'longest task of the extension host',
          unit: 'ms',
          measured: costs(({ longest }) => longest),
          baseline: { name: 'the host at rest', measured: costs(({ longest }) => longest, quiet) },
          maxMedian: 50,
        },
      ],
      about: `${FILES.toLocaleString('en')} changed files with 50 MiB of diff give ${characters.toLocaleString('en')} characters: reading stops where the prompt is full.`,
    };
  });
}

async function emptyEditor({ Range, window }: typeof import('vscode')): Promise<void> {
  const editor = window.activeTextEditor;
  await editor?.edit((edit) => edit.delete(editor.document.validateRange(new Range(0, 0, 1_000_000, 0))));
  await editor?.document.save();
}

async function changedRepository(folder: string): Promise<void> {
  await mkdir(join(folder, 'pages'), { recursive: true });
  const write = async (mark: string): Promise<void> => {
    const text = Array.from({ length: LINES }, (_, line) => `${mark}${line} ${LINE}\n`).join('');
    for (let page = 0; page < FILES; page++) {
      await writeFile(join(folder, 'pages', `page-${page}.md`), text);
    }
  };
  await write('a');
  await git(folder, 'init', '--quiet');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', 'Pages');
  await write('b');
}
