import type { TrackedJob } from '../../jobs/trackedJob';
import { type Arrangement, type IsDone, type ListOptions, type Place, type Section, arrange, placeOf } from './jobList';
import { jobTitle } from '../presentation/jobText';

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
