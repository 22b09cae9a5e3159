import * as vscode from 'vscode';
import { JOB_GROUPS } from './jobGroups';
import { GROUPINGS, type ListOptions, SORTINGS, WHOLE_LIST } from './jobList';
import type { ListState as TreeState } from './jobsTree';

/** The names under which the editor keeps it for a workspace. */
const KEYS = { options: 'list.options', collapsed: 'list.collapsed', selected: 'list.selected' } as const;

/** How many folded rows are remembered: sections of days pile up. */
const MOST_COLLAPSED = 500;

/**
 * How the user wants the list, for this workspace: grouping, order and filter, which rows are folded, which is selected.
 * What two windows of one workspace write at once costs no more than a fold.
 */
export class ListState implements TreeState, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private current: ListOptions;
  private readonly collapsed: Set<string>;

  constructor(private readonly memento: vscode.Memento) {
    this.current = readOptions(memento.get(KEYS.options));
    this.collapsed = new Set(readTexts(memento.get(KEYS.collapsed)));
  }

  dispose(): void {
    this.changed.dispose();
  }

  get options(): ListOptions {
    return this.current;
  }

  /** The key of the job that was selected last. */
  get selected(): string | undefined {
    const key = this.memento.get(KEYS.selected);
    return typeof key === 'string' ? key : undefined;
  }

  async change(change: Partial<ListOptions>): Promise<void> {
    this.current = { ...this.current, ...change };
    this.changed.fire();
    // The removed jobs are looked at, not lived with.
    await this.memento.update(KEYS.options, { ...this.current, removed: false });
  }

  isCollapsed(nodeId: string): boolean {
    return this.collapsed.has(nodeId);
  }

  async fold(nodeId: string, collapsed: boolean): Promise<void> {
    this.collapsed.delete(nodeId);
    if (collapsed) {
      this.collapsed.add(nodeId);
    }
    await this.memento.update(KEYS.collapsed, [...this.collapsed].slice(-MOST_COLLAPSED));
  }

  async select(key: string | undefined): Promise<void> {
    await this.memento.update(KEYS.selected, key);
  }
}

/** What an older or newer build left may have any shape. */
function readOptions(value: unknown): ListOptions {
  const kept = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return {
    ...WHOLE_LIST,
    groupBy: GROUPINGS.find((each) => each === kept['groupBy']) ?? WHOLE_LIST.groupBy,
    sortBy: SORTINGS.find((each) => each === kept['sortBy']) ?? WHOLE_LIST.sortBy,
    text: typeof kept['text'] === 'string' ? kept['text'] : WHOLE_LIST.text,
    states: JOB_GROUPS.filter((state) => readTexts(kept['states']).includes(state)),
  };
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
