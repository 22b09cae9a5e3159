import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Composer } from '../../../../src/extension/features/prompt/composer/composer';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { editor } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const ended = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });
const running = { ...ended, snapshot: snapshot('active'), endedAt: undefined };

describe('a follow-up sent from the editor', () => {
  const none = () => ({ dispose: () => undefined });
  const text = 'Use password = hunter22222';
  const query = JSON.stringify({ kind: 'followUp', jobKey: ended.key });
  const document = { uri: { scheme: 'docs-agent-prompt', query, toString: () => 'u' }, getText: () => text };
  let asked: string[];
  let job: TrackedJob;

  beforeEach(() => {
    asked = [];
    job = ended;
    Object.assign(editor.window, {
      onDidChangeActiveTextEditor: none,
      visibleTextEditors: [],
      tabGroups: { all: [] },
      showWarningMessage: async (question: string) => void asked.push(question),
    });
    Object.assign(editor.workspace, {
      onDidChangeTextDocument: none,
      onDidCloseTextDocument: none,
      textDocuments: [],
      getConfiguration: () => ({ get: () => 'ask' }),
    });
  });

  it('does not interrupt a run that began while the question about secrets was open', async () => {
    const sent: string[] = [];
    const ignore = (): void => undefined;
    const composer = new Composer({
      drafts: {},
      newId: () => 'n',
      log: { info: ignore, warn: ignore, error: ignore },
      facts: { homeOf: () => job.home, jobOf: () => job },
      guard: {
        ask: async (prompt: string) => {
          job = running;
          return { send: prompt };
        },
      },
      sender: { followUp: async (_: TrackedJob, prompt: string) => void sent.push(prompt) },
    } as never);
    strictEqual(await composer.send(document as never), undefined);
    deepStrictEqual([asked, sent], [['Interrupt the current run?'], []]);
  });
});
