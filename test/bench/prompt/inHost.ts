import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { commands, Range, window } from 'vscode';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';

/** What composing one prompt cost the extension host. */
export interface HostFigures {
  /** Duration, in milliseconds. */
  took: number;
  /** The longest time that the host's thread was blocked, in milliseconds. */
  longestTask: number;
  /** Peak growth over the value before, in MiB. */
  heap: number;
  resident: number;
  /** The value before, in MiB. */
  heapBefore: number;
  residentBefore: number;
  /** Length of the prompt, in characters. */
  characters: number;
}

const MIB = 1024 * 1024;

/**
 * The entry point that VS Code calls inside its extension host. Composes from the working tree several times and writes
 * the figures.
 */
export async function run(): Promise<void> {
  const { DOCS_AGENT_BENCH_RESULT: result = '', DOCS_AGENT_BENCH_ROUNDS: rounds = '1' } = process.env;
  const api = await gitApi();
  if (api === undefined || (await openRepositories(api)).length === 0) {
    throw new Error('the Git extension has not found the repository');
  }
  // Waits until the window has finished its own startup work.
  await delay(8_000);
  const quiet = await measure(() => delay(1_000));
  // The first run loads the commands and opens the document, so it is not counted.
  await measure(compose);
  const figures: HostFigures[] = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    await delay(1_000);
    figures.push(await measure(compose));
  }
  await writeFile(result, JSON.stringify({ quiet, figures }));
}

async function compose(): Promise<number> {
  await commands.executeCommand('docsAgent.addContext', { kind: 'workingTree' });
  const document = window.activeTextEditor?.document;
  if (document?.uri.scheme !== 'docs-agent-prompt') {
    throw new Error('no prompt was opened');
  }
  return document.getText().length;
}

async function measure(work: () => Promise<unknown>): Promise<HostFigures> {
  await emptyPrompt();
  globalThis.gc?.();
  const before = process.memoryUsage();
  let [heap, resident] = [before.heapUsed, before.rss];
  const sampler = setInterval(() => {
    const now = process.memoryUsage();
    heap = Math.max(heap, now.heapUsed);
    resident = Math.max(resident, now.rss);
  }, 10);
  // One sample per millisecond: any longer delay is a task that blocked the thread.
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const start = performance.now();
  const characters = await work();
  const took = performance.now() - start;
  await delay(100);
  delays.disable();
  clearInterval(sampler);
  return {
    took,
    longestTask: delays.max / 1e6,
    heap: (heap - before.heapUsed) / MIB,
    resident: (resident - before.rss) / MIB,
    heapBefore: before.heapUsed / MIB,
    residentBefore: before.rss / MIB,
    characters: typeof characters === 'number' ? characters : 0,
  };
}

async function emptyPrompt(): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor?.document.uri.scheme === 'docs-agent-prompt') {
    await editor.edit((edit) => edit.delete(editor.document.validateRange(new Range(0, 0, 1_000_000, 0))));
    await editor.document.save();
  }
}
