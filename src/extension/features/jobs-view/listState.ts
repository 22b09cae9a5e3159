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
  type Place,
  placeOf,
  type Section,
  WHOLE_LIST,
} from './jobList';
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

/** What a change asks to be drawn again: nothing, the row of the job, these sections, or all. */
export type Redraw = 'nothing' | 'row' | 'all' | readonly string[];

export interface ArrangedListOptions {
  jobs: () => readonly TrackedJob[];
  options: () => ListOptions;
  isDone: IsDone;
}

/** The list as it is arranged now. It is worked out when it is asked for, and knows which part of it a change concerns. */
export class ArrangedList {
  private arranged: Arrangement | undefined;
  /** Where each job stands that is shown, and how many stand in each section, also when the rest is out of date. */
  private places = new Map<string, Place>();
  private counts = new Map<string, number>();
  /** The sections that were shown last, from first to last. */
  private shown: readonly string[] | undefined;
  /** Jobs never change, a new one takes the place of the one before. */
  private readonly titles = new WeakMap<TrackedJob, string>();

  constructor(private readonly options: ArrangedListOptions) {}

  get sections(): readonly Section[] {
    return (this.arranged ?? this.arrange()).sections;
  }

  /** How many jobs have a place. */
  get size(): number {
    return this.sections.reduce((sum, { jobs }) => sum + jobs.length, 0);
  }

  /** The ids of the sections, which are shown from now on. */
  show(): readonly string[] {
    this.shown = this.sections.map(({ id }) => id);
    return this.shown;
  }

  /** The section of a job and its place there, as it was arranged last. */
  placeOf(key: string): Place | undefined {
    return this.places.get(key);
  }

  /** All is out of date. */
  forget(): void {
    this.arranged = undefined;
  }

  /** The user wants the list otherwise: while its sections stay the same ones, the rows in them are all that changes. */
  rearrange(): Redraw {
    const ids = this.arrange().sections.map(({ id }) => id);
    return this.shown?.join('\n') === ids.join('\n') ? ids : 'all';
  }

  /** A job has changed. */
  change(job: TrackedJob): Redraw {
    const place = placeOf(job, this.options.options(), this.titleOf, this.options.isDone);
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

  private move(key: string, before: Place | undefined, place: Place | undefined): void {
    if (before !== undefined) {
      this.places.delete(key);
      this.counts.set(before.id, this.countOf(before) - 1);
    }
    if (place !== undefined) {
      this.places.set(key, place);
      this.counts.set(place.id, this.countOf(place) + 1);
    }
  }

  /** The two sections between which a job moved, unless one of them comes or goes. Projects may change their order. */
  private sectionsOf(before: Place | undefined, place: Place | undefined): Redraw {
    const both = [before, place].filter((each) => each !== undefined);
    const stay = both.every((each) => this.countOf(each) > 0 && this.shown?.includes(each.id) === true);
    return stay && both.every(({ heading }) => heading.by !== 'project')
      ? [...new Set(both.map(({ id }) => id))]
      : 'all';
  }

  private countOf({ id }: Place): number {
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
