import { firstPromptText, isListed, pendingCreate, pendingPrompts, type TrackedJob } from '../../../jobs/trackedJob';
import type { JobSummary } from '../../presentation/describeJob';
import { JOB_GROUPS, type JobGroup } from '../../presentation/jobStates';

export const SORTINGS = ['sent', 'changed'] as const;

export type Sorting = (typeof SORTINGS)[number];

/** Order and filter of the list, as chosen by the user. */
export interface ListOptions {
  /** By newest prompt, or by newest change. */
  sortBy: Sorting;
  /** Shows only jobs whose known facts contain each of these words; empty shows all. */
  text: string;
  /** Hides jobs whose pull request is merged or closed. */
  hideMerged: boolean;
  /** Shows only the jobs that were removed from the list. */
  removed: boolean;
  /** Shows the jobs of other projects among those of this window's folders, and not below them. */
  otherProjects: boolean;
}

export const WHOLE_LIST: ListOptions = {
  sortBy: 'sent',
  text: '',
  hideMerged: false,
  removed: false,
  otherProjects: false,
};

/** The options that hide no job: an empty filter, and not only the removed jobs. */
export const SHOW_ALL = { text: '', hideMerged: false, removed: false } satisfies Partial<ListOptions>;

/** What a section of the list contains. */
export type Heading = { by: 'removed' | 'others' } | { by: 'state'; state: JobGroup };

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

/** Builds the list for these options: no empty sections. */
export function arrange(jobs: readonly TrackedJob[], options: ListOptions, facts: JobFacts): Arrangement {
  const asked = words(options.text);
  const placed = jobs.flatMap((job) => {
    const heading = headingOf(job, options, asked, facts);
    return heading === undefined ? [] : [{ job, heading }];
  });
  const timeOf = ({ createdAt, updatedAt }: TrackedJob): number => (options.sortBy === 'sent' ? createdAt : updatedAt);
  placed.sort((a, b) => timeOf(b.job) - timeOf(a.job) || b.job.createdAt - a.job.createdAt);
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

/** Returns true if the options hide some jobs. */
export function isFiltered({ text, hideMerged }: ListOptions): boolean {
  return words(text).length > 0 || hideMerged;
}

/** The heading under which the list has the job; undefined if it does not contain it. */
function headingOf(
  job: TrackedJob,
  { removed, hideMerged, otherProjects }: ListOptions,
  asked: readonly RegExp[],
  { summarize, isOther }: JobFacts,
): Heading | undefined {
  if (!(removed ? isRemoved : isListed)(job)) {
    return undefined;
  }
  const { state, group } = summarize(job);
  const isHidden = hideMerged && !removed && (state === 'merged' || state === 'closed');
  if (isHidden || !matches(job, asked)) {
    return undefined;
  }
  if (removed) {
    return { by: 'removed' };
  }
  // A search finds jobs of all projects, and must not hide them in a collapsed section.
  // Nor may a prompt that only the user can send be hidden there.
  const isStuck = group === 'attention' && (pendingCreate(job) !== undefined || pendingPrompts(job).length > 0);
  const isApart = !otherProjects && asked.length === 0 && !isStuck && isOther(job);
  return isApart ? { by: 'others' } : { by: 'state', state: group };
}

function idOf(heading: Heading): string {
  return heading.by === 'state' ? `state:${heading.state}` : heading.by;
}

function rank(heading: Heading): number {
  return heading.by === 'state' ? JOB_GROUPS.indexOf(heading.state) : Infinity;
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
