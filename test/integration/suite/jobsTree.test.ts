import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { EventEmitter, ThemeIcon } from 'vscode';
import { type ListOptions, WHOLE_LIST } from '../../../src/extension/features/jobs-view/jobList';
import { type JobNode, JobsTree } from '../../../src/extension/features/jobs-view/jobsTree';
import type { PullRequestDetails } from '../../../src/client';
import type { PullRequestState } from '../../../src/extension/platform/pullRequestStates';
import type { JobEvent, ServiceLocation } from '../../../src/jobs/events';
import { JobStore } from '../../../src/jobs/jobStore';
import { ManualClock } from '../../support/manualClock';
import { jobDescriber } from '../../support/jobDescriber';
import { MemoryRecords } from '../../support/memoryRecords';
import { snapshot } from '../../support/trackedJob';

const HOUR = 3_600_000;
const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'handbook' };

/** The events of a job whose number is also its time, in hours. */
function jobOf(number: number, end?: string): JobEvent[] {
  const [at, send, id] = [number * HOUR, `s${number}`, `j${number}`];
  return [
    { type: 'send', at, send, kind: 'create', prompt: `Document part ${number}`, home },
    { type: 'created', at: at + 1, send, job: snapshot('active', { id }), home },
    ...(end === undefined ? [] : [ended(number, end)]),
  ];
}

function ended(number: number, status: string): JobEvent {
  const job = snapshot(status, { id: `j${number}` });
  return { type: 'changed', at: number * HOUR + 2, run: `s${number}`, job, end: true };
}

describe('the rows of the job list', () => {
  let store: JobStore;
  let tree: JobsTree;
  let options: ListOptions;
  /** What the editor was told to refresh: names of rows and sections; `all` for the whole tree. */
  let drawn: (string | string[])[];
  const changed = new EventEmitter<void>();
  const pullsChanged = new EventEmitter<void>();
  const foldersChanged = new EventEmitter<void>();
  let pull: PullRequestState | undefined;
  let canPreview: boolean;
  let details: PullRequestDetails | undefined;
  /** The project of the window's folder. */
  let own: string | undefined;

  const nameOf = (node: JobNode): string =>
    node.kind === 'job' ? node.jobKey : node.kind === 'section' ? node.id : node.kind;

  /** Returns what the editor shows. Requests all children, as the editor does after a full refresh. */
  const shown = (): Record<string, string[]> => Object.fromEntries(tree.getChildren().map(rowsOf));
  const rowsOf = (section: JobNode): [string, string[]] => {
    const rows = tree.getChildren(section);
    [section, ...rows].forEach((node) => tree.getTreeItem(node));
    return [nameOf(section), rows.map(nameOf)];
  };

  beforeEach(async () => {
    const records = new MemoryRecords();
    const jobs = { one: jobOf(1, 'completed'), two: jobOf(2, 'completed'), three: jobOf(3), four: jobOf(4) };
    for (const [key, events] of Object.entries(jobs)) {
      const stamped = events.map((event, place) => ({ stamp: `00000000${place}-a`, event }));
      records.folders.set(key, stamped);
    }
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    store = new JobStore({ files: records, clock: new ManualClock(), newId: () => 'b', log });
    await store.load();
    options = WHOLE_LIST;
    const state = {
      get options() {
        return options;
      },
      onDidChange: changed.event,
      isCollapsed: () => false,
    };
    const never = { dispose: () => undefined };
    own = undefined;
    details = undefined;
    const pulls = {
      of: () => pull,
      details: () => details,
      load: async () => undefined,
      onDidChange: pullsChanged.event,
    };
    const projects = { has: ({ projectId }: ServiceLocation) => projectId === own, onDidChange: foldersChanged.event };
    const previews = { isOffered: () => canPreview, onDidChange: () => never };
    tree = new JobsTree(store, jobDescriber({ pulls, previews }), state, projects);
    canPreview = false;
    pull = undefined;
    drawn = [];
    tree.onDidChangeTreeData((what) =>
      drawn.push(what === undefined ? 'all' : Array.isArray(what) ? what.map(nameOf) : nameOf(what)),
    );
  });

  afterEach(() => tree.dispose());

  it('are refreshed individually when the state of their job changes', async () => {
    options = { ...WHOLE_LIST, groupBy: 'project' };
    const before = shown();
    const [row] = tree.getChildren(tree.getChildren()[0]);
    ok(row !== undefined);
    const active = tree.getTreeItem(row);
    await store.append('four', ended(4, 'failed'));
    deepStrictEqual(drawn, ['four']);
    const failed = tree.getTreeItem(row);
    ok(String(failed.accessibilityInformation?.label).includes('failed'));
    strictEqual(failed.id, active.id);
    deepStrictEqual(shown(), before);
  });

  it('are refreshed individually when their job is renamed', async () => {
    shown();
    await store.append('one', { type: 'renamed', at: 5 * HOUR, title: 'The first part' });
    deepStrictEqual(drawn, ['one']);
  });

  it('do not refer to an unsent prompt once it has been sent', async () => {
    options = { ...WHOLE_LIST, groupBy: 'project' };
    const send = { type: 'send', at: 5 * HOUR, send: 's5', kind: 'create', prompt: 'Document part 5', home } as const;
    await store.append('five', send);
    shown();
    const row = tree.nodeOf('five');
    ok(row?.kind === 'job' && row.sendId === 's5');
    drawn = [];
    await store.append('five', {
      type: 'created',
      at: 6 * HOUR,
      send: 's5',
      job: snapshot('active', { id: 'j5' }),
      home,
    });
    deepStrictEqual(drawn, ['five']);
    shown();
    strictEqual(row.sendId, undefined);
  });

  it('are refreshed with only the two sections between which their job moves', async () => {
    deepStrictEqual(shown(), { 'state:running': ['four', 'three'], 'state:done': ['two', 'one'] });
    await store.append('four', ended(4, 'completed'));
    deepStrictEqual(drawn, [['state:running', 'state:done']]);
    deepStrictEqual(shown(), { 'state:running': ['three'], 'state:done': ['four', 'two', 'one'] });
  });

  it('are all refreshed when a section appears or disappears, and before anything was shown', async () => {
    await store.append('four', ended(4, 'completed'));
    shown();
    await store.append('three', ended(3, 'completed'));
    shown();
    await store.append('one', { type: 'pinned', at: 5 * HOUR });
    deepStrictEqual(drawn, ['all', 'all', 'all']);
    deepStrictEqual(shown(), { pinned: ['one'], 'state:done': ['four', 'three', 'two'] });
  });

  it('take every move into account, even if the editor requests no children in between', async () => {
    shown();
    await store.append('four', ended(4, 'completed'));
    await store.append('three', ended(3, 'completed'));
    deepStrictEqual(drawn, [['state:running', 'state:done'], 'all']);
  });

  it('are refreshed with only the remaining sections while a filter is typed', () => {
    shown();
    const filter = (text: string): void => {
      options = { ...WHOLE_LIST, text };
      changed.fire();
    };
    filter('document');
    filter('part 3');
    deepStrictEqual(drawn, [['state:running', 'state:done'], 'all']);
    deepStrictEqual(shown(), { 'state:running': ['three'] });
  });

  it('are refreshed by refresh() only where they look different, so that open menus keep their rows', async () => {
    options = { ...WHOLE_LIST, groupBy: 'project' };
    const link = 'https://github.com/acme/docs/pull/1';
    const linked = snapshot('completed', { id: 'j2', prLink: link });
    await store.append('two', { type: 'changed', at: 5 * HOUR, run: 's2', job: linked, end: true });
    shown();
    drawn = [];
    tree.refresh();
    deepStrictEqual(drawn, []);
    pull = 'merged';
    pullsChanged.fire();
    deepStrictEqual(drawn, [['two']]);
  });

  it('are all refreshed by refresh() when a section appears or disappears', async () => {
    shown();
    options = { ...WHOLE_LIST, groupBy: 'project' };
    tree.refresh();
    deepStrictEqual(drawn, ['all']);
  });

  describe('with jobs of several projects', () => {
    const elsewhere = { ...home, projectId: 'blog' };
    const add = (key: string, hour: number): Promise<unknown> => {
      const [at, send, id] = [hour * HOUR, `s${hour}`, `j${hour}`];
      return store
        .add({ type: 'tracked', at, home: elsewhere, job: snapshot('active', { id }) })
        .then((job) => store.append(job.key, { type: 'renamed', at, title: `${key} ${send}` }));
    };
    const descriptions = (): string[] =>
      tree
        .getChildren()
        .flatMap((section) => tree.getChildren(section))
        .map((row) => String(tree.getTreeItem(row).description));

    it('name the project only while there are several', async () => {
      ok(descriptions().every((text) => !text.includes('handbook')));
      drawn = [];
      await add('five', 5);
      strictEqual(drawn[0], 'all');
      ok(descriptions().every((text) => /handbook|blog/.test(text)));
      options = { ...WHOLE_LIST, groupBy: 'project' };
      changed.fire();
      ok(descriptions().every((text) => !/handbook|blog/.test(text)));
    });

    it('show jobs of other projects than the window’s in a separate section', async () => {
      await add('five', 5);
      own = 'handbook';
      foldersChanged.fire();
      const sections = Object.keys(shown());
      deepStrictEqual(sections, ['state:running', 'state:done', 'others']);
      deepStrictEqual(
        descriptions().map((text) => /handbook|blog/.exec(text)?.[0]),
        [undefined, undefined, undefined, undefined, 'blog'],
      );
    });

    it('are all shown in their groups when the window’s last job leaves the list, and apart when one comes back', async () => {
      await add('five', 5);
      own = 'blog';
      foldersChanged.fire();
      deepStrictEqual(Object.keys(shown()), ['state:running', 'others']);
      const blog = store.jobs.find(({ home: { projectId } }) => projectId === 'blog');
      await store.append(blog?.key ?? '', { type: 'untracked', at: 6 * HOUR });
      deepStrictEqual(shown(), { 'state:running': ['four', 'three'], 'state:done': ['two', 'one'] });
      await store.append(blog?.key ?? '', { type: 'restored', at: 7 * HOUR });
      deepStrictEqual(Object.keys(shown()), ['state:running', 'others']);
    });
  });

  it('say what the pull request waits for, with a warning when its checks fail', async () => {
    const prLink = 'https://github.com/acme/docs/pull/1';
    const job = snapshot('completed', { id: 'j2', prLink });
    await store.append('two', { type: 'changed', at: Date.now(), run: 's2', job, end: true });
    const row = tree.nodeOf('two');
    ok(row !== undefined);
    pull = 'open';
    const changes = { files: 1, added: 2, deleted: 3 };
    details = { isDraft: true, isReviewRequested: true, comments: 2, checks: 'failing', changes };
    const item = tree.getTreeItem(row);
    strictEqual(item.description, 'draft · checks failing · review requested · 2 comments · 1 file +2 −3 · now');
    ok(item.iconPath instanceof ThemeIcon);
    deepStrictEqual(
      [item.iconPath.id, item.iconPath.color?.id],
      ['git-pull-request-draft', 'problemsWarningIcon.foreground'],
    );
    const tooltip = tree.resolveTreeItem(item, row).tooltip;
    ok(typeof tooltip === 'object' && tooltip.value.includes('checks failing, review requested'));
    pull = 'merged';
    details = { comments: 2 };
    strictEqual(tree.getTreeItem(row).description, 'merged · now');
  });

  it('say how much was changed, and how old they are, in few words', async () => {
    const job = { ...snapshot('completed', { id: 'j2' }), changes: { files: 2, added: 8, deleted: 1 } };
    await store.append('two', { type: 'changed', at: Date.now() - 300_000, run: 's2', job, end: true });
    const row = tree.nodeOf('two');
    ok(row !== undefined);
    const item = tree.getTreeItem(row);
    ok(String(item.description).includes('2 files +8 −1'), String(item.description));
    ok(String(item.accessibilityInformation?.label).includes('2 files +8 −1'));
  });

  it('are not refreshed for a job that the filter hides', async () => {
    options = { ...WHOLE_LIST, text: 'part 3' };
    changed.fire();
    shown();
    drawn = [];
    await store.append('four', ended(4, 'completed'));
    deepStrictEqual(drawn, []);
  });
});
