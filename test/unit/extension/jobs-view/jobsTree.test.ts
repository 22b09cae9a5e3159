import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { PullRequestDetails } from '../../../../src/client';
import { type ListOptions, WHOLE_LIST } from '../../../../src/extension/features/jobs-view/jobList';
import { type JobNode, JobsTree } from '../../../../src/extension/features/jobs-view/jobsTree';
import type { PullRequestState } from '../../../../src/protocol/surroundings';
import { FindingRows } from '../../../../src/extension/presentation/findingRows';
import type { JobEvent, ServiceLocation } from '../../../../src/jobs/events';
import { JobStore } from '../../../../src/jobs/jobStore';
import { editor } from '../../../support/fakeEditor';
import { jobDescriber } from '../../../support/jobDescriber';
import { ManualClock } from '../../../support/manualClock';
import { MemoryRecords } from '../../../support/memoryStores';
import { snapshot, trackedJob } from '../../../support/trackedJob';
import { sectionItem, shortTitle } from '../../../../src/extension/features/jobs-view/jobItem';

const HOUR = 3_600_000;
const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'handbook' };

/** The events of a job whose number is also its time, in hours. */
function jobOf(number: number, end?: string): JobEvent[] {
  const [at, send, id] = [number * HOUR, `s${number}`, `j${number}`];
  return [
    { type: 'send', at, promptId: send, kind: 'create', text: `Document part ${number}`, location },
    { type: 'created', at: at + 1, promptId: send, job: snapshot('active', { id }), location },
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
  let pull: PullRequestState | undefined;
  let details: PullRequestDetails | undefined;
  /** The project of the window's folder. */
  let own: string | undefined;
  let findings: FindingRows;
  const [optionsChanged, pullsChanged, foldersChanged] = [1, 2, 3].map(() => new editor.EventEmitter<void>());

  const nameOf = (node: JobNode): string =>
    node.kind === 'section' ? node.id : 'jobKey' in node ? node.jobKey : String(node.findings);
  /** Returns what the editor shows. Requests all rows, as the editor does after a full refresh. */
  const shown = async (): Promise<Record<string, string[]>> => {
    await nextTick();
    const rows = tree.getChildren().map((section) => [section, ...tree.getChildren(section)] as const);
    rows.flat().forEach((node) => tree.getTreeItem(node));
    return Object.fromEntries(rows.map(([section, ...jobs]) => [nameOf(section), jobs.map(nameOf)]));
  };
  /** Returns what was refreshed since the last call. */
  const refreshed = async (): Promise<(string | string[])[]> => {
    await nextTick();
    return drawn.splice(0);
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
    [options, pull, own, details, drawn] = [WHOLE_LIST, undefined, undefined, undefined, []];
    const state = {
      get options() {
        return options;
      },
      onDidChange: optionsChanged!.event,
      isCollapsed: () => false,
    };
    const pulls = {
      ...{ get: () => pull, details: () => details, load: async () => undefined },
      onDidChange: pullsChanged!.event,
    };
    const projects = { has: ({ projectId }: ServiceLocation) => projectId === own, onDidChange: foldersChanged!.event };
    findings = new FindingRows();
    tree = new JobsTree(store, jobDescriber({ pulls }), state, projects, findings);
    tree.onDidChangeTreeData((what) =>
      drawn.push(what === undefined ? 'all' : Array.isArray(what) ? what.map(nameOf) : nameOf(what)),
    );
    await store.load();
    await shown();
    deepStrictEqual(await refreshed(), ['all'], 'once for all records');
  });

  afterEach(() => tree.dispose());

  it('are refreshed individually when their job changes but not its place', async () => {
    await store.append('one', { type: 'renamed', at: 5 * HOUR, title: 'The first part' });
    await store.append('three', { type: 'renamed', at: 5 * HOUR, title: 'The third part' });
    deepStrictEqual(await refreshed(), [['three', 'one']]);
  });

  it('do not refer to an unsent prompt once it has been sent', async () => {
    await store.append('five', jobOf(5)[0]!);
    ok(tree.nodeOf('five')?.kind === 'job');
    const row = tree.nodeOf('five') as Extract<JobNode, { kind: 'job' }>;
    strictEqual(row.promptId, 's5');
    await store.append('five', jobOf(5)[1]!);
    strictEqual(tree.nodeOf('five'), row);
    strictEqual(row.promptId, undefined);
  });

  it('are refreshed with only the two sections between which their job moves', async () => {
    deepStrictEqual(await shown(), { 'state:running': ['four', 'three'], 'state:done': ['two', 'one'] });
    await store.append('four', ended(4, 'completed'));
    deepStrictEqual(await refreshed(), [['state:running', 'state:done']]);
    deepStrictEqual(await shown(), { 'state:running': ['three'], 'state:done': ['four', 'two', 'one'] });
  });

  it('are all refreshed when a section appears or disappears', async () => {
    await store.append('four', ended(4, 'completed'));
    await store.append('three', ended(3, 'completed'));
    deepStrictEqual(await refreshed(), ['all']);
    deepStrictEqual(await shown(), { 'state:done': ['four', 'three', 'two', 'one'] });
  });

  it('are refreshed only as far as a filter changes them', async () => {
    const filter = (text: string): void => {
      options = { ...WHOLE_LIST, text };
      optionsChanged!.fire();
    };
    filter('document');
    deepStrictEqual(await refreshed(), []);
    filter('part 3');
    deepStrictEqual(await refreshed(), ['all']);
    deepStrictEqual(await shown(), { 'state:running': ['three'] });
    await store.append('four', ended(4, 'completed'));
    deepStrictEqual(await refreshed(), []);
  });

  it('are refreshed by refresh() only where they look different, so that open menus keep their rows', async () => {
    options = { ...WHOLE_LIST, removed: true };
    await store.append('two', { type: 'untracked', at: 4 * HOUR });
    const job = snapshot('completed', { id: 'j2', prLink: 'https://github.com/acme/docs/pull/1' });
    await store.append('two', { type: 'changed', at: 5 * HOUR, run: 's2', job, end: true });
    await shown();
    await refreshed();
    tree.refresh();
    deepStrictEqual(await refreshed(), []);
    pull = 'merged';
    pullsChanged!.fire();
    deepStrictEqual(await refreshed(), [['two']]);
  });

  it('can be found at once after a change', async () => {
    options = { ...WHOLE_LIST, text: 'fourth' };
    optionsChanged!.fire();
    strictEqual(tree.has('four'), false);
    await store.append('four', { type: 'renamed', at: 5 * HOUR, title: 'The fourth part' });
    deepStrictEqual([tree.has('four'), tree.count], [true, 1]);
  });

  it('begin with what a check has found, unless only certain jobs are shown', async () => {
    const rows = (...ids: number[]) =>
      ids.map((id) => ({ id, item: () => new editor.TreeItem(`name ${id}`) as never }));
    const jobs = await shown();
    findings.set(rows(1, 2));
    deepStrictEqual(await refreshed(), ['all']);
    deepStrictEqual(await shown(), { findings: ['1', '2'], ...jobs });
    const [group] = tree.getChildren();
    ok(group !== undefined);
    deepStrictEqual(
      [group, ...tree.getChildren(group)].map((row) => [
        tree.getTreeItem(row).label,
        'findings' in row && row.findings,
      ]),
      [
        ['Problems in the docs', [1, 2]],
        ['name 1', [1]],
        ['name 2', [2]],
      ],
    );
    findings.set(rows(2));
    deepStrictEqual(await refreshed(), ['findings'], 'the rows of jobs stay as they are');
    options = { ...WHOLE_LIST, text: 'document' };
    optionsChanged!.fire();
    deepStrictEqual(await refreshed(), ['all']);
    deepStrictEqual(await shown(), jobs);
    options = WHOLE_LIST;
    optionsChanged!.fire();
    deepStrictEqual(Object.keys(await shown()), ['findings', ...Object.keys(jobs)]);
    findings.set([]);
    deepStrictEqual(await shown(), jobs);
  });

  describe('with jobs of several projects', () => {
    const elsewhere = { ...location, projectId: 'blog' };
    const add = (hour: number): Promise<unknown> =>
      store.add({ type: 'tracked', at: hour * HOUR, location: elsewhere, job: snapshot('active', { id: `j${hour}` }) });
    const projects = async (): Promise<(string | undefined)[]> => {
      await nextTick();
      const rows = tree.getChildren().flatMap((section) => tree.getChildren(section));
      return rows.map((row) => /handbook|blog/.exec(String(tree.getTreeItem(row).description))?.[0]);
    };

    it('name the project only while there are several', async () => {
      deepStrictEqual(new Set(await projects()), new Set([undefined]));
      await add(5);
      deepStrictEqual(await refreshed(), ['all']);
      deepStrictEqual(new Set(await projects()), new Set(['handbook', 'blog']));
    });

    it('show jobs of other projects than the window’s in a separate section, while it has jobs of its own', async () => {
      await add(5);
      own = 'handbook';
      foldersChanged!.fire();
      deepStrictEqual(Object.keys(await shown()), ['state:running', 'state:done', 'others']);
      deepStrictEqual(await projects(), [undefined, undefined, undefined, undefined, 'blog']);
      own = 'blog';
      foldersChanged!.fire();
      deepStrictEqual(Object.keys(await shown()), ['state:running', 'others']);
      const blog = store.jobs.find(({ location: { projectId } }) => projectId === 'blog');
      await store.append(blog?.key ?? '', { type: 'untracked', at: 6 * HOUR });
      deepStrictEqual(Object.keys(await shown()), ['state:running', 'state:done']);
    });
  });

  it('say in few words what the pull request waits for, how much was changed, and how old they are', async () => {
    const job = snapshot('completed', { id: 'j2', prLink: 'https://github.com/acme/docs/pull/1' });
    await store.append('two', { type: 'changed', at: Date.now(), run: 's2', job, end: true });
    const row = tree.nodeOf('two')!;
    pull = 'open';
    const changes = { files: 1, added: 2, deleted: 3 };
    details = { isDraft: true, isReviewRequested: true, comments: 2, checks: 'failing', changes };
    const item = tree.getTreeItem(row);
    strictEqual(item.description, '1 file · now · draft · checks failing · review requested · 2 comments');
    strictEqual(item.label, '• Document…', 'a dot says that it is unread');
    ok(String(item.accessibilityInformation?.label).includes('pull request ready, draft, checks failing'));
    const { tooltip } = tree.resolveTreeItem(item, row);
    ok(typeof tooltip === 'object' && tooltip.value.includes('checks failing, review requested'));
    pull = 'merged';
    details = { comments: 2, changes };
    strictEqual(tree.getTreeItem(row).description, 'merged · now', 'without the files, for which no room is left');
    details = { comments: 0, changes };
    const base = { branch: 'main', newCommits: 1, conflicts: ['docs/a.md'] };
    const around = { ...job, surroundings: { base } };
    await store.append('two', { type: 'changed', at: Date.now(), run: 's2', job: around, end: true });
    pull = 'open';
    strictEqual(tree.getTreeItem(row).description, 'conflict · now');
    pull = 'closed';
    strictEqual(tree.getTreeItem(row).description, 'closed · now', 'nothing is left to resolve');
    const merged = { ...job, review: 'merged' as const, surroundings: { mergedInto: 'main' } };
    await store.append('two', { type: 'changed', at: Date.now(), run: 's2', job: merged, end: true });
    pull = 'merged';
    strictEqual(tree.getTreeItem(row).description, 'merged · now', 'its page says into which branch');
  });
});

describe('the label of a row', () => {
  it('leaves room for what follows: a long title is cut after a word, or anywhere in a long word', () => {
    strictEqual(shortTitle('Document the retries', 'now'), 'Document the retries');
    strictEqual(shortTitle('Document the retries of uploads', 'now'), 'Document the retries…');
    strictEqual(shortTitle('Document the retry policy', '1 file · now'), 'Document the…');
    strictEqual(shortTitle('Document the retry policy', 'finished, no pull request · 2d'), 'Document th…');
    strictEqual(shortTitle('A Donaudampfschifffahrtsgesellschaft', '1 file · now'), 'A Donaudampfsc…');
  });
});

describe('rows of sections', () => {
  it('have labels that describe them to screen readers', () => {
    const section = { id: 'state:done', heading: { by: 'state', state: 'done' } as const, jobs: [trackedJob()] };
    deepStrictEqual(sectionItem(section, false).accessibilityInformation, { label: 'Done, 1 job' });
  });
});
