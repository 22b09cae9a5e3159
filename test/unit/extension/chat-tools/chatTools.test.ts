import { deepStrictEqual, match, rejects } from 'node:assert/strict';
import { ChatTools } from '../../../../src/extension/features/chat-tools/chatTools';
import { followUpQuestion } from '../../../../src/extension/features/chat-tools/toolResult';
import { TOOLS } from '../../../../src/extension/ids';
import { editor } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const TOKEN = { isCancellationRequested: false } as never;
const INPUT = { prompt: 'Explain' };
const SEND = { id: 's1', kind: 'create', text: 'Explain', at: 0, state: 'created', attempt: 1 };

describe('the chat tool that creates a job', () => {
  let projectId: string;
  let sent: string[];

  beforeEach(() => {
    [projectId, sent] = ['', []];
    Object.assign(editor.window, { activeTextEditor: undefined });
    Object.assign(editor.workspace, {
      workspaceFolders: undefined,
      getConfiguration: () => ({ get: (name: string) => (name === 'projectId' ? projectId : '') }),
    });
  });

  const tools = (chosen: string): ChatTools =>
    new ChatTools({
      projects: {
        hostedService: () => ({ origin: 'https://docs.example' }),
        choose: async () => ({ service: 'https://docs.example', projectId: projectId || chosen }),
      },
      guard: { warning: async () => undefined, remember: () => undefined },
      sender: {
        create: async (home: { projectId: string }) => {
          sent.push(home.projectId);
          const result = { job: trackedJob({ snapshot: snapshot('active') }), prompt: SEND };
          return { sent: result, finished: result };
        },
      },
    } as never);

  it('sends nothing to a project that was set after the user confirmed, without having seen it', async () => {
    const chat = tools('chosen');
    await chat.prepare(TOOLS.createJob, INPUT);
    projectId = 'set-later';
    await rejects(chat.invoke(TOOLS.createJob, INPUT, TOKEN), /the settings have changed/);
    deepStrictEqual(sent, []);
  });

  it('sends to the project that the user chooses after confirming', async () => {
    const chat = tools('chosen');
    await chat.prepare(TOOLS.createJob, INPUT);
    match(await chat.invoke(TOOLS.createJob, INPUT, TOKEN), /^The job was accepted/);
    deepStrictEqual(sent, ['chosen']);
  });
});

describe('the question before a follow-up', () => {
  it('shows invisible characters in the project’s name', () => {
    const home = { service: 'https://docs.example', projectId: 'p', projectName: 'hand\u200Bbook' };
    const { message } = followUpQuestion(trackedJob({ home }), 'Shorter').confirmationMessages ?? {};
    match(String(typeof message === 'string' ? message : message?.value), /U\+200B/);
  });
});
