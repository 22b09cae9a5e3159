import { deepStrictEqual } from 'node:assert/strict';
import { PromptStatus } from '../../../../src/extension/features/prompt/composer/promptStatus';
import { editor, languages } from '../../../support/fakeEditor';

const none = (): { dispose: () => void } => ({ dispose: () => undefined });

/** The titles above a draft when this many prompts of its kind are left in this hour. */
async function titles(left: number, isFollowUp = true, name = 'Limits'): Promise<string[]> {
  Object.assign(languages, { registerCodeLensProvider: none });
  Object.assign(editor.window, {
    activeTextEditor: undefined,
    createStatusBarItem: () => ({ hide: () => undefined, dispose: () => undefined }),
    onDidChangeActiveTextEditor: none,
  });
  Object.assign(editor.workspace, { onDidChangeConfiguration: none, onDidChangeTextDocument: none });
  const targets = {
    get: () => ({ folder: 'folder', isFollowUp, job: undefined, home: undefined, name }),
    remainingQuota: async () => ({ left, size: 100, nextAt: undefined }),
  };
  const status = new PromptStatus(targets as never, { onDidChange: none }, {} as never);
  const uri = { toString: () => 'uri' };
  const shown = await status.provideCodeLenses({ uri, getText: () => 'Shorten it' } as never);
  status.dispose();
  return shown.map(({ command }) => command?.title ?? '');
}

describe('the line above a draft', () => {
  it('says that it is not sent, and mentions the hourly limit only when little is left', async () => {
    const actions = ['Draft, not sent yet', '$(send) Send Follow-up', '$(eye) Preview'];
    deepStrictEqual(await titles(100), [...actions, '10 characters']);
    deepStrictEqual(await titles(10), [...actions, '10 characters · 10 of 100 follow-ups left this hour']);
  });

  it('shows no icon that the name of a project contains', async () => {
    const [, send] = await titles(100, false, '$(verified) docs');
    deepStrictEqual(send, '$(send) Send to $\u2060(verified) docs');
  });
});
