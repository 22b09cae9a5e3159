import * as vscode from 'vscode';
import { type ListOptions, SORTINGS, WHOLE_LIST } from './jobList';
import type { ListState as TreeState } from './jobsTree';

/** The maximum number of collapsed rows to remember, because those of jobs accumulate. */
const MAX_COLLAPSED = 500;

const STORED = 'list';

/** The user's choices for the list, per workspace: order, filter, collapsed rows and selection. */
export class ListState implements TreeState, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private current: ListOptions;
  /** The rows whose collapsed state differs from the initial one. */
  private collapsed: ReadonlySet<string>;
  private selectedKey: string | undefined;
  private saving: Thenable<void> = Promise.resolve();

  constructor(private readonly memento: vscode.Memento) {
    const stored = memento.get<Record<string, unknown>>(STORED, {});
    this.current = readOptions(stored);
    this.collapsed = new Set(readTexts(stored['collapsed']));
    this.selectedKey = typeof stored['selected'] === 'string' ? stored['selected'] : undefined;
  }

  dispose(): void {
    this.changed.dispose();
  }

  get options(): ListOptions {
    return this.current;
  }

  /** The key of the job that was selected last. */
  get selected(): string | undefined {
    return this.selectedKey;
  }

  /** Resolves when the last change has been saved. */
  get saved(): Thenable<void> {
    return this.saving;
  }

  change(change: Partial<ListOptions>): void {
    this.current = { ...this.current, ...change };
    this.changed.fire();
    this.save();
  }

  isCollapsed(nodeId: string): boolean {
    return this.collapsed.has(nodeId) !== isCollapsedAtFirst(nodeId);
  }

  fold(nodeId: string, collapsed: boolean): void {
    const others = [...this.collapsed].filter((each) => each !== nodeId);
    const isChosen = collapsed !== isCollapsedAtFirst(nodeId);
    this.collapsed = new Set((isChosen ? [...others, nodeId] : others).slice(-MAX_COLLAPSED));
    this.save();
  }

  select(key: string | undefined): void {
    this.selectedKey = key;
    this.save();
  }

  private save(): void {
    const stored = { ...this.current, collapsed: [...this.collapsed], selected: this.selectedKey };
    this.saving = this.memento.update(STORED, stored);
  }
}

/** The jobs of other projects take one row until the user wants to see them. */
function isCollapsedAtFirst(nodeId: string): boolean {
  return nodeId === 'section:others';
}

/** A newer version may have stored any shape. */
function readOptions(stored: Record<string, unknown>): ListOptions {
  return {
    ...WHOLE_LIST,
    sortBy: SORTINGS.find((each) => each === stored['sortBy']) ?? WHOLE_LIST.sortBy,
    text: typeof stored['text'] === 'string' ? stored['text'] : WHOLE_LIST.text,
    hideMerged: stored['hideMerged'] === true,
    otherProjects: stored['otherProjects'] === true,
  };
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
