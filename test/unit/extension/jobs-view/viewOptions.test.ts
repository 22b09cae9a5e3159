import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type ListOptions, WHOLE_LIST } from '../../../../src/extension/features/jobs-view/jobList';
import { showAllJobs, viewOptions } from '../../../../src/extension/features/jobs-view/listCommands';
import { window } from '../../../support/fakeEditor';
import { trackedJob } from '../../../support/trackedJob';

interface Row {
  label: string;
}

/** A pick in which the test chooses rows by their text, one after the other, and then closes it. */
class ScriptedPick {
  items: Row[] = [];
  activeItems: Row[] = [];
  selectedItems: Row[] = [];
  readonly shown: string[][] = [];
  onShow: () => void = () => undefined;
  private accept: () => void = () => undefined;
  private hide: () => void = () => undefined;

  constructor(private readonly choices: readonly string[]) {}

  onDidAccept(listener: () => void): void {
    this.accept = listener;
  }

  onDidHide(listener: () => void): void {
    this.hide = listener;
  }

  show(): void {
    this.onShow();
    for (const text of this.choices) {
      this.selectedItems = this.items.filter(({ label }) => label.endsWith(text));
      this.accept();
      this.shown.push(
        this.items.filter(({ label }) => label.startsWith('$(check)')).map(({ label }) => label.slice(9)),
      );
    }
    this.hide();
  }

  dispose(): void {
    this.items = [];
  }
}

describe('view options', () => {
  let options: ListOptions;
  const list = {
    get options() {
      return options;
    },
    change: (change: Partial<ListOptions>) => (options = { ...options, ...change }),
  };
  let seen: unknown[];
  const store = {
    jobs: [trackedJob({ key: 'read' }), trackedJob({ key: 'unread', unseen: true })],
    append: async (key: string, { type }: { type: string }) => void seen.push([key, type]),
  };
  const parts = { list, store } as never;
  const pickOf = (...choices: string[]): ScriptedPick => {
    const pick = new ScriptedPick(choices);
    Object.assign(window, { createQuickPick: () => pick });
    return pick;
  };
  const rowsOf = async (): Promise<string[]> => {
    const rows: string[] = [];
    const pick = pickOf();
    pick.onShow = () => rows.push(...pick.items.map(({ label }) => label.replace(/^\$\([\w-]+\) /, '')));
    await viewOptions(parts, undefined);
    return rows;
  };
  beforeEach(() => ([options, seen] = [WHOLE_LIST, []]));

  it('apply each choice at once, mark it, and keep its row active', async () => {
    const pick = pickOf('Recently updated', 'Merged and closed jobs', 'Only removed jobs');
    await viewOptions(parts, undefined);
    deepStrictEqual(options, { ...WHOLE_LIST, sortBy: 'changed', hideMerged: true, removed: true });
    deepStrictEqual(pick.shown, [
      ['Recently updated', 'Merged and closed jobs'],
      ['Recently updated'],
      ['Recently updated', 'Only removed jobs'],
    ]);
    ok(pick.activeItems[0]?.label.endsWith('Only removed jobs'));
  });

  it('open no pick for an argument, and treat one of another shape as none', async () => {
    const pick = pickOf('Newest first');
    await viewOptions(parts, { sortBy: 'changed', hideMerged: true });
    deepStrictEqual([options.sortBy, options.hideMerged, pick.shown], ['changed', true, []]);
    await viewOptions(parts, { fsPath: '/a/menu' });
    strictEqual(options.sortBy, 'sent');
  });

  it('offer to show all jobs only while some are hidden, and to mark jobs as read only while some are not', async () => {
    const usual = ['Filter by text…', 'Mark all as read'];
    deepStrictEqual((await rowsOf()).slice(0, 2), usual);
    for (const hidden of [{ text: 'retries' }, { hideMerged: true }, { removed: true }]) {
      options = { ...WHOLE_LIST, ...hidden };
      deepStrictEqual((await rowsOf()).slice(0, 2), ['Show all jobs', usual[0]]);
      pickOf('Show all jobs');
      await viewOptions(parts, undefined);
      deepStrictEqual(options, WHOLE_LIST);
    }
    pickOf('Mark all as read');
    await viewOptions(parts, undefined);
    deepStrictEqual(seen, [['unread', 'seen']]);
    store.jobs.pop();
    deepStrictEqual(
      (await rowsOf()).filter((row) => row === 'Mark all as read'),
      [],
    );
  });

  it('close before another pick or box opens', async () => {
    const opened: string[] = [];
    const pick = pickOf('Filter by text…');
    pick.dispose = () => void opened.push('closed');
    Object.assign(window, { showInputBox: async () => void opened.push('by text') });
    await viewOptions(parts, undefined);
    deepStrictEqual(opened, ['closed', 'by text']);
  });

  it('keep the order when all jobs are shown again', () => {
    options = {
      sortBy: 'changed',
      text: 'retries',
      hideMerged: true,
      removed: true,
      otherProjects: true,
    };
    showAllJobs(parts);
    deepStrictEqual(options, { ...WHOLE_LIST, sortBy: 'changed', otherProjects: true });
  });
});
