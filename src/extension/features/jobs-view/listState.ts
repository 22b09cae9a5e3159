import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { replaceFile } from '../../../base/files';
import { decodeJson } from '../../../base/json';
import type { Logger } from '../../../base/logger';
import { GROUPINGS, JOB_GROUPS, readGroup, SORTINGS } from '../../../jobs/jobGroups';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { jobTitle } from '../../presentation/jobText';
import {
  arrange,
  type Arrangement,
  type IsDone,
  type ListOptions,
  type ListPosition,
  getPosition,
  type Section,
  WHOLE_LIST,
} from './jobList';
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
      this.log.warn('couldn’t save how the list is grouped', error);
    }
  }
}

/** An older or newer build may have written any shape. */
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

/** What to refresh after a change: nothing, the row of the job, these sections, or everything. */
export type Redraw = 'nothing' | 'row' | 'all' | readonly string[];

export interface ArrangedListOptions {
  jobs: () => readonly TrackedJob[];
  options: () => ListOptions;
  isDone: IsDone;
}

/** The current arrangement of the list. Computed on demand; determines which part of it a change affects. */
export class ArrangedList {
  private arranged: Arrangement | undefined;
  /**
   * The position of each visible job, and the number of jobs per section. Kept up to date even while the arrangement is
   * stale.
   */
  private places = new Map<string, ListPosition>();
  private counts = new Map<string, number>();
  /** The ids of the sections that were shown last, in order. */
  private shown: readonly string[] | undefined;
  /** Keyed by the job object, because jobs are immutable. */
  private readonly titles = new WeakMap<TrackedJob, string>();

  constructor(private readonly options: ArrangedListOptions) {}

  get sections(): readonly Section[] {
    return (this.arranged ?? this.arrange()).sections;
  }

  /** The number of jobs in the list. */
  get size(): number {
    return this.sections.reduce((sum, { jobs }) => sum + jobs.length, 0);
  }

  /** Returns the ids of the sections and records them as shown. */
  show(): readonly string[] {
    this.shown = this.sections.map(({ id }) => id);
    return this.shown;
  }

  /** The section and position of a job in the last arrangement. */
  placeOf(key: string): ListPosition | undefined {
    return this.places.get(key);
  }

  /** Marks the arrangement as stale. */
  forget(): void {
    this.arranged = undefined;
  }

  /** Rearranges the list after its options changed. If the sections stay the same, only their rows need a refresh. */
  rearrange(): Redraw {
    const ids = this.arrange().sections.map(({ id }) => id);
    return this.shown?.join('\n') === ids.join('\n') ? ids : 'all';
  }

  /** Returns what to refresh after a job has changed. */
  change(job: TrackedJob): Redraw {
    const place = getPosition(job, this.options.options(), this.titleOf, this.options.isDone);
    const before = this.places.get(job.key);
    if (place === undefined && before === undefined) {
      return 'nothing';
    }
    if (place !== undefined && place.id === before?.id && place.order === before.order) {
      return 'row';
    }
    this.forget();
    this.move(job.key, before, place);
    return this.sectionsOf(before, place);
  }

  private move(key: string, before: ListPosition | undefined, place: ListPosition | undefined): void {
    if (before !== undefined) {
      this.places.delete(key);
      this.counts.set(before.id, this.countOf(before) - 1);
    }
    if (place !== undefined) {
      this.places.set(key, place);
      this.counts.set(place.id, this.countOf(place) + 1);
    }
  }

  /**
   * Returns the one or two sections that a job moved between, or `all` if a section appears or disappears. Also `all`
   * for projects, whose order may change.
   */
  private sectionsOf(before: ListPosition | undefined, place: ListPosition | undefined): Redraw {
    const both = [before, place].filter((each) => each !== undefined);
    const stay = both.every((each) => this.countOf(each) > 0 && this.shown?.includes(each.id) === true);
    return stay && both.every(({ heading }) => heading.by !== 'project')
      ? [...new Set(both.map(({ id }) => id))]
      : 'all';
  }

  private countOf({ id }: ListPosition): number {
    return this.counts.get(id) ?? 0;
  }

  private arrange(): Arrangement {
    const { jobs, options, isDone } = this.options;
    const arranged = arrange(jobs(), options(), this.titleOf, isDone);
    this.arranged = arranged;
    this.places = new Map(arranged.places);
    this.counts = new Map(arranged.sections.map(({ id, jobs: own }) => [id, own.length]));
    return arranged;
  }

  private readonly titleOf = (job: TrackedJob): string => {
    const known = this.titles.get(job);
    const title = known ?? jobTitle(job);
    if (known === undefined) {
      this.titles.set(job, title);
    }
    return title;
  };
}
