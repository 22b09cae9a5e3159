import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { replaceFile } from '../../../base/files';
import { decodeJson } from '../../../base/json';
import type { Logger } from '../../../base/logger';
import { GROUPINGS, JOB_GROUPS, SORTINGS } from '../../../jobs/jobGroups';
import { type ListOptions, WHOLE_LIST } from './jobList';
import type { ListState as TreeState } from './jobsTree';

/** The maximum number of collapsed rows to remember, because sections for days accumulate. */
const MAX_COLLAPSED = 500;

/**
 * The user's choices for the list, per workspace: grouping, order, filter, collapsed rows and selection. Stored in a
 * file, because the editor's own storage loses changes made shortly before a reload. If two windows of one workspace
 * write at the same time, at most a view preference is lost.
 */
export class ListState implements TreeState, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private current: ListOptions = WHOLE_LIST;
  /** The rows whose collapsed state differs from the initial one. */
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

  /** Loads the saved state; without a readable file, the whole list is shown. */
  async load(): Promise<void> {
    const text = await readFile(this.file, 'utf8').catch(() => '{}');
    const value = decodeJson(text);
    const kept = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    this.current = readOptions(kept);
    this.collapsed = new Set(readTexts(kept['collapsed']));
    this.selectedKey = typeof kept['selected'] === 'string' ? kept['selected'] : undefined;
  }

  /** Resolves when all changes have been written. Never rejects. */
  async settle(): Promise<void> {
    await this.writing;
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

  /** A change during a write is saved by the next write. */
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
        const { groupBy, sortBy, text, states, hideMerged, otherProjects } = this.current;
        const kept = {
          groupBy,
          sortBy,
          text,
          states,
          hideMerged,
          otherProjects,
          collapsed: [...this.collapsed],
          selected: this.selectedKey,
        };
        await replaceFile(this.file, JSON.stringify(kept));
      }
    } catch (error) {
      this.log.warn('couldn’t save how the list is grouped', error);
    }
  }
}

/** The jobs of other projects take one row until the user wants to see them. */
function isCollapsedAtFirst(nodeId: string): boolean {
  return nodeId === 'section:others';
}

/** A newer version may have written any shape. */
function readOptions(kept: Record<string, unknown>): ListOptions {
  return {
    ...WHOLE_LIST,
    groupBy: GROUPINGS.find((each) => each === kept['groupBy']) ?? WHOLE_LIST.groupBy,
    sortBy: SORTINGS.find((each) => each === kept['sortBy']) ?? WHOLE_LIST.sortBy,
    text: typeof kept['text'] === 'string' ? kept['text'] : WHOLE_LIST.text,
    hideMerged: kept['hideMerged'] === true,
    otherProjects: kept['otherProjects'] === true,
    states: JOB_GROUPS.filter((state) => readTexts(kept['states']).includes(state)),
  };
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
