import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import { jobTitle } from '../../presentation/jobText';
import {
  arrange,
  type Arrangement,
  type JobFacts,
  type ListOptions,
  type ListPosition,
  getPosition,
  type Section,
} from './jobList';

/** What to refresh after a change: nothing, the row of the job, these sections, or everything. */
export type Redraw = 'nothing' | 'row' | 'all' | readonly string[];

export interface ArrangedListOptions {
  jobs: () => readonly TrackedJob[];
  options: () => ListOptions;
  summarize: JobFacts['summarize'];
  /** Whether the job belongs to a folder of this window. */
  isOwn: (job: TrackedJob) => boolean;
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
  /** The number of jobs per project outside the section for other projects. */
  private projects = new Map<string, number>();
  /** Some listed job belongs to a folder of this window. */
  private hasOwn = false;
  /** The ids of the sections that were shown last, in order. */
  private shown: readonly string[] | undefined;
  /** Keyed by the job object, because jobs are immutable. */
  private readonly titles = new WeakMap<TrackedJob, string>();

  private readonly facts: JobFacts;

  constructor(private readonly options: ArrangedListOptions) {
    const { summarize, isOwn } = options;
    this.facts = { summarize, isOther: (job) => this.hasOwn && !isOwn(job) };
  }

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

  /** Whether the row of a job names its project: neither its section does, nor is there only one. */
  showsProject(key: string): boolean {
    const by = this.places.get(key)?.heading.by;
    return by === 'others' || (by !== 'project' && this.projects.size > 1);
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
    if (this.hasOwn !== this.findsOwn(job)) {
      this.arrange();
      return 'all';
    }
    const place = getPosition(job, this.options.options(), this.titleOf, this.facts);
    const before = this.places.get(job.key);
    if (place === undefined && before === undefined) {
      return 'nothing';
    }
    if (place !== undefined && place.id === before?.id && place.order === before.order) {
      return 'row';
    }
    this.forget();
    const hadSeveral = this.projects.size > 1;
    this.move(job.key, before, place);
    return hadSeveral === this.projects.size > 1 ? this.sectionsOf(before, place) : 'all';
  }

  private move(key: string, before: ListPosition | undefined, place: ListPosition | undefined): void {
    if (before !== undefined) {
      this.places.delete(key);
      this.counts.set(before.id, this.countOf(before) - 1);
      this.countProject(before, -1);
    }
    if (place !== undefined) {
      this.places.set(key, place);
      this.counts.set(place.id, this.countOf(place) + 1);
      this.countProject(place, 1);
    }
  }

  private countProject({ project, heading }: ListPosition, change: 1 | -1): void {
    if (heading.by !== 'others') {
      const count = (this.projects.get(project) ?? 0) + change;
      if (count === 0) {
        this.projects.delete(project);
      } else {
        this.projects.set(project, count);
      }
    }
  }

  /** Whether some listed job is the window's own, after this one has changed. Looks at all jobs only when one leaves. */
  private findsOwn(job: TrackedJob): boolean {
    const { isOwn } = this.options;
    if (!isOwn(job)) {
      return this.hasOwn;
    }
    return isListed(job) || (this.hasOwn && this.anyOwn());
  }

  private anyOwn(): boolean {
    const { jobs, isOwn } = this.options;
    return jobs().some((job) => isListed(job) && isOwn(job));
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
    const { jobs, options } = this.options;
    this.hasOwn = this.anyOwn();
    const arranged = arrange(jobs(), options(), this.titleOf, this.facts);
    this.arranged = arranged;
    this.places = new Map(arranged.places);
    this.counts = new Map(arranged.sections.map(({ id, jobs: own }) => [id, own.length]));
    this.projects = new Map();
    this.places.forEach((place) => this.countProject(place, 1));
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
