import { deepStrictEqual } from 'node:assert/strict';
import type { InsertTemplateOptions } from '../../../../../src/extension/prompt/templates/insertTemplate';
import { window, workspace } from '../../../../support/fakeEditor';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
const draft = { target: { kind: 'new', projectId: 'p1', draft: 'd1' }, text: 'Begun', at: 1, number: 1 };
const merged = { Ask: 'Change ${input:What?}', Plain: 'Change it' };

describe('inserting a template while a draft waits', () => {
  let insertTemplate: typeof import('../../../../../src/extension/prompt/templates/insertTemplate').insertTemplate;
  let PromptDesk: typeof import('../../../../../src/extension/prompt/promptDesk').PromptDesk;
  let asked: string[];
  let inserted: string[];
  let hasPrompt: boolean;
  /** What the user answers to “Where should the text go?”. */
  let where: 'draft' | 'new' | undefined;

  before(async () => {
    ({ insertTemplate } = await import('../../../../../src/extension/prompt/templates/insertTemplate'));
    ({ PromptDesk } = await import('../../../../../src/extension/prompt/promptDesk'));
  });
  beforeEach(() => {
    [asked, inserted, hasPrompt, where] = [[], [], false, 'draft'];
    Object.assign(window, {
      createInputBox: () => inputBox(),
      showQuickPick: async (items: { draft?: unknown }[]) => {
        asked.push('where');
        return where && items.find((item) => (item.draft !== undefined) === (where === 'draft'));
      },
    });
    const section = { inspect: () => undefined, get: () => merged };
    Object.assign(workspace, { getConfiguration: () => section, textDocuments: [] });
  });

  /** A box into which the user types at once. */
  const inputBox = (): unknown => {
    let accept = (): void => undefined;
    const nothing = (): void => undefined;
    return {
      onDidChangeValue: nothing,
      onDidTriggerButton: nothing,
      onDidHide: nothing,
      dispose: nothing,
      onDidAccept: (listener: () => void) => (accept = listener),
      show(this: { value: string }) {
        asked.push('what');
        this.value = 'this';
        accept();
      },
    };
  };

  const insert = (name: string): Promise<void> => {
    const composer = {
      begun: { of: async () => [draft] },
      isAtHand: () => hasPrompt,
      reopen: async () => (hasPrompt ? editor('open') : undefined),
      openEmpty: async () => editor('new'),
      openDraft: async () => editor('draft'),
      insert: async ({ name: into }: { name: string }, text: string) => void inserted.push(`${into}: ${text}`),
    };
    const desk = new PromptDesk(composer as never, { choose: async () => home } as never, log);
    return insertTemplate({ desk, lastEditor: {}, log } as unknown as InsertTemplateOptions, name);
  };
  const editor = (name: string): unknown => ({ name, document: { uri: { toString: () => name } } });

  it('asks where its text should go before anything is typed', async () => {
    await insert('Ask');
    deepStrictEqual([asked, inserted], [['where', 'what'], ['draft: Change this']]);
  });

  it('puts it into a new prompt where that was chosen', async () => {
    where = 'new';
    await insert('Ask');
    deepStrictEqual(inserted, ['new: Change this']);
  });

  it('asks nothing more when that question is closed', async () => {
    where = undefined;
    await insert('Ask');
    deepStrictEqual([asked, inserted], [['where'], []]);
  });

  it('does not ask where when a prompt is open', async () => {
    hasPrompt = true;
    await insert('Ask');
    deepStrictEqual([asked, inserted], [['what'], ['open: Change this']]);
  });

  it('asks it once for a template without questions', async () => {
    await insert('Plain');
    deepStrictEqual([asked, inserted], [['where'], ['draft: Change it']]);
  });
});
