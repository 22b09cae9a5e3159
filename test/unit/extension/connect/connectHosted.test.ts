import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { InputBox, WorkspaceFolder } from 'vscode';
import { connectHosted } from '../../../../src/extension/features/connect/connectHosted';
import { askWhereToSave } from '../../../../src/extension/sending/projects';
import { ServiceError, type ServiceErrorKind } from '../../../../src/protocol/errors';
import { window, workspace } from '../../../support/fakeEditor';

const URL = 'https://agents.example/api';
const LINK = '[Fix it](command:workbench.action.terminal.sendSequence) $(error)';

/** The masked box for the key. */
class KeyBox {
  value = '';
  busy = false;
  validationMessage: unknown;
  private accept = (): unknown => undefined;
  private hide = (): unknown => undefined;

  readonly onDidAccept = (listener: () => unknown): void => void (this.accept = listener);
  readonly onDidHide = (listener: () => unknown): void => void (this.hide = listener);
  readonly onDidChangeValue = (): void => undefined;
  readonly show = (): void => undefined;
  readonly dispose = (): void => undefined;

  async enter(key: string): Promise<void> {
    this.value = key;
    this.accept();
    await turn();
  }

  close(): void {
    this.hide();
  }
}

describe('connecting to a hosted service', () => {
  let box: KeyBox;
  let saved: unknown[];
  let answers: (ServiceErrorKind | 'read' | 'answered')[];

  beforeEach(() => {
    box = new KeyBox();
    saved = [];
    Object.assign(window, {
      createInputBox: () => box as unknown as InputBox,
      showInputBox: async () => 'docs',
      showQuickPick: async () => assertNoQuestion(),
    });
    Object.assign(workspace, {
      workspaceFolders: [],
      isTrusted: true,
      getConfiguration: () => ({
        get: (_: string, initial?: unknown) => initial,
        update: async (name: string, value: unknown) => void saved.push(`${name}=${String(value)}`),
      }),
    });
  });

  /** Runs the setup; the box for the key is used by this function. */
  async function run(use: () => Promise<void>, address: string | undefined = URL): ReturnType<typeof connectHosted> {
    const check = async (): Promise<string> => {
      const answer = answers.shift() ?? 'answered';
      if (answer === 'read' || answer === 'answered') {
        return answer;
      }
      throw new ServiceError(answer, { effect: 'none', detail: LINK });
    };
    const keys = { get: async () => undefined, set: async (_: string, key: string) => void saved.push(`key ${key}`) };
    const options = { access: { check }, keys, store: { jobs: [] } };
    const connecting = connectHosted(options as never, address || undefined, undefined);
    await turn();
    await use();
    return connecting;
  }

  it('asks again in the same box until the service has accepted the key, and saves nothing before', async () => {
    answers = ['unauthorized', 'unreachable', 'timeout', 'notUnderstood', 'read'];
    const done = await run(async () => {
      await box.enter('a key');
      match(String(box.validationMessage), /can’t contain spaces/);
      await box.enter('wrong');
      match(String(box.validationMessage), /rejected this key/);
      for (let tries = 0; tries < 3; tries++) {
        await box.enter('right');
        match(String(box.validationMessage), /Press Enter to retry/);
        doesNotMatch(String(box.validationMessage), /\]\(|\$\(/, 'a link or icon would run a command when clicked');
        deepStrictEqual(saved, []);
      }
      await box.enter('right');
    });
    deepStrictEqual(saved, ['projectId=docs', `baseUrl=${URL}`, 'key right']);
    deepStrictEqual(done, { text: 'Connected to project “docs” on agents.example.', isConfirmed: true });
  });

  for (const kind of ['forbidden', 'limit', 'rejected', 'notFound'] as const) {
    it(`saves the answers with a warning if the service responds with “${kind}” to the test`, async () => {
      answers = [kind];
      const done = await run(() => box.enter('right'));
      strictEqual(saved.length, 3);
      ok(done?.isConfirmed === false);
      match(done.text, /^Saved project “docs” on agents\.example, but the test failed\. ./);
    });
  }

  it('puts http:// in front of a typed address of this machine', async () => {
    const typed = ['localhost:47002', 'docs'];
    const problems: unknown[] = [];
    window['showInputBox'] = async ({ validateInput }: { validateInput?: (text: string) => unknown }) => {
      problems.push(validateInput?.('localhost:47002'), validateInput?.('agents.example:47002'));
      return typed.shift();
    };
    answers = ['answered'];
    await run(() => box.enter('right'), '');
    strictEqual(problems[0], undefined);
    match(String(problems[1]), /must start with https/);
    deepStrictEqual(saved.slice(0, 2), ['projectId=docs', 'baseUrl=http://localhost:47002']);
  });

  it('offers first to replace the project where it is set', async () => {
    const folder = { name: 'handbook' } as WorkspaceFolder;
    const offered = async (values: object): Promise<string[]> => {
      let labels: string[] = [];
      Object.assign(workspace, { getConfiguration: () => ({ inspect: () => values }) });
      window['showQuickPick'] = async (items: { label: string }[]) => void (labels = items.map(({ label }) => label));
      await askWhereToSave('docs', folder, URL);
      return labels;
    };
    deepStrictEqual(await offered({}), ['For this folder', 'For all my folders']);
    deepStrictEqual(await offered({ globalValue: 'wrong' }), ['For all my folders', 'For this folder']);
  });

  it('saves nothing when the user presses Escape', async () => {
    answers = ['unauthorized'];
    const done = await run(async () => {
      await box.enter('wrong');
      box.close();
    });
    strictEqual(done, undefined);
    deepStrictEqual(saved, []);
  });
});

function assertNoQuestion(): never {
  throw new Error('without a folder, there is only one place for the project');
}
