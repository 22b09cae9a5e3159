import { deepStrictEqual } from 'node:assert/strict';
import { WORDS } from '../../../../src/extension/features/chat-tools/toolResult';
import { toApiJob } from '../../../../src/extension/presentation/apiJob';
import { describeJob, type JobContext } from '../../../../src/extension/presentation/describeJob';
import { getDetail, getLabel, getPageActions, isAvailable } from '../../../../src/extension/presentation/jobActions';
import type { OutgoingPrompt, TrackedJob } from '../../../../src/jobs/trackedJob';
import type { Snapshot } from '../../../../src/jobs/events';
import { coded } from '../../../../src/protocol/codedText';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const HOSTED = { service: 'https://api.mintlify.com', baseUrl: 'https://api.mintlify.com', projectId: 'handbook' };
const GITHUB = { prLink: 'https://github.com/o/r/pull/1', ref: 'docs/x' };
const FORGE = { prLink: 'https://git.example/o/r/7', ref: 'docs/x' };
const REVIEW = { prLink: 'http://127.0.0.1:1/review/j', ref: 'docs/x' };
const NOTE = coded('pushedWithoutPullRequest', { branch: 'docs/x', host: 'git.example', why: 'No token.' });

function prompt(state: OutgoingPrompt['state'], more: Partial<OutgoingPrompt> = {}): OutgoingPrompt {
  return { id: 's', kind: 'create', text: 'Explain', at: 0, attempt: 1, state, ...more };
}

/** A job whose first prompt was not accepted. */
function unsent(state: OutgoingPrompt['state'], more: Partial<OutgoingPrompt> = {}): TrackedJob {
  return trackedJob({ prompts: [prompt(state, more)], location: HOSTED });
}

/** A job that the service has, in this status. */
function job(status: string, result: Partial<Snapshot> = {}, more: Partial<TrackedJob> = {}): TrackedJob {
  const ended = ['completed', 'failed', 'archived'].includes(status) ? { endedAt: 1 } : {};
  return trackedJob({ prompts: [prompt('created')], snapshot: snapshot(status, result), ...ended, ...more });
}

function hosted(status: string, result: Partial<Snapshot> = {}, more: Partial<TrackedJob> = {}): TrackedJob {
  return job(status, result, { location: HOSTED, ...more });
}

/** A follow-up that was not accepted, or not yet. */
function followUp(state: OutgoingPrompt['state'], more: Partial<OutgoingPrompt> = {}): Pick<TrackedJob, 'prompts'> {
  return { prompts: [prompt('created'), prompt(state, { id: 'f', kind: 'followUp', ...more })] };
}

/** Everything that is shown of a job, in a few lines. */
function shown(job: TrackedJob, more: Partial<JobContext>): string[] {
  const context = { now: 10, ...more };
  const view = describeJob(job, context);
  const { notice, actions } = view;
  const { buttons, further } = getPageActions(job, context);
  const { status, stopped = false, pending } = toApiJob(job);
  const labels = buttons.map(({ name, isPrimary }) => `${isPrimary ? '*' : ''}${getLabel(name, job)}`);
  const offers = notice?.offers.filter((name) => actions.includes(name)).slice(0, 2);
  return [
    `${view.group}, ${view.severity}, ${view.icon}: ${view.label}`,
    view.waiting ?? '',
    view.around.join(' · '),
    `${status}${stopped ? ' (stopped)' : ''}${pending === undefined ? '' : `, ${pending}`}: ${WORDS[view.state]}`,
    notice === undefined
      ? ''
      : `${notice.isWarning === true ? 'warns' : 'tells'} (${notice.digest}): ${notice.text('T', 'WHY', 'PLACE')} [${String(offers)}]`,
    `${labels.join(', ')} … ${further.join(' ')}`,
    view.obstacle === undefined ? '' : `no follow-up: ${view.obstacle}`,
  ].filter((line) => line !== '');
}

const TIME = new Date('2030-01-02T03:04:05Z').toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' });

type Case = [title: string, job: TrackedJob, context: Partial<JobContext>, shown: string[]];

const WAITS_FOR_END = { afterRun: true, waiting: { for: 'runEnd' } } as const;
const HELD = { afterRun: true, waiting: { for: 'runEnd', held: 'ended' } } as const;
const REFUSED = { reason: { kind: 'rejected' } } as const;

const CASES: Case[] = [
  [
    'a prompt being sent',
    unsent('sending'),
    {},
    [
      'running, waiting, cloud-upload: sending',
      'sending: The prompt has not reached the service yet. It will be sent automatically.',
      ' … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'a prompt that waits for the network',
    unsent('waiting', { waiting: { for: 'network' } }),
    {},
    [
      'running, waiting, debug-disconnect: waiting for network',
      'waiting: The prompt has not reached the service yet. It will be sent automatically.',
      '*Send Now … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'a prompt that waits for a key',
    unsent('waiting', { waiting: { for: 'apiKey', isMissing: true } }),
    {},
    [
      'attention, warning, key: API key required',
      'rejected: The service rejected the prompt. It is saved in the Jobs view for the user.',
      '*Set API Key … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'a rejected prompt',
    unsent('rejected', REFUSED),
    {},
    [
      'attention, bad, circle-slash: rejected',
      'rejected: The service rejected the prompt. It is saved in the Jobs view for the user.',
      '*Edit and Send… … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'a prompt for a project that the service does not have',
    unsent('rejected', { reason: { kind: 'notFound' } }),
    {},
    [
      'attention, bad, circle-slash: rejected',
      'rejected: The service rejected the prompt. It is saved in the Jobs view for the user.',
      '*Change Project… … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'a prompt for a project that the service denies',
    unsent('rejected', { reason: { kind: 'forbidden', status: 403 } }),
    {},
    [
      'attention, bad, circle-slash: rejected',
      'rejected: The service rejected the prompt. It is saved in the Jobs view for the user.',
      '*Set API Key … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'an unconfirmed prompt',
    unsent('unconfirmed'),
    {},
    [
      'attention, warning, question: not confirmed',
      'unconfirmed: The service did not respond, so it may have accepted the prompt.',
      '*Track Existing Job… … duplicateJob renameJob',
      'no follow-up: notAccepted',
    ],
  ],
  [
    'a discarded prompt',
    unsent('discarded'),
    {},
    [
      'done, plain, cloud-upload: replaced or discarded',
      'waiting: The user discarded the prompt before it was sent.',
      ' … ',
      'no follow-up: discarded',
    ],
  ],
  [
    'a running local job',
    job('active'),
    {},
    [
      'running, running, sync~spin: in progress',
      'active: The agent is working on it.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a running hosted job with a pull request',
    hosted('active', GITHUB),
    {},
    [
      'running, running, sync~spin: in progress',
      'active: The agent is working on it.',
      'Open Pull Request … openPullRequestInEditor addressReviewComments refreshJobs duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a running job that can’t be checked',
    job('active'),
    { health: { failure: 'unreachable' } },
    [
      'running, warning, cloud: in progress',
      'active: The agent is working on it.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a run that a usage limit has put on hold',
    job('active', { surroundings: { resumesAt: '2030-01-02T03:04:05Z' } }),
    { now: Date.parse('2030-01-02T03:00:00Z') },
    [
      `running, waiting, watch: resumes at ${TIME}`,
      'active: The agent has reached its usage limit. The run resumes automatically when the limit is reset.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a run that waits for those of other jobs',
    job('active', { surroundings: { queued: true } }),
    {},
    [
      'running, waiting, clock: queued',
      'active: It waits until a run of another job ends, because the service runs only a few at once.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a run whose agent has answered, but whose tools still work',
    job('active', { surroundings: { finishing: true } }),
    {},
    [
      'running, running, sync~spin: finishing',
      'active: The agent has answered, but its tools are still working.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a run whose agent does nothing',
    job('active', { surroundings: { idle: true } }),
    {},
    [
      'running, warning, warning: idle',
      'active: The agent has done nothing for two minutes. If it is stuck, send a follow-up, which interrupts the run.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a pull request whose base has moved',
    job('completed', { ...FORGE, surroundings: { base: { branch: 'main', newCommits: 3, conflicts: ['a.md'] } } }),
    {},
    [
      'ready, good, git-pull-request: pull request ready',
      '1 conflict with main',
      'completed: It finished with a pull request.',
      'tells (ready): Pull request ready on PLACE: T [openPullRequest,sendFollowUp]',
      '*Open Pull Request, Ask the Agent to Resolve…, Review Changes … checkoutPullRequest archiveJob duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a stopped run with work that is in no branch',
    job('failed', { stopped: true, surroundings: { unsaved: { files: 3, added: 8, deleted: 1 } } }),
    {},
    [
      'done, plain, stop-circle: stopped',
      'not in a branch yet: 3 files',
      'failed (stopped): The user stopped it.',
      'tells (stopped): Job stopped: T [showJob,retryJob]',
      '*Try Again, Keep as a Branch, Discard Changes… … archiveJob showLog duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a pull request on GitHub',
    hosted('completed', GITHUB),
    { pull: 'open', canPreview: true, hasNewChanges: true },
    [
      'ready, good, git-pull-request: pull request ready',
      'completed: It finished with a pull request.',
      'tells (ready): Pull request ready on PLACE: T [openPullRequest,sendFollowUp]',
      '*Open Pull Request, Review Changes … openPullRequestInEditor addressReviewComments checkoutPullRequest openPreview reviewNewChanges duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a draft with failing checks',
    hosted('completed', GITHUB),
    { details: { isDraft: true, checks: 'failing' } },
    [
      'ready, good, git-pull-request-draft: pull request ready',
      'completed: It finished with a pull request.',
      'tells (ready): Pull request ready on PLACE: T [openPullRequest,sendFollowUp]',
      '*Open Pull Request, Review Changes … openPullRequestInEditor addressReviewComments checkoutPullRequest duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a pull request elsewhere, with a note',
    job('completed', { ...FORGE, note: 'A file was left out.' }),
    {},
    [
      'ready, good, git-pull-request: pull request ready',
      'completed: It finished with a pull request.',
      'tells (ready): Pull request ready on PLACE: T [openPullRequest,sendFollowUp]',
      '*Open Pull Request, Review Changes … checkoutPullRequest archiveJob duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a merged pull request',
    hosted('completed', GITHUB),
    { pull: 'merged' },
    [
      'done, plain, git-merge: merged',
      'completed: Its work was merged.',
      '*Open Pull Request, Review Changes … openPullRequestInEditor addressReviewComments checkoutPullRequest duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a closed pull request',
    hosted('completed', GITHUB),
    { pull: 'closed' },
    [
      'done, plain, git-pull-request-closed: closed',
      'completed: Its work was closed without merging.',
      '*Open Pull Request, Review Changes … openPullRequestInEditor addressReviewComments checkoutPullRequest duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'local work',
    job('completed', REVIEW),
    { comments: 1 },
    [
      'ready, good, git-pull-request: changes ready',
      'completed: It finished with changes to review.',
      'tells (ready): Changes ready to review in PLACE: T [reviewChanges,sendFollowUp]',
      '*Review Changes, Merge… … openInBrowser checkoutPullRequest applyChanges closeJob archiveJob duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'merged local work',
    job('completed', { ...REVIEW, review: 'merged', surroundings: { mergedInto: 'main' } }),
    { pull: 'merged' },
    [
      'done, plain, git-merge: merged into main',
      'completed: Its work was merged.',
      '*Review Changes, Undo Merge … openInBrowser archiveJob duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'closed local work',
    job('completed', REVIEW),
    { pull: 'closed' },
    [
      'done, plain, git-pull-request-closed: closed',
      'completed: Its work was closed without merging.',
      '*Review Changes, Reopen … openInBrowser checkoutPullRequest applyChanges archiveJob duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a branch without a pull request',
    job('completed', { ...FORGE, coded: { note: NOTE } }),
    {},
    [
      'ready, warning, git-pull-request: pushed',
      'completed: It pushed a branch, but could not open a pull request.',
      'warns (without): Branch pushed, no pull request: T (WHY) [openPullRequest,signInToGitHost]',
      '*Open Page, Review Changes … signInToGitHost checkoutPullRequest archiveJob duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'work that ended early',
    job('completed', { ...FORGE, endedEarly: true }),
    {},
    [
      'ready, warning, warning: partial',
      'completed: It ended early, before its work was done.',
      'warns (ready): Ended early: T (WHY) [showJob,sendFollowUp]',
      '*Open Pull Request, Review Changes … checkoutPullRequest archiveJob duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'work that ended early without a pull request',
    job('completed', { endedEarly: true }),
    {},
    [
      'done, warning, warning: partial',
      'completed: It ended early, before its work was done.',
      'warns (without): Ended early: T (WHY) [showJob,sendFollowUp]',
      'Archive … duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a job without a result',
    job('completed'),
    {},
    [
      'done, plain, pass: finished, no pull request',
      'completed: It finished without a pull request.',
      'tells (without): Finished without a pull request: T [showJob,sendFollowUp]',
      'Archive … duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a failed local job',
    job('failed'),
    {},
    [
      'attention, bad, error: failed',
      'failed: It failed.',
      'warns (failed): Job failed: T (WHY) [showJob,retryJob]',
      '*Try Again, Show Log, Archive … duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a failed local job that has opened a pull request',
    job('failed', FORGE),
    {},
    [
      'attention, bad, error: failed',
      'failed: It failed.',
      'warns (failed): Job failed: T (WHY) [showJob,retryJob]',
      '*Try Again, Open Pull Request, Show Log … reviewChanges checkoutPullRequest archiveJob duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a stopped local job that has opened a pull request',
    job('failed', { ...FORGE, stopped: true }),
    {},
    [
      'done, plain, stop-circle: stopped',
      'failed (stopped): The user stopped it.',
      'tells (stopped): Job stopped: T [showJob,retryJob]',
      '*Try Again, Open Pull Request, Review Changes … checkoutPullRequest archiveJob showLog duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a failed hosted job',
    hosted('failed'),
    {},
    [
      'attention, bad, error: failed',
      'failed: It failed.',
      'warns (failed): Job failed: T (WHY) [showJob,retryJob]',
      '*Try Again, Show Log, Remove from List … duplicateJob copyJobId renameJob',
    ],
  ],
  [
    'a stopped job',
    job('failed', { stopped: true }),
    {},
    [
      'done, plain, stop-circle: stopped',
      'failed (stopped): The user stopped it.',
      'tells (stopped): Job stopped: T [showJob,retryJob]',
      '*Try Again … archiveJob showLog duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'an archived job',
    job('archived', REVIEW),
    {},
    [
      'done, plain, archive: archived',
      'archived: It was archived.',
      'tells (archived): Job archived: T [showJob,sendFollowUp]',
      '*Review Changes, Unarchive … openInBrowser checkoutPullRequest duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'an archived job whose branch a merge has deleted',
    job('archived', REVIEW),
    { pull: 'merged' },
    [
      'done, plain, archive: archived',
      'archived: It was archived.',
      'tells (archived): Job archived: T [showJob,sendFollowUp]',
      '*Review Changes, Unarchive … openInBrowser duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a status that is unknown here',
    hosted('hibernating', GITHUB),
    {},
    [
      'running, plain, circle-outline: hibernating',
      'unknown: The service returned a status that is unknown here.',
      '*Open Pull Request, Review Changes … openPullRequestInEditor addressReviewComments checkoutPullRequest duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a removed job',
    job('completed', REVIEW, { untracked: true }),
    {},
    [
      'ready, good, git-pull-request: changes ready',
      'completed: It finished with changes to review.',
      'tells (ready): Changes ready to review in PLACE: T [reviewChanges]',
      '*Restore to List, Review Changes … openInBrowser checkoutPullRequest duplicateJob copyJobId',
      'no follow-up: removed',
    ],
  ],
  [
    'a follow-up being sent',
    job('completed', REVIEW, followUp('sending')),
    {},
    [
      'ready, good, git-pull-request: changes ready',
      'follow-up: sending',
      'completed, sending: It finished with changes to review.',
      'tells (ready): Changes ready to review in PLACE: T [reviewChanges,sendFollowUp]',
      '*Review Changes, Merge… … openInBrowser checkoutPullRequest applyChanges closeJob archiveJob duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a follow-up that waits for the end of the run',
    job('active', {}, followUp('waiting', WAITS_FOR_END)),
    {},
    [
      'running, running, sync~spin: in progress',
      'follow-up: queued until this run finishes',
      'active, waiting: The agent is working on it.',
      'Stop … refreshJobs duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a follow-up on hold after a failure',
    job('failed', {}, followUp('waiting', HELD)),
    {},
    [
      'attention, bad, error: failed',
      'follow-up: on hold: the run failed',
      'failed, held: It failed.',
      'warns (failed): Job failed: T (WHY) [showJob,retryJob]',
      '*Try Again, Show Log, Archive … duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a follow-up on hold after a stop',
    job('failed', { stopped: true }, followUp('waiting', HELD)),
    {},
    [
      'attention, plain, stop-circle: stopped',
      'follow-up: on hold: the run was stopped',
      'failed (stopped), held: The user stopped it.',
      'tells (stopped): Job stopped: T [showJob,retryJob]',
      '*Try Again … archiveJob showLog duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a follow-up on hold in an archived job',
    job('archived', {}, followUp('waiting', HELD)),
    {},
    [
      'attention, plain, archive: archived',
      'follow-up: on hold: the job is archived',
      'archived, held: It was archived.',
      'tells (archived): Job archived: T [showJob,sendFollowUp]',
      'Unarchive … duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a rejected follow-up to merged work',
    job('completed', REVIEW, followUp('rejected', REFUSED)),
    { pull: 'merged' },
    [
      'attention, plain, git-merge: merged',
      'follow-up: rejected',
      'completed, rejected: Its work was merged.',
      '*Edit and Send…, Undo Merge, Review Changes … openInBrowser archiveJob duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
  [
    'an unconfirmed follow-up',
    job('completed', FORGE, followUp('unconfirmed')),
    {},
    [
      'attention, good, git-pull-request: pull request ready',
      'follow-up: not confirmed',
      'completed, unconfirmed: It finished with a pull request.',
      'tells (ready): Pull request ready on PLACE: T [openPullRequest,sendFollowUp]',
      '*Open Pull Request, Review Changes … checkoutPullRequest archiveJob duplicateJob copyPullRequestLink copyJobId renameJob untrackJob',
    ],
  ],
  [
    'a follow-up to merged work that waits for a connection',
    job('completed', REVIEW, followUp('waiting', { waiting: { for: 'network' } })),
    { pull: 'merged' },
    [
      'running, plain, git-merge: merged',
      'follow-up: waiting for local service',
      'completed, waiting: Its work was merged.',
      '*Send Now, Undo Merge, Review Changes … openInBrowser archiveJob duplicateJob copyJobId renameJob untrackJob',
    ],
  ],
];

describe('a job is described', () => {
  for (const [title, each, context, expected] of CASES) {
    it(`as ${title}`, () => deepStrictEqual(shown(each, context), expected));
  }
});

it('says where merged local work is, and lists no branch that the merge has deleted', () => {
  const shownOf = (result: Partial<Snapshot>, pull: 'open' | 'merged') => {
    const { notes, facts } = describeJob(job('completed', { ...REVIEW, ...result }), { now: 10, pull });
    return [notes, facts.find(({ label }) => label === 'Branch')?.text];
  };
  const surroundings = { mergedInto: 'main' };
  deepStrictEqual(shownOf({ review: 'merged', surroundings }, 'merged'), [
    [
      'The merge is only on this machine until you publish main, with Publish Branch or Sync Changes in Source Control.',
    ],
    undefined,
  ]);
  deepStrictEqual(shownOf({ surroundings }, 'open'), [[], 'docs/x']);
});

describe('what can be done with a job', () => {
  it('leaves out a decision that was made on the Git host, and copies of what the service doesn’t have', () => {
    const details = (['open', 'closed'] as const).map((pull) =>
      getDetail('openPullRequest', hosted('completed'), { pull }),
    );
    deepStrictEqual(details, ['Accept (merge) or discard (close) the changes there', '']);
    const [saved, sent] = [unsent('rejected'), hosted('completed')].map((each) => isAvailable('copyAs', each, {}));
    deepStrictEqual([saved, sent], [false, true]);
  });
});
