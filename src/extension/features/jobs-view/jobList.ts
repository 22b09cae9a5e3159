import { once } from '../../../base/async';
import type { ServiceLocation } from '../../../jobs/events';
import { firstPromptText, isListed, pendingCreate, pendingPrompts, type TrackedJob } from '../../../jobs/trackedJob';
import type { JobSummary } from '../../presentation/describeJob';
import { JOB_GROUPS, type JobGroup } from '../../presentation/jobStates';
import { jobTitle } from '../../presentation/jobText';

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
  | { by: 'project'; location: ServiceLocation; isOther: boolean }
  /** `day` is midnight of that day in wall time. */
  | { by: 'day'; day: number };

export interface Section {
  /** Stable for as long as the section has the same meaning. */
  id: string;
  heading: Heading;
  jobs: readonly TrackedJob[];
}

export interface Arrangement {
  sections: readonly Section[];
  /** The ID of the section of each job in the list, by the job's key. */
  sectionOf: ReadonlyMap<string, string>;
  /** Outside of the section for other projects. */
  hasSeveralProjects: boolean;
}

/** What the list knows of a job besides its record. */
export interface JobFacts {
  summarize: (job: TrackedJob) => JobSummary;
  /** It belongs to no folder of this window, although other jobs do. */
  isOther: (job: TrackedJob) => boolean;
}

/** Builds the list for these options: no empty sections, pinned jobs first, days in descending order. */
export function arrange(jobs: readonly TrackedJob[], options: ListOptions, facts: JobFacts): Arrangement {
  const asked = words(options.text);
  const placed = jobs.flatMap((job) => {
    const heading = headingOf(job, options, asked, facts);
    return heading === undefined ? [] : [{ job, heading, order: orderOf(job, options.sortBy) }];
  });
  const names = once(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }));
  const before = (a: number | string, b: number | string): number =>
    typeof a === 'number' ? a - Number(b) : names().compare(a, String(b));
  // Ties by time, newest first.
  placed.sort((a, b) => before(a.order, b.order) || b.job.createdAt - a.job.createdAt);
  const sections = [...Map.groupBy(placed, ({ heading }) => idOf(heading))].flatMap(([id, own]) => {
    const [first] = own;
    return first === undefined ? [] : [{ id, heading: first.heading, jobs: own.map(({ job }) => job) }];
  });
  const listed = placed.filter(({ heading }) => heading.by !== 'others');
  return {
    sections: sections.sort((a, b) => rank(a.heading) - rank(b.heading)),
    sectionOf: new Map(placed.map(({ job, heading }) => [job.key, idOf(heading)])),
    hasSeveralProjects:
      new Set(listed.map(({ job: { location } }) => `${location.service} ${location.projectId}`)).size > 1,
  };
}

/** Sorted in ascending order. */
function orderOf(job: TrackedJob, sortBy: Sorting): number | string {
  switch (sortBy) {
    case 'sent':
      return 0;
    case 'changed':
      return -job.updatedAt;
    case 'title':
      return jobTitle(job);
  }
}

/** Returns true if the options hide some jobs. */
export function isFiltered({ text, states, hideMerged }: ListOptions): boolean {
  return words(text).length > 0 || states.length > 0 || hideMerged;
}

/** The heading under which the list has the job; undefined if it does not contain it. */
function headingOf(
  job: TrackedJob,
  { removed, states, hideMerged, groupBy, otherProjects }: ListOptions,
  asked: readonly RegExp[],
  { summarize, isOther }: JobFacts,
): Heading | undefined {
  if (!(removed ? isRemoved : isListed)(job)) {
    return undefined;
  }
  const { state, group } = summarize(job);
  const isHidden = hideMerged && !removed && (state === 'merged' || state === 'closed');
  if (isHidden || (states.length > 0 && !states.includes(group)) || !matches(job, asked)) {
    return undefined;
  }
  if (removed || job.pinned) {
    return { by: removed ? 'removed' : 'pinned' };
  }
  // A search finds jobs of all projects, and must not hide them in a collapsed section.
  // Nor may a prompt that only the user can send be hidden there.
  const isStuck = group === 'attention' && (pendingCreate(job) !== undefined || pendingPrompts(job).length > 0);
  const isApart = !otherProjects && asked.length === 0 && !isStuck && isOther(job);
  if (isApart && groupBy !== 'project') {
    return { by: 'others' };
  }
  switch (groupBy) {
    case 'state':
      return { by: 'state', state: group };
    case 'project':
      return { by: 'project', location: job.location, isOther: isApart };
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
      return `project:${JSON.stringify([heading.location.service, heading.location.projectId])}`;
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

/** Searches the prompt as well, which contains the name of a job that was not renamed. */
function matches(job: TrackedJob, asked: readonly RegExp[]): boolean {
  const { location, snapshot, title = '' } = job;
  const { id = '', prLink, ref } = snapshot ?? {};
  const facts = [
    title,
    location.projectName ?? '',
    location.projectId,
    id,
    prLink ?? '',
    ref ?? '',
    firstPromptText(job) ?? '',
  ];
  return asked.every((word) => facts.some((fact) => word.test(fact)));
}
