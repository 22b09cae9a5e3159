import { deepStrictEqual, strictEqual, match } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Uri, WebviewPanel } from 'vscode';
import { systemClock } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/disposable';
import type { FollowOptions } from '../../../../src/client/events';
import { JobPage, type JobPageOptions } from '../../../../src/extension/features/job-page/jobPage';
import type { FromPage, ToPage } from '../../../../src/extension/features/job-page/model';
import { Drafts, followUpDraft } from '../../../../src/extension/sending/drafts';
import { MemoryDrafts } from '../../../component/extension/prompt/memoryDrafts';
import { window } from '../../../support/fakeEditor';
import { jobDescriber } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';
import fc from 'fast-check';
import { readFromPage, readPageState } from '../../../../src/extension/features/job-page/fromPage';
import { sendFromPage } from '../../../../src/extension/features/job-page/sendFromPage';
import { ManualClock } from '../../../support/manualClock';

const nothing = (): undefined => undefined;
const silent = { dispose: nothing };
const errors: unknown[] = [];
const log = { info: nothing, warn: nothing, error: (...error: unknown[]) => errors.push(error) };
const JOB = trackedJob({ key: 'k', snapshot: snapshot('active') });
const FILE = { path: 'a.md', kind: 'changed', added: 1, deleted: 0 };
const CHANGES = { files: [FILE], more: 0, added: 1, deleted: 0, canOpen: true };
const DRAFT = followUpDraft('k');

function rethrow(error: unknown): never {
  throw error;
}

/** The page of a job, with a tab that the test controls. */
function openPage(drafts: Drafts) {
  const posted: ToPage[] = [];
  const received = new Emitter<FromPage>(rethrow);
  const viewState = new Emitter<void>(rethrow);
  const webview = {
    options: {},
    html: '',
    cspSource: 'self',
    asWebviewUri: (uri: Uri) => uri,
    onDidReceiveMessage: received.event,
    postMessage: async (message: ToPage) => posted.push(message),
  };
  const panel = { webview, visible: true, title: '', onDidChangeViewState: viewState.event };
  const counts = { following: 0 };
  const opened: string[] = [];
  const follower = {
    follow: async ({ signal }: FollowOptions) => {
      counts.following++;
      signal.addEventListener('abort', () => counts.following--);
    },
  };
  const results = {
    onDidOpenRepository: () => silent,
    changes: async () => ({ changes: CHANGES, reviewable: new Set(), diff: [], commit: undefined, check: undefined }),
    branchToFetch: async () => undefined,
    openFile: async (_: unknown, path: string) => void opened.push(path),
  };
  const store = {
    get: () => JOB,
    jobs: [JOB],
    isLoaded: true,
    loaded: Promise.resolve(),
    eventsOf: () => [],
    onDidChange: () => silent,
    append: async () => undefined,
  };
  const poller = { health: nothing, onDidChangeHealth: () => silent };
  const options = {
    drafts,
    store,
    poller,
    pulls: { get: nothing, endedAt: nothing },
    describer: jobDescriber(),
    seen: { noteShown: nothing },
    follower,
    results,
    guard: { ask: async () => ({ review: [] }) },
    composer: { openForJob: async () => undefined },
    log,
    extensionUri: '/e',
  };
  const page = new JobPage(panel as unknown as WebviewPanel, 'k', options as unknown as JobPageOptions);
  return {
    page,
    counts,
    opened,
    posted,
    drafted: () => posted.filter(({ type }) => type === 'draft'),
    say: (message: FromPage) => received.fire(message),
    show: (visible: boolean) => {
      panel.visible = visible;
      viewState.fire();
    },
  };
}

describe('the job page', () => {
  let files: MemoryDrafts;
  let drafts: Drafts;

  beforeEach(() => {
    Object.assign(window, { onDidChangeWindowState: () => silent, state: { focused: true } });
    files = new MemoryDrafts();
    drafts = new Drafts({ files, clock: systemClock, log, tell: nothing });
  });

  afterEach(() => deepStrictEqual(errors.splice(0), []));

  /** Resolves once all pending work is done; the files are in memory. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('shows the draft typed in the input box and sends each change once', async () => {
    drafts.type(DRAFT, 'P');
    const { page, say, drafted } = openPage(drafts);
    say({ type: 'ready' });
    await settled();
    strictEqual(await drafts.open(DRAFT), 'P');
    drafts.type(DRAFT, 'Q');
    say({ type: 'draft', text: 'Q!' });
    await drafts.drop(DRAFT);
    deepStrictEqual(drafted(), [
      { type: 'draft', text: 'P', lastReceived: '' },
      { type: 'draft', text: 'Q', lastReceived: 'P' },
      { type: 'draft', text: '', lastReceived: 'Q!' },
    ]);
    page.dispose();
  });

  it('keeps the draft when it was reloaded and sends again while an earlier prompt is being sent', async () => {
    const { page, say, posted } = openPage(drafts);
    say({ type: 'ready' });
    await settled();
    say({ type: 'send', text: 'One' });
    say({ type: 'send', text: 'Two' });
    await settled();
    deepStrictEqual(
      posted.filter(({ type }) => type === 'saved' || type === 'notSaved'),
      [
        { type: 'notSaved', why: 'The previous prompt is still being sent.' },
        { type: 'saved', text: 'One' },
      ],
    );
    page.dispose();
  });

  it('opens only files that it shows', async () => {
    const { page, say, opened, posted } = openPage(drafts);
    say({ type: 'ready' });
    while (!posted.some((message) => message.type === 'model' && message.model.changes !== undefined)) {
      await delay(10);
    }
    say({ type: 'openFile', path: '/etc/passwd' });
    say({ type: 'openFile', path: 'a.md' });
    deepStrictEqual(opened, ['a.md']);
    page.dispose();
  });

  it('follows nothing if it was hidden or closed while the draft was being read', async () => {
    for (const leave of ['hide', 'close'] as const) {
      let read = nothing as () => void;
      const reading = new Promise<undefined>((resolve) => (read = () => resolve(undefined)));
      files.newest = () => reading;
      const { page, say, show, drafted, counts } = openPage(drafts);
      say({ type: 'ready' });
      await settled();
      if (leave === 'hide') {
        show(false);
      } else {
        page.dispose();
      }
      read();
      await settled();
      deepStrictEqual([counts.following, drafted()], [0, []], leave);
      page.dispose();
    }
  });
});

describe('messages from the job page', () => {
  it('are read as their contract defines them, without extra fields', () => {
    deepStrictEqual(readFromPage({ type: 'ready' }), { type: 'ready' });
    deepStrictEqual(readFromPage({ type: 'draft', text: '', more: 1 }), { type: 'draft', text: '' });
    deepStrictEqual(readFromPage({ type: 'send', text: 'a' }), { type: 'send', text: 'a' });
    const later = { type: 'send', text: 'a', when: 'ended' };
    deepStrictEqual(readFromPage(later), later);
    deepStrictEqual(readFromPage({ type: 'action', id: 'x' }), { type: 'action', id: 'x' });
    deepStrictEqual(readFromPage({ type: 'openFile', path: 'a/b.md' }), { type: 'openFile', path: 'a/b.md' });
  });

  it('are rejected if they do not match the contract', () => {
    const wrong = [
      null,
      'ready',
      [],
      {},
      { type: 'run' },
      { type: 'send', text: 'a', when: 'soon' },
      { type: 'action', id: '' },
      { type: 'openFile', path: 'x'.repeat(5001) },
      { type: 'draft', text: 5 },
    ];
    deepStrictEqual(
      wrong.filter((each) => readFromPage(each) !== undefined),
      [],
    );
    fc.assert(fc.property(fc.anything(), (value) => readFromPage(value) === undefined));
  });

  it('are tied to the job named in the state that the editor keeps', () => {
    strictEqual(readPageState({ jobKey: 'k', page: {} }), 'k');
    deepStrictEqual([undefined, null, {}, { jobKey: 5 }, 'k'].map(readPageState), Array(5).fill(undefined));
  });
});

const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });

describe('sending from the page of a job', () => {
  it('keeps the text when the disk is full and the editor can’t open it either', async () => {
    const files = new MemoryDrafts();
    files.failure = FULL;
    const drafts = new Drafts({ files, clock: new ManualClock(), log, tell: nothing });
    const job = trackedJob();
    const composer = { openForJob: () => Promise.reject(FULL) };
    const guard = { ask: async () => ({ review: [] }) };
    const sent = await sendFromPage({ drafts, guard, composer, log } as never, job, { text: 'text' });
    match(sent.isSaved ? '' : (sent.why ?? ''), /disk is full/);
    deepStrictEqual(await drafts.open(followUpDraft(job.key)), 'text');
  });

  it('keeps a blank text, and says why it isn’t sent', async () => {
    const drafts = new Drafts({ files: new MemoryDrafts(), clock: new ManualClock(), log, tell: nothing });
    const job = trackedJob();
    for (const text of [' \n', '\u00a0\u200b']) {
      deepStrictEqual(await sendFromPage({ drafts, log } as never, job, { text }), {
        isSaved: false,
        why: 'Enter a prompt.',
      });
      deepStrictEqual(await drafts.open(followUpDraft(job.key)), text);
    }
  });
});
