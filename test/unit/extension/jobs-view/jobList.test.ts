import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import {
  arrange,
  isRemoved,
  type JobFacts,
  type ListOptions,
  SORTINGS,
  WHOLE_LIST,
} from '../../../../src/extension/features/jobs-view/jobList';
import { isListed, type TrackedJob } from '../../../../src/jobs/trackedJob';
import { jobDescriber } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const DAY = 86_400_000;

function job(key: string, change: Partial<TrackedJob> = {}): TrackedJob {
  const location = { service: 'local', projectId: 'handbook' };
  return trackedJob({ key, location, snapshot: snapshot('completed', { id: `id-${key}` }), ...change });
}

function status(word: string, prLink: string | null = null): Pick<TrackedJob, 'snapshot'> {
  return { snapshot: snapshot(word, { prLink }) };
}

const NO_FACTS: JobFacts = { summarize: (each) => jobDescriber().summarize(each), isOther: () => false };

const MERGED = { state: 'merged', group: 'done' } as const;

/** The job keys of each section, by section ID. */
function shape(
  jobs: readonly TrackedJob[],
  options: Partial<ListOptions> = {},
  facts: JobFacts = NO_FACTS,
): Record<string, string[]> {
  const { sections } = arrange(jobs, { ...WHOLE_LIST, ...options }, facts);
  return Object.fromEntries(sections.map(({ id, jobs: own }) => [id, own.map(({ key }) => key)]));
}

describe('job list', () => {
  it('groups by state, newest first, and omits empty groups', () => {
    const jobs = [job('a', { createdAt: 1 }), job('b', { createdAt: 2 }), job('c', status('failed'))];
    deepStrictEqual(shape(jobs), { 'state:attention': ['c'], 'state:done': ['b', 'a'] });
  });

  it('sorts by last change', () => {
    const jobs = [job('a', { updatedAt: 1 }), job('b', { updatedAt: 3 }), job('c', { updatedAt: 2 })];
    deepStrictEqual(shape(jobs, { sortBy: 'changed' }), { 'state:done': ['b', 'c', 'a'] });
  });

  it('filters by words in the title, project, link and branch', () => {
    const jobs = [
      job('a', { title: 'Explain the RETRY policy' }),
      job('b', status('completed', 'https://git.example.com/acme/app/pull/7')),
    ];
    deepStrictEqual(shape(jobs, { text: ' retry  policy ' }), { 'state:done': ['a'] });
    deepStrictEqual(shape(jobs, { text: 'acme pull/7' }), { 'state:ready': ['b'] });
    deepStrictEqual(shape(jobs, { text: 'nowhere' }), {});
    deepStrictEqual(shape(jobs, { text: '.* [a-z]' }), {});
  });

  it('puts merged, closed, archived and user-stopped jobs under done, and none of them under ready', () => {
    const ready = status('completed', 'https://github.com/acme/app/pull/7');
    const stopped = status('failed');
    const jobs = [
      job('a', ready),
      job('b', ready),
      job('c', status('archived', 'https://github.com/acme/app/pull/8')),
      job('d', { ...stopped, snapshot: { ...snapshot('failed'), stopped: true } }),
    ];
    const { sections } = arrange(jobs, WHOLE_LIST, {
      ...NO_FACTS,
      summarize: (each) => (each.key === 'b' ? MERGED : NO_FACTS.summarize(each)),
    });
    const shown = sections.map(({ id, jobs: own }) => [id, own.map(({ key }) => key).toSorted()]);
    deepStrictEqual(shown, [
      ['state:ready', ['a']],
      ['state:done', ['b', 'c', 'd']],
    ]);
  });

  describe('with jobs of other projects than those of the window', () => {
    const other = { location: { service: 'local', projectId: 'other' } };
    const jobs = [
      job('a', { ...status('active'), createdAt: 1 }),
      job('b', { ...other, ...status('active'), createdAt: 2 }),
      job('c', { ...other, ...status('failed'), createdAt: 3 }),
    ];
    const facts = { ...NO_FACTS, isOther: ({ location }: TrackedJob): boolean => location.projectId === 'other' };

    it('shows them in a separate section at the end', () => {
      deepStrictEqual(Object.entries(shape(jobs, {}, facts)), [
        ['state:running', ['a']],
        ['others', ['c', 'b']],
      ]);
    });

    it('never hides a prompt there that only the user can send', () => {
      const prompt = { id: 's', text: 'x', at: 0, attempt: 1, state: 'rejected' } as const;
      const unsent = job('u', { ...other, snapshot: undefined, prompts: [{ ...prompt, kind: 'create' }] });
      const followUp = job('f', { ...other, prompts: [{ ...prompt, kind: 'followUp' }] });
      deepStrictEqual(shape([unsent, followUp], {}, facts), { 'state:attention': ['u', 'f'] });
    });

    it('shows them among the others on request, in a search, and when they were removed', () => {
      const mixed = { 'state:attention': ['c'], 'state:running': ['b', 'a'] };
      deepStrictEqual(shape(jobs, { otherProjects: true }, facts), mixed);
      deepStrictEqual(shape(jobs, { text: 'o' }, facts), mixed);
      const gone = jobs.map((each) => ({ ...each, untracked: true }));
      deepStrictEqual(shape(gone, { removed: true }, facts), { removed: ['c', 'b', 'a'] });
    });
  });

  it('shows removed jobs separately', () => {
    const jobs = [job('a'), job('b', { untracked: true })];
    deepStrictEqual(shape(jobs), { 'state:done': ['a'] });
    deepStrictEqual(shape(jobs, { removed: true }), { removed: ['b'] });
  });

  const anyJob = fc
    .record({
      status: fc.constantFrom('active', 'completed', 'failed', 'archived', 'a later word'),
      link: fc.boolean(),
      untracked: fc.boolean(),
      createdAt: fc.integer({ min: 0, max: 40 * DAY }),
      title: fc.constantFrom('One', 'two', 'Three thirds', 'Ü'),
      project: fc.constantFrom('a', 'b'),
    })
    .map(({ status: word, link, project, ...rest }) => ({
      ...status(word, link ? 'https://h/pull/1' : null),
      location: { service: 'local', projectId: project },
      ...rest,
    }));
  const anyOptions: fc.Arbitrary<ListOptions> = fc.record({
    sortBy: fc.constantFrom(...SORTINGS),
    text: fc.constantFrom('', 't', 'three', 'b', '-', '(', '\\', 'a.b*c{2}|^$'),
    hideMerged: fc.boolean(),
    removed: fc.boolean(),
    otherProjects: fc.boolean(),
  });

  it('contains each matching job once, at its reported place, and no other job', () => {
    fc.assert(
      fc.property(fc.array(anyJob, { maxLength: 30 }), anyOptions, (changes, options) => {
        const jobs = changes.map((change, index) => job(`k${index}`, change));
        const isDone = ({ key }: TrackedJob): boolean => Number(key.slice(1)) % 3 === 0;
        const summarize = (each: TrackedJob) => (isDone(each) ? MERGED : NO_FACTS.summarize(each));
        const facts = { summarize, isOther: ({ location }: TrackedJob): boolean => location.projectId === 'b' };
        const { sections, sectionOf } = arrange(jobs, options, facts);
        const shown = sections.flatMap(({ id, jobs: own }) => own.map((each) => ({ id, key: each.key })));
        strictEqual(new Set(shown.map(({ key }) => key)).size, shown.length);
        for (const each of jobs) {
          const id = sectionOf.get(each.key);
          deepStrictEqual(shown.find(({ key }) => key === each.key)?.id, id);
          ok(id === undefined || (options.removed ? isRemoved(each) : isListed(each)));
          ok(id === undefined || options.removed || !options.hideMerged || !isDone(each));
        }
        ok(sections.every((section) => section.jobs.length > 0));
      }),
    );
  });
});
