import { deepStrictEqual, rejects } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Contributions } from '../../../src/extension/registerCommands';
import { commands, editor, window } from '../../support/fakeEditor';

describe('commands from a row’s menu', () => {
  const registered = new Map<string, (...given: unknown[]) => Promise<unknown>>();
  let ran: unknown[];
  let told: string[];

  before(async () => {
    Object.assign(commands, { registerCommand: (id: string, act: () => Promise<unknown>) => registered.set(id, act) });
    // The code that runs at editor startup loads `vscode` with `require`, which ES modules do not have.
    Object.assign(globalThis, { require: () => editor });
    const { registerCommands } = await import('../../../src/extension/registerCommands');
    Reflect.deleteProperty(globalThis, 'require');
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { contributes: Contributions };
    const run = async (id: string, argument: unknown): Promise<void> => {
      if (argument instanceof Error) {
        throw argument;
      }
      ran.push(id, argument);
    };
    registerCommands(run, manifest.contributes);
  });
  beforeEach(() => {
    [ran, told] = [[], []];
    const show = async (text: string): Promise<void> => void told.push(text);
    Object.assign(window, { showWarningMessage: show, showErrorMessage: show });
  });

  const row = { jobKey: 'k1' };
  const again = ['The list was just updated, so it’s unclear which job you meant. Select it again.'];

  for (const [what, given] of [
    ['the row is lost', [undefined, undefined]],
    ['one of several selected rows is lost', [row, [row, undefined]]],
    ['all selected rows are lost', [undefined, [undefined, null]]],
  ] as const) {
    for (const id of ['docsAgent.copyAs', 'docsAgent.untrackJob', 'docsAgent.showJob']) {
      it(`warn instead of running ${id} on other jobs when ${what} to a redraw`, async () => {
        await registered.get(id)?.(...given);
        deepStrictEqual([ran, told], [[], again]);
      });
    }
  }

  for (const [what, id, given, argument] of [
    ['from the palette', 'docsAgent.showJob', [], undefined],
    ['by another extension without a job', 'docsAgent.showJob', [undefined], undefined],
    ['on a row', 'docsAgent.copyAs', [row, undefined], row],
    ['on several rows', 'docsAgent.untrackJob', [row, [row, row]], [row, row]],
    ['by a button above the list', 'docsAgent.refreshJobs', [undefined, undefined], undefined],
    ['on an entry of the timeline', 'docsAgent.document', [undefined, 'file'], { timelineOf: 'file' }],
  ] as const) {
    it(`run when called ${what}`, async () => {
      await registered.get(id)?.(...given);
      deepStrictEqual([ran, told], [[id, argument], []]);
    });
  }

  it('show their errors, and reject only where the editor would otherwise clear the input box', async () => {
    const full = new Error('the disk is full.');
    const save = registered.get('docsAgent.saveReviewComment')!;
    await save(full);
    const typed = Object.assign(full, { thread: {}, text: 'Say more' });
    await rejects(save(typed), full);
    const text = 'Docs Agent error: the disk is full.';
    deepStrictEqual(told, [text, text]);
  });
});
