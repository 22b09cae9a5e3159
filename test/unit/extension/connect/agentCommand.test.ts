import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import type { InputBoxOptions } from 'vscode';
import { askForCommand, joinCommand, splitCommand } from '../../../../src/extension/platform/agentCommand';
import { window } from '../../../support/fakeEditor';

describe('the command of the user’s own agent', () => {
  for (const [text, words] of [
    [' aider  --yes ', ['aider', '--yes']],
    ['"C:\\Program Files\\agent.exe" -x', ['C:\\Program Files\\agent.exe', '-x']],
    [`sh -c 'echo "a b"' --name="x y" ""`, ['sh', '-c', 'echo "a b"', '--name=x y', '']],
    ['agent "not closed', undefined],
  ] as const) {
    it(`is split at spaces outside quotation marks: ${text}`, () => deepStrictEqual(splitCommand(text), words));
  }

  it('is shown as text that reads back as the same words', () => {
    const words = ['a b', '', '"', `it's "both"`, 'C:\\x', '--flag'];
    deepStrictEqual(splitCommand(joinCommand(words)), words);
    strictEqual(joinCommand(['aider', '--yes']), 'aider --yes');
  });

  it('must name a program that no repository can provide', async () => {
    let box: InputBoxOptions | undefined;
    window['showInputBox'] = async (options: InputBoxOptions) => void (box = options);
    await askForCommand([]);
    const problem = (text: string): unknown => box?.validateInput?.(text);
    match(String(problem('')), /^Enter a program\./);
    match(String(problem('tools/agent')), /^Enter the absolute path/);
    match(String(problem(String.raw`.\agent.exe`)), /^Enter the absolute path/);
    match(String(problem('agent "x')), /^A quotation mark/);
    deepStrictEqual([problem('agent --x'), problem('/opt/agent')], [undefined, undefined]);
  });
});
