import { once } from '../../../base/async';
import type { Home } from '../../../jobs/events';
import { type Grouping, groupOf, JOB_GROUPS, type JobGroup, type Sorting } from '../../../jobs/jobGroups';
import { firstPrompt, isListed, pendingCreate, type TrackedJob } from '../../../jobs/trackedJob';

/** How the user wants the list. */
export interface ListOptions {
  groupBy: Grouping;
  /** Newest prompt first, newest change first, or by name. */
  sortBy: Sorting;
  /** Shows jobs only that have each of these words in what is known of them; empty shows all. */
  text: string;
  /** Shows jobs of these states only; empty shows all. */
  states: readonly JobGroup[];
  /** Leaves out the jobs whose pull request is merged or closed. */
  hideMerged: boolean;
  /** Shows the jobs that were taken off the list, and no others. */
  removed: boolean;
}

export const WHOLE_LIST: ListOptions = {
  groupBy: 'state',
  sortBy: 'sent',
  text: '',
  states: [],
  hideMerged: false,
  removed: false,
};

/** What a group of the list is for. */
export type Heading =
  | { by: 'pinned' | 'removed' }
  | { by: 'state'; state: JobGroup }
  | { by: 'project'; home: Home }
  /** `day` is its midnight in wall time. */
  | { by: 'day'; day: number };

/** Where a job stands: a change of the job that leaves all of this as it is redraws its row and no other. */
export interface Place {
  /** Names the section; the same for as long as it means the same. */
  id: string;
  heading: Heading;
  /** The lower one stands first; equal ones by `createdAt`, newest first. */
  order: number | string;
}

export interface Section {
  id: string;
  heading: Heading;
  jobs: readonly TrackedJob[];
}

export interface Arrangement {
  sections: readonly Section[];
  /** Where each job that is shown stands, by its key. */
  places: ReadonlyMap<string, Place>;
}

export type TitleOf = (job: TrackedJob) => string;
/** Whether its pull request is merged or closed, as far as that is known. */
export type IsDone = (job: TrackedJob) => boolean;

const NOBODY_KNOWS: IsDone = () => false;

/** Where the job stands in the list that the options ask for; undefined when it has no place there. */
export function placeOf(
  job: TrackedJob,
  options: ListOptions,
  titleOf: TitleOf,
  isDone: IsDone = NOBODY_KNOWS,
): Place | undefined {
  return placing(options, titleOf, isDone)(job);
}

/** The same for many jobs. */
function placing(options: ListOptions, titleOf: TitleOf, isDone: IsDone): (job: TrackedJob) => Place | undefined {
  const { removed, states, sortBy, hideMerged } = options;
  const asked = words(options.text);
  const belongs = removed ? isRemoved : isListed;
  const orders: Record<Sorting, (job: TrackedJob) => number | string> = {
    sent: () => 0,
    changed: ({ updatedAt }) => -updatedAt,
    title: titleOf,
  };
  const orderOf = orders[sortBy];
  return (job) => {
    if (
      !belongs(job) ||
      (states.length > 0 && !states.includes(groupOf(job, isDone(job)))) ||
      !holds(job, asked, titleOf)
    ) {
      return undefined;
    }
    if (hideMerged && !removed && isDone(job)) {
      return undefined;
    }
    const heading = headingOf(job, options, isDone);
    return { id: idOf(heading), heading, order: orderOf(job) };
  };
}

/** The list that the options ask for: no section empty, pinned jobs first, days from the last one on. */
export function arrange(
  jobs: readonly TrackedJob[],
  options: ListOptions,
  titleOf: TitleOf,
  isDone: IsDone = NOBODY_KNOWS,
): Arrangement {
  const placeIn = placing(options, titleOf, isDone);
  const placed: { job: TrackedJob; place: Place }[] = [];
  for (const job of jobs) {
    const place = placeIn(job);
    if (place !== undefined) {
      placed.push({ job, place });
    }
  }
  const names = once(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }));
  const before = (a: Place, b: Place): number =>
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

/** True when the options hide some jobs. */
export function isFiltered({ text, states, hideMerged }: ListOptions): boolean {
  return words(text).length > 0 || states.length > 0 || hideMerged;
}

function headingOf(job: TrackedJob, { removed, groupBy }: ListOptions, isDone: IsDone): Heading {
  if (removed) {
    return { by: 'removed' };
  }
  if (job.pinned) {
    return { by: 'pinned' };
  }
  switch (groupBy) {
    case 'state':
      return { by: 'state', state: groupOf(job, isDone(job)) };
    case 'project':
      return { by: 'project', home: job.home };
    case 'day':
      return { by: 'day', day: new Date(job.createdAt).setHours(0, 0, 0, 0) };
  }
}

function idOf(heading: Heading): string {
  switch (heading.by) {
    case 'pinned':
    case 'removed':
      return heading.by;
    case 'state':
      return `state:${heading.state}`;
    case 'project':
      return `project:${JSON.stringify([heading.home.service, heading.home.projectId])}`;
    case 'day':
      return `day:${heading.day}`;
  }
}

/** Projects stand in the order of their first jobs, as they were sorted. */
function rank(heading: Heading): number {
  switch (heading.by) {
    case 'pinned':
      return -Infinity;
    case 'state':
      return JOB_GROUPS.indexOf(heading.state);
    case 'day':
      return -heading.day;
    default:
      return 0;
  }
}

/** A prompt that was given up before the service had it is not a job that could come back. */
export function isRemoved(job: TrackedJob): boolean {
  return job.untracked && pendingCreate(job)?.state !== 'discarded';
}

/** What is asked for, a pattern a word: to find it in a long prompt takes no copy of that. */
function words(text: string): RegExp[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => new RegExp(word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu'));
}

/** Looks into the long prompt last, which holds the name of a job that was not renamed: to make that takes longer. */
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
