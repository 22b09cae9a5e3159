import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Composer } from '../../../../src/extension/features/prompt/composer/composer';
import { PromptTargets } from '../../../../src/extension/features/prompt/composer/promptTargets';
import { jobFolder, projectFolder } from '../../../../src/extension/sending/drafts';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { editor, languages, window } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';
import { PromptStatus } from '../../../../src/extension/features/prompt/composer/promptStatus';
import { addContext } from '../../../../src/extension/features/prompt/context/addContext';

const ended = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });
const running = { ...ended, snapshot: snapshot('active'), endedAt: undefined };
const DATA = '/data/docs-agent.docs-agent-jobs';

const fileOf = (folder: string, data = DATA): { path: string; fsPath: string } => {
  const path = `${data}/drafts/${folder}/New job.md`;
  return { path, fsPath: path };
};

function targetsOf(jobs: readonly TrackedJob[] = []): PromptTargets {
  return new PromptTargets({
    data: DATA,
    projects: { hostedService: () => ({ origin: 'https://docs.example', baseUrl: 'https://docs.example/v1' }) },
    store: { jobs, get: (key: string) => jobs.find((job) => job.key === key) },
  } as never);
}

describe('a follow-up sent from the editor', () => {
  it('does not interrupt a run that began while the question about secrets was open', async () => {
    const asked: string[] = [];
    const sent: string[] = [];
    let job: TrackedJob = ended;
    Object.assign(editor.window, {
      activeTextEditor: undefined,
      onDidChangeActiveTextEditor: () => ({ dispose: () => undefined }),
      showWarningMessage: async (question: string) => void asked.push(question),
    });
    Object.assign(editor.workspace, { getConfiguration: () => ({ get: () => 'ask' }) });
    const target = () => ({ folder: 'f', isFollowUp: true, job, location: job.location, name: 'n' });
    const targets = { get: target, ofFolder: target };
    const composer = new Composer({
      targets,
      guard: {
        ask: async (prompt: string) => {
          job = running;
          return { send: prompt };
        },
      },
      sender: { followUp: async (_: TrackedJob, prompt: string) => void sent.push(prompt) },
    } as never);
    const document = { uri: fileOf(jobFolder(ended.key)), getText: () => 'Use password = hunter22222' };
    strictEqual(await composer.send(document as never), undefined);
    deepStrictEqual([asked, sent], [['Interrupt the current run?'], []]);
  });
});

describe('a blank prompt in the editor', () => {
  it('is not sent, and stays as it is', async () => {
    const shown: string[] = [];
    Object.assign(editor.window, { showWarningMessage: async (text: string) => void shown.push(text) });
    const target = { folder: 'f', isFollowUp: true, job: ended, location: ended.location, name: 'n' };
    // It throws if it is asked to send something.
    const composer = new Composer({ targets: { get: () => target } } as never);
    for (const text of ['\n \n', '\u00a0\n\u200b']) {
      const document = { uri: fileOf(jobFolder(ended.key)), getText: () => text };
      strictEqual(await composer.send(document as never), undefined);
    }
    deepStrictEqual(shown, ['Enter a prompt.', 'Enter a prompt.']);
  });
});

describe('the target of a prompt', () => {
  it('is the project or job of its folder, and nothing for such a file of a repository', () => {
    const targets = targetsOf([ended]);
    const folder = projectFolder({ service: 'https://docs.example', projectId: 'a b' });
    strictEqual(targets.get(fileOf(folder) as never)?.folder, folder);
    strictEqual(targets.get(fileOf(folder, '/repository/docs-agent.docs-agent-jobs') as never), undefined);
    deepStrictEqual(targets.ofFolder(folder).location, {
      service: 'https://docs.example',
      projectId: 'a b',
      baseUrl: 'https://docs.example/v1',
    });
    deepStrictEqual(targets.ofFolder(jobFolder(ended.key)).location, ended.location);
    deepStrictEqual(
      [targets.ofFolder('job/gone').location, targets.ofFolder('job/gone').name],
      [undefined, 'a job that isn’t in the list'],
    );
  });

  it('stays the service that the prompt was written for after the setting names another one', () => {
    const former = { service: 'https://former.example', baseUrl: 'https://former.example/v1', projectId: 'shared' };
    const folder = projectFolder(former);
    deepStrictEqual(targetsOf([trackedJob({ location: former })]).ofFolder(folder).location, former);
    deepStrictEqual(targetsOf().ofFolder(folder).location, { ...former, baseUrl: 'https://former.example' });
    strictEqual(targetsOf().ofFolder(folder).name, 'shared (former.example)');
  });

  it('has the name of a local project, as far as it is known', () => {
    const location = { service: 'local', projectId: 'our-handbook-0123456789', projectName: 'Our Handbook' };
    const folder = projectFolder(location);
    strictEqual(targetsOf().ofFolder(folder).name, 'our-handbook (local service)');
    strictEqual(targetsOf([trackedJob({ location })]).titleOf(folder), 'New job for Our Handbook');
    const targets = targetsOf();
    targets.choose({ ...location, projectName: 'Chosen' });
    strictEqual(targets.ofFolder(folder).location?.projectName, 'Chosen');
  });
});

const none = (): { dispose: () => void } => ({ dispose: () => undefined });

/** The titles above a draft when this many prompts of its kind are left in this hour. */
async function titles(left: number, isFollowUp = true, name = 'Limits'): Promise<string[]> {
  Object.assign(languages, { registerCodeLensProvider: none });
  Object.assign(editor.window, {
    activeTextEditor: undefined,
    createStatusBarItem: () => ({ hide: () => undefined, dispose: () => undefined }),
    onDidChangeActiveTextEditor: none,
    createTextEditorDecorationType: none,
    visibleTextEditors: [],
    onDidChangeVisibleTextEditors: none,
  });
  Object.assign(editor.workspace, { onDidChangeConfiguration: none, onDidChangeTextDocument: none });
  const targets = {
    get: () => ({ folder: 'folder', isFollowUp, job: undefined, location: undefined, name }),
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

describe('a prompt in the editor', () => {
  it('says what to write while it is empty', async () => {
    const shown: unknown[] = [];
    const show = (text: string): object =>
      Object.assign(editor.window, {
        visibleTextEditors: [
          {
            document: { uri: 'uri', getText: () => text },
            setDecorations: (_: unknown, decorations: { renderOptions: { after: unknown } }[]) =>
              shown.push(decorations.map(({ renderOptions }) => renderOptions.after)),
          },
        ],
      });
    let typed = (): void => undefined;
    await titles(100);
    const onDidChangeTextDocument = (listener: () => void): unknown => {
      const others = typed;
      typed = () => [others, listener].forEach((each) => each());
      return none();
    };
    Object.assign(editor.workspace, { onDidChangeTextDocument });
    show('');
    const targets = { get: () => ({ isFollowUp: true }) };
    const status = new PromptStatus(targets as never, { onDidChange: none }, {} as never);
    show('S');
    typed();
    status.dispose();
    const contentText = 'What should the agent change or add? Type # for files, symbols, and templates';
    deepStrictEqual(shown, [[{ contentText }], []]);
  });
});

describe('adding context of an unknown type', () => {
  it('names the type in a message without a link, whatever the argument is', async () => {
    const told: string[] = [];
    Object.assign(window, { showWarningMessage: async (text: string) => void told.push(text) });
    const inserter = { inPlaceOf: () => ({}) };
    await addContext({ inserter } as never, { kind: '[Run](command:a)' });
    deepStrictEqual(told, ['There’s no context type named “[Run]\u2060(command:a)”.']);
  });
});
