import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { Composer } from '../../../../src/extension/features/prompt/composer/composer';
import {
  composerDraft,
  type ComposerTarget,
  parseTarget,
  TargetFacts,
  targetOf,
} from '../../../../src/extension/features/prompt/composer/composerTarget';
import type { ServiceLocation } from '../../../../src/jobs/events';
import type { OutgoingPrompt, TrackedJob } from '../../../../src/jobs/trackedJob';
import { editor } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const ended = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });
const SENT: OutgoingPrompt = { id: 's', kind: 'create', prompt: 'Explain', at: 0, state: 'created', attempt: 1 };
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
      facts: { homeOf: () => job.home, jobOf: () => job, isKnown: () => true },
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

describe('a prompt for a new job whose address a link may have made', () => {
  const none = () => ({ dispose: () => undefined });
  const hosted = 'https://docs.example';
  let asked: { title: string; detail: string }[];
  let answer: string | undefined;
  let sent: string[];

  beforeEach(() => {
    [asked, sent, answer] = [[], [], undefined];
    Object.assign(editor.window, {
      onDidChangeActiveTextEditor: none,
      visibleTextEditors: [],
      tabGroups: { all: [] },
      showWarningMessage: async (title: string, options?: { detail: string }) => {
        // The document exists only in this test, so its text can't be removed.
        if (!title.startsWith('The prompt was sent')) {
          asked.push({ title, detail: options?.detail ?? '' });
        }
        return answer;
      },
    });
    const setting = (_: string, initial: unknown): unknown => initial ?? 'in-settings';
    Object.assign(editor.workspace, {
      onDidChangeTextDocument: none,
      onDidCloseTextDocument: none,
      textDocuments: [],
      getConfiguration: () => ({ get: (name: string, initial?: unknown) => setting(name, initial) }),
    });
  });

  const sample = trackedJob({ sends: [SENT] });
  const former = { service: 'https://former.example', baseUrl: 'https://former.example/v1', projectId: 'shared' };
  const jobs = [
    { ...sample, home: { service: hosted, projectId: 'of-a-job' } },
    { ...sample, home: former },
    trackedJob({ home: { service: hosted, projectId: 'looked-at' } }),
  ];

  const send = async (target: object, chosen?: object): Promise<void> => {
    const ignore = (): void => undefined;
    const facts = new TargetFacts({
      projects: { hostedService: () => ({ origin: hosted, baseUrl: hosted }) },
      store: { jobs, get: () => undefined },
      windowProjects: { has: ({ projectId }: { projectId: string }) => projectId === 'of-a-folder' },
    } as never);
    if (chosen !== undefined) {
      facts.choose(chosen as ComposerTarget);
    }
    const composer = new Composer({
      drafts: {},
      newId: () => 'n',
      log: { info: ignore, warn: ignore, error: ignore },
      facts,
      guard: { ask: async (prompt: string) => ({ send: prompt }) },
      sender: {
        create: async ({ service, projectId }: ServiceLocation) =>
          void sent.push(service === hosted ? projectId : `${service} ${projectId}`),
      },
    } as never);
    const uri = { scheme: 'docs-agent-prompt', query: JSON.stringify(target), toString: () => 'u' };
    await composer.send({ uri, getText: () => 'Explain' } as never);
  };

  const unknown = { kind: 'new', service: hosted, projectId: 'elsewhere', projectName: 'Our Handbook' };

  it('is sent to an unknown project only if the user confirms its ID', async () => {
    await send(unknown);
    deepStrictEqual([sent, asked.map(({ title }) => title)], [[], ['Send to this project?']]);
    match(asked[0]?.detail ?? '', /^Project: elsewhere\nService: docs\.example\n/);
    answer = 'Send';
    await send(unknown);
    deepStrictEqual(sent, ['elsewhere']);
  });

  it('is sent without a question to the project of a job or an open folder, or one that a command chose', async () => {
    await send({ ...unknown, projectId: 'of-a-job' });
    await send({ ...unknown, projectId: 'of-a-folder' });
    await send({ ...unknown, draft: 'd1' }, { ...unknown, draft: 'd2' });
    deepStrictEqual([asked, sent], [[], ['of-a-job', 'of-a-folder', 'elsewhere']]);
  });

  it('needs confirmation if the only job of its project was added to the list by its ID', async () => {
    await send({ ...unknown, projectId: 'looked-at' });
    deepStrictEqual([sent, asked.length], [[], 1]);
  });

  it('goes to the service that it was written for, or nowhere, after the setting names another one', async () => {
    const target = targetOf(former);
    strictEqual(parseTarget(target)?.kind, 'new');
    deepStrictEqual(parseTarget(JSON.parse(JSON.stringify(target))), target);
    await send(target, target);
    deepStrictEqual([sent, asked], [['https://former.example shared'], []]);
    const noJob = { ...target, projectId: 'unsent' };
    await send(noJob, noJob);
    deepStrictEqual(
      [sent.length, asked.map(({ title }) => title)],
      [
        1,
        [
          'This prompt is for former.example, but new jobs go to docs.example. Change the setting, or copy the text to a new prompt.',
        ],
      ],
    );
    for (const service of ['not a URL', 'https://former.example/path', 7]) {
      strictEqual(parseTarget({ ...target, service }), undefined);
    }
    notStrictEqual(composerDraft(target), composerDraft(targetOf({ ...former, service: hosted })));
  });

  it('shows no project name that the address of a hosted job contains', () => {
    deepStrictEqual(parseTarget(unknown), { kind: 'new', service: hosted, projectId: 'elsewhere' });
    deepStrictEqual(parseTarget({ ...unknown, service: 'local' }), { ...unknown, service: 'local' });
  });

  it('shows the name of a local project only if a command, a job, or an open folder confirms it', () => {
    const facts = new TargetFacts({
      store: { jobs: [trackedJob({ home: { service: 'local', projectId: 'of-a-job', projectName: 'API' } })] },
      windowProjects: { has: ({ projectId }: { projectId: string }) => projectId === 'of-a-folder' },
    } as never);
    const local = (projectId: string): ComposerTarget =>
      ({ kind: 'new', service: 'local', projectId, projectName: 'Our Handbook' }) as const;
    const names = ['elsewhere', 'of-a-job', 'of-a-folder'].map((id) => facts.homeOf(local(id))?.projectName);
    deepStrictEqual(names, [undefined, 'API', 'Our Handbook']);
    facts.choose({ kind: 'new', service: 'local', projectId: 'elsewhere', projectName: 'Guides' });
    match(facts.nameOf(local('elsewhere')), /^Guides/);
  });
});
