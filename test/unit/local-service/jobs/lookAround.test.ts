import assert from 'node:assert/strict';
import { chooseStart, nextBranch, type Seen } from '../../../../src/local-service/jobs/lookAround';

const JOB = {
  id: 'j1',
  branch: 'docs-agent/x',
  baseBranch: 'main',
  baseCommit: 'base',
  publishedCommit: 'work',
  pushedCommit: 'work',
  prLink: 'https://git.example/1',
  continues: null,
};
const SEEN: Seen = {
  tip: 'work',
  own: { state: 'unchanged', commit: 'work' },
  host: { state: 'unchanged', commit: 'work' },
  base: { branch: 'main', commit: 'base', hasWork: false },
  pullRequest: { url: JOB.prLink, state: 'open' },
  isCheckedOut: false,
  isBuiltUpon: false,
};
const MOVED = { branch: 'main', commit: 'newer', hasWork: false };

/** Where the next commit goes, what moves there, and what is merged then. */
function startOf(seen: Partial<Seen>, job: Partial<typeof JOB> | Record<string, unknown> = {}): string {
  const { branch, move, incoming } = chooseStart({ ...SEEN, ...seen }, { ...JOB, ...job });
  const moved = move === undefined ? 'tip' : move.from === move.onto ? move.onto : `${move.from} → ${move.onto}`;
  return [branch === JOB.branch ? moved : `${branch}: ${moved}`, ...incoming.map(({ commit }) => commit)].join(', ');
}

const REFUSED = { publishedCommit: 'work', pushedCommit: null, prLink: null };
const NO_HOST = { host: undefined, pullRequest: undefined };

/** What was seen, what is known of the job, and the start. */
const CASES: [string, Partial<Seen>, Record<string, unknown>, string][] = [
  ['nothing new', {}, {}, 'tip, work, work, base'],
  ['a reviewer’s commit', { host: { state: 'ahead', commit: 'theirs' } }, {}, 'tip, work, theirs, base'],
  ['a commit of the user', { own: { state: 'ahead', commit: 'own' } }, {}, 'tip, own, work, base'],
  ['a base that has moved', { base: MOVED }, {}, 'tip, work, work, newer'],
  [
    'a branch that was rewritten on the host',
    { host: { state: 'rewritten', commit: 'theirs' } },
    {},
    'work → theirs, theirs, base',
  ],
  [
    'the same with commits of the user',
    { host: { state: 'rewritten', commit: 'theirs' }, own: { state: 'ahead', commit: 'own' } },
    {},
    'tip, own, theirs, base',
  ],
  [
    'a merged pull request',
    { base: MOVED, pullRequest: { url: JOB.prLink, state: 'merged' } },
    {},
    'docs-agent/x-2: work → newer',
  ],
  [
    'pushed work in the base',
    { base: { ...MOVED, hasWork: true }, pullRequest: undefined },
    {},
    'docs-agent/x-2: work → newer',
  ],
  [
    'a merged pull request, but not into what',
    { base: undefined, pullRequest: { url: JOB.prLink, state: 'merged' } },
    {},
    'tip, work, work',
  ],
  [
    'a closed pull request',
    { host: { state: 'absent' }, pullRequest: { url: JOB.prLink, state: 'closed' } },
    {},
    'tip, work, base',
  ],
  [
    'work that the host refused',
    { host: { state: 'absent' }, base: MOVED, pullRequest: undefined },
    REFUSED,
    'base → newer, newer',
  ],
  [
    'the same, built upon by the user',
    { host: { state: 'absent' }, own: { state: 'ahead', commit: 'own' } },
    REFUSED,
    'tip, own, base',
  ],
  [
    'the same, built upon on another branch',
    { host: { state: 'absent' }, isBuiltUpon: true },
    REFUSED,
    'tip, work, base',
  ],
  ['the same, pushed by the user', { host: { state: 'ahead', commit: 'work' } }, REFUSED, 'work, work, base'],
  [
    'a later commit that the host refused',
    { tip: 'second', own: { state: 'unchanged', commit: 'second' }, base: MOVED },
    { publishedCommit: 'second' },
    'work, work, newer',
  ],
  ['a host that doesn’t answer', { host: { state: 'unknown' }, base: undefined }, REFUSED, 'tip, work'],
  ['no host', { ...NO_HOST, base: MOVED }, REFUSED, 'tip, work, newer'],
  [
    'no host and nothing committed',
    { ...NO_HOST, own: { state: 'absent' }, base: MOVED },
    { ...REFUSED, publishedCommit: null },
    'base → newer, newer',
  ],
  [
    'no host and a branch that the user has rewritten',
    { ...NO_HOST, own: { state: 'rewritten', commit: 'own' } },
    REFUSED,
    'work → own, own, base',
  ],
];

describe('where a follow-up’s work starts', () => {
  for (const [what, seen, job, start] of CASES) {
    it(`after ${what}`, () => {
      assert.equal(startOf(seen, job), start);
    });
  }

  it('on the next branch', () => {
    assert.deepEqual(['x', 'x-2', 'x-9', 'x-4f2a'].map(nextBranch), ['x-2', 'x-3', 'x-10', 'x-4f2a-2']);
  });
});
