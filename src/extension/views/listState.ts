import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { decodeJson } from '../../shared/util/decodeJson';
import type { Logger } from '../../shared/util/logger';
import { replaceFile } from '../../shared/util/replaceFile';
import { GROUPINGS, JOB_GROUPS, SORTINGS, readGroup } from './jobGroups';
import { type ListOptions, WHOLE_LIST } from './jobList';
import type { ListState as TreeState } from './jobsTree';

/** How many folded rows are remembered: sections of days pile up. */
const MAX_COLLAPSED = 500;

/**
 * How the user wants the list, for one workspace: grouping, order and filter, which rows are folded, which is selected.
 * A file, because the editor's own store loses what was changed shortly before a reload. What two windows of one
 * workspace write at once costs no more than a fold.
 */
export class ListState implements TreeState, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private current: ListOptions = WHOLE_LIST;
  private collapsed: ReadonlySet<string> = new Set();
  private selectedKey: string | undefined;
  private writing: Promise<void> | undefined;
  private isUnsaved = false;

  constructor(
    private readonly file: string,
    private readonly log: Logger,
  ) {}

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

  /** Reads what was left; without a file that can be read the list is whole. */
  async load(): Promise<void> {
    const text = await readFile(this.file, 'utf8').catch(() => '{}');
    const value = decodeJson(text);
    const kept = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    this.current = readOptions(kept);
    this.collapsed = new Set(readTexts(kept['collapsed']));
    this.selectedKey = typeof kept['selected'] === 'string' ? kept['selected'] : undefined;
  }

  /** Resolves when what was changed is written. Never rejects. */
  async settle(): Promise<void> {
    await this.writing;
  }

  change(change: Partial<ListOptions>): void {
    this.current = { ...this.current, ...change };
    this.changed.fire();
    this.save();
  }

  isCollapsed(nodeId: string): boolean {
    return this.collapsed.has(nodeId);
  }

  fold(nodeId: string, collapsed: boolean): void {
    const others = [...this.collapsed].filter((each) => each !== nodeId);
    this.collapsed = new Set((collapsed ? [...others, nodeId] : others).slice(-MAX_COLLAPSED));
    this.save();
  }

  select(key: string | undefined): void {
    this.selectedKey = key;
    this.save();
  }

  /** What changes while a write is on its way is written by the next one. */
  private save(): void {
    this.isUnsaved = true;
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
  }

  private async write(): Promise<void> {
    try {
      while (this.isUnsaved) {
        this.isUnsaved = false;
        const { groupBy, sortBy, text, states, hideMerged } = this.current;
        const kept = {
          groupBy,
          sortBy,
          text,
          states,
          hideMerged,
          collapsed: [...this.collapsed],
          selected: this.selectedKey,
        };
        await replaceFile(this.file, JSON.stringify(kept));
      }
    } catch (error) {
      this.log.warn('how the list is grouped and folded could not be kept', error);
    }
  }
}

/** What an older or newer build left may have any shape. */
function readOptions(kept: Record<string, unknown>): ListOptions {
  return {
    ...WHOLE_LIST,
    groupBy: GROUPINGS.find((each) => each === kept['groupBy']) ?? WHOLE_LIST.groupBy,
    sortBy: SORTINGS.find((each) => each === kept['sortBy']) ?? WHOLE_LIST.sortBy,
    text: typeof kept['text'] === 'string' ? kept['text'] : WHOLE_LIST.text,
    hideMerged: kept['hideMerged'] === true,
    states: JOB_GROUPS.filter((state) => readTexts(kept['states']).map(readGroup).includes(state)),
  };
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
