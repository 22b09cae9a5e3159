import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type ListOptions, WHOLE_LIST } from '../../../../src/extension/features/jobs-view/jobList';
import {
  type ListActionOptions,
  showAllJobs,
  viewOptions,
} from '../../../../src/extension/features/jobs-view/listCommands';
import { window } from '../../../support/fakeEditor';

interface Row {
  label: string;
}

/** A pick in which the test chooses rows by their text, one after the other, and then closes it. */
class ScriptedPick {
  items: Row[] = [];
  activeItems: Row[] = [];
  selectedItems: Row[] = [];
  readonly shown: string[][] = [];
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
  const parts = { list } as unknown as ListActionOptions;
  const pickOf = (...choices: string[]): ScriptedPick => {
    const pick = new ScriptedPick(choices);
    Object.assign(window, { createQuickPick: () => pick });
    return pick;
  };
  beforeEach(() => (options = WHOLE_LIST));

  it('apply each choice at once, mark it, and keep its row active', async () => {
    const pick = pickOf('By project', 'Name', 'Merged and closed jobs', 'Only removed jobs');
    await viewOptions(parts, undefined);
    deepStrictEqual(options, { ...WHOLE_LIST, groupBy: 'project', sortBy: 'title', hideMerged: true, removed: true });
    deepStrictEqual(pick.shown, [
      ['By project', 'Newest first', 'Merged and closed jobs'],
      ['By project', 'Name', 'Merged and closed jobs'],
      ['By project', 'Name'],
      ['By project', 'Name', 'Only removed jobs'],
    ]);
    ok(pick.activeItems[0]?.label.endsWith('Only removed jobs'));
  });

  it('open no pick for an argument, and treat one of another shape as none', async () => {
    const pick = pickOf('By day');
    await viewOptions(parts, { sortBy: 'changed', hideMerged: true });
    deepStrictEqual([options.sortBy, options.hideMerged, pick.shown], ['changed', true, []]);
    await viewOptions(parts, { fsPath: '/a/menu' });
    strictEqual(options.groupBy, 'day');
  });

  it('keep group and order when all jobs are shown again', () => {
    options = {
      groupBy: 'day',
      sortBy: 'title',
      text: 'retries',
      states: ['running'],
      hideMerged: true,
      removed: true,
      otherProjects: true,
    };
    showAllJobs(parts);
    deepStrictEqual(options, { ...WHOLE_LIST, groupBy: 'day', sortBy: 'title', otherProjects: true });
  });
});
