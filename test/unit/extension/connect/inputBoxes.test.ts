import assert from 'node:assert/strict';
import type { InputBox } from 'vscode';
import { askText } from '../../../../src/extension/features/connect/inputBoxes';
import { window } from '../../../support/fakeEditor';

const LINK = '[Fix it](command:workbench.action.terminal.sendSequence) $(error)';

describe('input box of the setup', () => {
  it('makes no link or icon of quoted text, which would run a command when clicked', async () => {
    let hide = (): void => undefined;
    const box: Partial<InputBox> = {
      onDidHide: (listener) => {
        hide = () => {
          listener();
        };
        return { dispose: () => undefined };
      },
      onDidChangeValue: () => ({ dispose: () => undefined }),
      onDidAccept: () => ({ dispose: () => undefined }),
      onDidTriggerButton: () => ({ dispose: () => undefined }),
      show: () => undefined,
      dispose: () => undefined,
    };
    Object.assign(window, { createInputBox: () => box });
    const place = { title: 'Connect', step: 1, totalSteps: 1 };
    const left = askText({ ...place, value: '', prompt: LINK, problem: LINK, validate: () => undefined });
    const { prompt, validationMessage } = box;
    hide();
    assert.equal(await left, undefined);
    assert.ok(typeof validationMessage === 'object');
    for (const text of [prompt ?? '', validationMessage.message]) {
      assert.match(text, /Fix it/);
      assert.doesNotMatch(text, /\]\(|\$\(/);
    }
  });
});
