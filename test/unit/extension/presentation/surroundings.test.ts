import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { pullRequestNumber } from '../../../../src/extension/platform/pullRequestLink';
import { openDetails, workState } from '../../../../src/extension/platform/pullRequestStates';
import {
  aroundNotes,
  aroundTexts,
  followUpNotes,
  resumesText,
} from '../../../../src/extension/presentation/surroundings';
import type { Snapshot } from '../../../../src/jobs/events';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import type { Surroundings } from '../../../../src/protocol/surroundings';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const URL_1 = 'https://git.example/acme/docs/pulls/1';
const GITHUB = 'https://github.com/acme/docs/pull/1';

function jobAmong(surroundings: Surroundings, more: Partial<Snapshot> = {}): TrackedJob {
  return trackedJob({ snapshot: snapshot('completed', { surroundings, ...more }), endedAt: 1 });
}

const moved = (newCommits: number, ...conflicts: string[]) => ({ base: { branch: 'main', newCommits, conflicts } });
const pullRequest = (state: 'open' | 'merged' | 'closed') => ({ pullRequest: { url: URL_1, state } });
const unsaved = (files: number) => ({ unsaved: { files, added: 3, deleted: 1 } });

/** What the row says, and what the follow-up box says. */
const CASES: [title: string, job: TrackedJob, row: string[], box: string[]][] = [
  ['nothing', jobAmong({}), [], []],
  ['an open pull request', jobAmong(pullRequest('open')), [], []],
  ['one commit', jobAmong(moved(1)), ['main has 1 new commit'], ['main has 1 new commit, which the agent gets.']],
  [
    'conflicts',
    jobAmong(moved(3, 'a.md', 'b.md')),
    ['2 conflicts with main'],
    ['2 conflicts with main, for the agent to resolve.'],
  ],
  [
    'a merged pull request',
    jobAmong({ pullRequest: { ...pullRequest('merged').pullRequest, base: 'main' } }),
    [],
    ['#1 was merged: this starts from main on a new branch.'],
  ],
  [
    'a merged pull request to an unknown base',
    jobAmong(pullRequest('merged')),
    [],
    ['#1 was merged: this starts from the base branch on a new branch.'],
  ],
  ['a closed pull request', jobAmong(pullRequest('closed')), [], ['#1 was closed without merging.']],
  [
    'work of a stopped run',
    jobAmong(unsaved(3), { status: 'failed', stopped: true }),
    ['not in a branch yet: 3 files'],
    ['Continues with 3 changed files of the stopped run.'],
  ],
  [
    'work of a failed run',
    jobAmong(unsaved(1), { status: 'failed' }),
    ['not in a branch yet: 1 file'],
    ['Continues with 1 changed file of the last run.'],
  ],
  ['a job that continues another one', jobAmong({ continues: URL_1 }), ['continues #1'], []],
];

describe('what others have done around a job', () => {
  for (const [title, job, row, box] of CASES) {
    it(`is said in the row and in the follow-up box: ${title}`, () =>
      deepStrictEqual([aroundTexts(job), followUpNotes(job)], [row, box]));
  }

  it('is said on the page with the files that conflict, and without changing the name of a branch', () => {
    const job = jobAmong({ ...moved(3, 'a.md', 'b.md'), ...unsaved(3) });
    deepStrictEqual(aroundNotes(job), ['Not in a branch yet: 3 files', '2 conflicts with main: a.md, b.md']);
  });

  it('names a pull request as its Git host does', () => {
    const names = {
      [GITHUB]: '#1',
      [`${GITHUB}/files`]: '#1',
      'https://ghe.example/acme/docs/pull/12': '#12',
      'https://gitlab.example/group/sub/docs/-/merge_requests/7': '!7',
      'https://gitea.example/acme/docs/pulls/3': '#3',
      'https://bitbucket.org/acme/docs/pull-requests/4': '#4',
      'https://git.example/projects/DOCS/repos/docs/pull-requests/5/overview': '#5',
      'https://dev.azure.com/acme/docs/_git/docs/pullrequest/6': '#6',
      'https://git.example/acme/docs': 'https://git.example/acme/docs',
    };
    deepStrictEqual(Object.fromEntries(Object.keys(names).map((link) => [link, pullRequestNumber(link)])), names);
  });

  it('says the day at which a run resumes unless it is today', () => {
    const now = new Date(2030, 0, 2, 20).getTime();
    const texts = [new Date(2030, 0, 2, 21), new Date(2030, 0, 3, 9)].map((at) => resumesText(at.toISOString(), now));
    deepStrictEqual(texts, ['resumes at 09:00 PM', 'resumes on Jan 3, 09:00 AM']);
  });
});

describe('the state of a pull request', () => {
  const pulls = { get: () => 'merged' as const, details: () => ({ isDraft: true as const }) };
  const hosted = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p' };
  const job = jobAmong({}, { prLink: GITHUB });

  it('comes from the service that knows it, for each Git host; GitHub is asked for other jobs only', () => {
    const known = jobAmong(pullRequest('closed'), { prLink: GITHUB });
    const states = [job, known, { ...known, location: hosted }, { ...job, location: hosted }];
    deepStrictEqual(
      states.map((each) => [workState(each, pulls), openDetails(each, pulls)?.isDraft]),
      [
        [undefined, undefined],
        ['closed', undefined],
        ['closed', undefined],
        ['merged', true],
      ],
    );
  });

  it('is unknown while a run lasts', () =>
    strictEqual(workState({ ...jobAmong(pullRequest('merged')), endedAt: undefined }, pulls), undefined));
});
