import { once } from '../../../base/async';
import type { ServiceLocation } from '../../../jobs/events';
import { firstPrompt, isListed, pendingCreate, type TrackedJob } from '../../../jobs/trackedJob';
import type { JobSummary } from '../../presentation/describeJob';
import { JOB_GROUPS, type JobGroup } from '../../presentation/jobStates';

export const GROUPINGS = ['state', 'project', 'day'] as const;
export const SORTINGS = ['sent', 'changed', 'title'] as const;

export type Grouping = (typeof GROUPINGS)[number];
export type Sorting = (typeof SORTINGS)[number];

/** Grouping, order and filter of the list, as chosen by the user. */
export interface ListOptions {
  groupBy: Grouping;
  /** By newest prompt, by newest change, or by name. */
  sortBy: Sorting;
  /** Shows only jobs whose known facts contain each of these words; empty shows all. */
  text: string;
  /** Shows only jobs in these states; empty shows all. */
  states: readonly JobGroup[];
  /** Hides jobs whose pull request is merged or closed. */
  hideMerged: boolean;
  /** Shows only the jobs that were removed from the list. */
  removed: boolean;
  /** Shows the jobs of other projects among those of this window's folders, and not below them. */
  otherProjects: boolean;
}

export const WHOLE_LIST: ListOptions = {
  groupBy: 'state',
  sortBy: 'sent',
  text: '',
  states: [],
  hideMerged: false,
  removed: false,
  otherProjects: false,
};

/** What a section of the list contains. */
export type Heading =
  | { by: 'pinned' | 'removed' | 'others' }
  | { by: 'state'; state: JobGroup }
  | { by: 'project'; home: ServiceLocation; isOther: boolean }
  /** `day` is midnight of that day in wall time. */
  | { by: 'day'; day: number };

/** The position of a job. If a change of the job leaves it unchanged, only the row of the job is refreshed. */
export interface ListPosition {
  /** The id of the section; stable for as long as the section has the same meaning. */
  id: string;
  heading: Heading;
  /** Sorted in ascending order; ties by `createdAt`, newest first. */
  order: number | string;
  /** The job's project, as one text. */
  project: string;
}

export interface Section {
  id: string;
  heading: Heading;
  jobs: readonly TrackedJob[];
}

export interface Arrangement {
  sections: readonly Section[];
  /** The position of each visible job, by its key. */
  places: ReadonlyMap<string, ListPosition>;
}

export type TitleOf = (job: TrackedJob) => string;

/** What the list knows of a job besides its record. */
export interface JobFacts {
  summarize: (job: TrackedJob) => JobSummary;
  /** It belongs to no folder of this window, although other jobs do. */
  isOther: (job: TrackedJob) => boolean;
}

/** Returns the position of a job in the list with these options; undefined if the list does not contain it. */
export function getPosition(
  job: TrackedJob,
  options: ListOptions,
  titleOf: TitleOf,
  facts: JobFacts,
): ListPosition | undefined {
  return createPositioner(options, titleOf, facts)(job);
}

/** Returns a function that positions many jobs. */
function createPositioner(
  options: ListOptions,
  titleOf: TitleOf,
  facts: JobFacts,
): (job: TrackedJob) => ListPosition | undefined {
  const { removed, states, sortBy, hideMerged, otherProjects } = options;
  const asked = words(options.text);
  const belongs = removed ? isRemoved : isListed;
  const orders: Record<Sorting, (job: TrackedJob) => number | string> = {
    sent: () => 0,
    changed: ({ updatedAt }) => -updatedAt,
    title: titleOf,
  };
  const orderOf = orders[sortBy];
  return (job) => {
    if (!belongs(job)) {
      return undefined;
    }
    const { state, group } = facts.summarize(job);
    const isHidden = hideMerged && !removed && (state === 'merged' || state === 'closed');
    if (isHidden || (states.length > 0 && !states.includes(group)) || !holds(job, asked, titleOf)) {
      return undefined;
    }
    const heading = headingOf(job, group, options, !otherProjects && asked.length === 0 && facts.isOther(job));
    return { id: idOf(heading), heading, order: orderOf(job), project: `${job.home.service} ${job.home.projectId}` };
  };
}

/** Builds the list for these options: no empty sections, pinned jobs first, days in descending order. */
export function arrange(
  jobs: readonly TrackedJob[],
  options: ListOptions,
  titleOf: TitleOf,
  facts: JobFacts,
): Arrangement {
  const placeIn = createPositioner(options, titleOf, facts);
  const placed: { job: TrackedJob; place: ListPosition }[] = [];
  for (const job of jobs) {
    const place = placeIn(job);
    if (place !== undefined) {
      placed.push({ job, place });
    }
  }
  const names = once(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }));
  const before = (a: ListPosition, b: ListPosition): number =>
    typeof a.order === 'number' ? a.order - Number(b.order) : names().compare(a.order, String(b.order));
  placed.sort((a, b) => before(a.place, b.place) || b.job.createdAt - a.job.createdAt);
  const sections = [...Map.groupBy(placed, ({ place }) => place.id)].flatMap(([id, own]) => {
    const [first] = own;
    return first === undefined ? [] : [{ id, heading: first.place.heading, jobs: own.map(({ job }) => job) }];
  });
  return {
    sections: sections.sort((a, b) => rank(a.heading) - rank(b.heading)),
    places: new Map(placed.map(({ job, place }) => [job.key, place])),
  };
}

/** Returns true if the options hide some jobs. */
export function isFiltered({ text, states, hideMerged }: ListOptions): boolean {
  return words(text).length > 0 || states.length > 0 || hideMerged;
}

/** @param isOther the job belongs to another project, and no search has found it there */
function headingOf(job: TrackedJob, group: JobGroup, { removed, groupBy }: ListOptions, isOther: boolean): Heading {
  if (removed) {
    return { by: 'removed' };
  }
  if (job.pinned) {
    return { by: 'pinned' };
  }
  if (isOther && groupBy !== 'project') {
    return { by: 'others' };
  }
  switch (groupBy) {
    case 'state':
      return { by: 'state', state: group };
    case 'project':
      return { by: 'project', home: job.home, isOther };
    case 'day':
      return { by: 'day', day: new Date(job.createdAt).setHours(0, 0, 0, 0) };
  }
}

function idOf(heading: Heading): string {
  switch (heading.by) {
    case 'pinned':
    case 'removed':
    case 'others':
      return heading.by;
    case 'state':
      return `state:${heading.state}`;
    case 'project':
      return `project:${JSON.stringify([heading.home.service, heading.home.projectId])}`;
    case 'day':
      return `day:${heading.day}`;
  }
}

/** Project sections keep the order of their first jobs, after those of this window. */
function rank(heading: Heading): number {
  switch (heading.by) {
    case 'pinned':
      return -Infinity;
    case 'state':
      return JOB_GROUPS.indexOf(heading.state);
    case 'day':
      return -heading.day;
    case 'others':
      return Infinity;
    case 'project':
      return Number(heading.isOther);
    case 'removed':
      return 0;
  }
}

/** A prompt that was discarded before the service accepted it has no job that could be restored. */
export function isRemoved(job: TrackedJob): boolean {
  return job.untracked && pendingCreate(job)?.state !== 'discarded';
}

/** The search words, one pattern each. Patterns find a word in a long prompt without copying it. */
function words(text: string): RegExp[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => new RegExp(word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu'));
}

/**
 * Searches the long prompt last. It contains the name of a job that was not renamed, so that name need not be computed.
 */
function holds(job: TrackedJob, asked: readonly RegExp[], titleOf: TitleOf): boolean {
  if (asked.length === 0) {
    return true;
  }
  const { home, snapshot } = job;
  const prompt = firstPrompt(job);
  const name = prompt === undefined || job.title !== undefined ? titleOf(job) : '';
  const { projectName = '', projectId } = home;
  const { id = '', prLink, ref } = snapshot ?? {};
  const facts = `${name}\n${projectName}\n${projectId}\n${id}\n${prLink ?? ''}\n${ref ?? ''}`;
  return asked.every((word) => word.test(facts) || (prompt !== undefined && word.test(prompt)));
}
