import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { PullRequestDetails } from '../../client';
import { LOCAL_SERVICE } from '../../jobs/events';
import { type FollowUpObstacle, followUpObstacle, pendingState } from '../../jobs/jobStatus';
import type { Poller } from '../../jobs/poller';
import { type OutgoingPrompt, pendingCreate, type TrackedJob } from '../../jobs/trackedJob';
import type { CommentCounts } from '../platform/commentCounts';
import { lacksPullRequest } from '../../protocol/jobState';
import { numberText } from '../platform/numberText';
import { formatOf } from './format';
import type { Previews } from '../platform/previews';
import { pullRequestName } from '../platform/pullRequestLink';
import { openDetails, type PullRequestStates, workState } from '../platform/pullRequestStates';
import { toLabel, toText } from '../platform/sanitize';
import type { SeenVersions } from '../platform/seenVersions';
import { sendReasonText, uncheckedReason } from './errorText';
import { type ActionContext, type ActionName, getActions } from './jobActions';
import {
  endStateOf,
  getJobState,
  getPromptState,
  type JobGroup,
  type JobState,
  type Notice,
  type StateContext,
  STATES,
} from './jobStates';
import { asHeading, changesText, dateText, filesText, jobTitle, projectLabel, staleText } from './jobText';
import { failureText, noteText } from './serviceText';
import { type Look, type Severity, WARNING_COLOR } from './severity';
import { aroundFacts, aroundNotes, aroundTexts } from './surroundings';
import { followUpText, waitingLook } from './waiting';

/** What is known of a job besides its record. */
export interface JobContext extends ActionContext {
  /** Wall time in milliseconds. */
  now: number;
  /** What else is known of its open pull request. */
  details?: PullRequestDetails | undefined;
  /** How long its runs took in total, in milliseconds. */
  ranMs?: number | undefined;
}

/** Something to know about a job; one line. */
export interface Fact {
  label: string;
  text: string;
  /** What a click on the text does. */
  action?: ActionName | undefined;
  /** Part of what a page says at its top. */
  isOfState?: true;
}

export interface JobSummary {
  readonly state: JobState;
  readonly group: JobGroup;
}

/** A job as all views show it. Texts are in the display language, and not escaped for any sink. */
export interface JobView extends Look, JobSummary {
  readonly job: TrackedJob;
  readonly title: string;
  /** The state, for use within a line. */
  readonly label: string;
  /** What its follow-ups wait for. */
  readonly waiting: string | undefined;
  /** What asks a reviewer for attention. */
  readonly review: readonly string[];
  /** What others have done around it, and what is in no branch. */
  readonly around: readonly string[];
  /** “2 files +8 −1” */
  readonly changes: string | undefined;
  readonly files: string | undefined;
  /** How old the state is, if polling fails. */
  readonly stale: string | undefined;
  /** What to know about the state; a sentence each. */
  readonly notes: readonly string[];
  readonly facts: readonly Fact[];
  /** What can be done with it now. */
  readonly actions: readonly ActionName[];
  /** Why it takes no follow-up now. */
  readonly obstacle: FollowUpObstacle | undefined;
  /** What the user is told about the end of its run. */
  readonly notice: Notice | undefined;
}

/** The only description of a job: its row, page, notifications, chat tools and the status bar take from it. */
export function describeJob(job: TrackedJob, context: JobContext): JobView {
  const { health, now, details } = context;
  const state = getJobState(job, context);
  const row = STATES[state];
  const create = pendingCreate(job);
  const waiting = create && waitingLook(job, create, health);
  const group = getJobGroup(job, context);
  const isReady = row.severity === 'good';
  const changes = job.snapshot?.changes ?? details?.changes;
  return {
    ...pickLook(waiting ?? (isReady ? { ...row, ...pullRequestLook(job, details) } : row)),
    job,
    state,
    group,
    title: jobTitle(job),
    label: waiting?.label ?? row.label?.(job.snapshot, now) ?? toLabel(job.snapshot?.status ?? '', 40),
    waiting: followUpText(job, health),
    review: isReady ? reviewTexts(details) : [],
    around: aroundTexts(job),
    changes: changes && changesText(changes),
    files: changes && filesText(changes),
    stale: staleText(health, now),
    get notes() {
      return getNotes(job, context);
    },
    get facts() {
      return getFacts(this, context);
    },
    get actions() {
      return getActions(job, context);
    },
    obstacle: followUpObstacle(job),
    get notice() {
      return getNotice(job, row.notice);
    },
  };
}

/** What waits for the user comes first, then what is in progress, then what is over. */
export function getJobGroup(job: TrackedJob, context: StateContext): JobGroup {
  if (isHeldUp(job)) {
    return 'attention';
  }
  const { group } = STATES[getJobState(job, context)];
  if (pendingState(job) === 'waiting') {
    return 'running';
  }
  return group === 'ready' && job.snapshot?.prLink == null ? 'done' : group;
}

/** True while a follow-up can't proceed without the user. */
function isHeldUp(job: TrackedJob): boolean {
  const state = pendingState(job);
  return state === 'rejected' || state === 'unconfirmed' || state === 'held';
}

/** How a run ended, by what the service reported at that time. */
export function describeEnd(job: Pick<TrackedJob, 'location' | 'snapshot'>): { label: string; severity: Severity } {
  const { label, severity } = STATES[endStateOf(job)];
  return { label: label?.() ?? toLabel(job.snapshot?.status ?? '', 40), severity };
}

/** How a prompt is shown that was not accepted, or not yet. */
export function promptLook(job: TrackedJob, prompt: OutgoingPrompt): Look {
  return pickLook(waitingLook(job, prompt) ?? STATES[getPromptState(prompt)]);
}

function pickLook({ severity, icon, iconColor }: Look): Look {
  return { severity, icon, iconColor };
}

/** Work that ended early can be reviewed only if there is a pull request. */
function getNotice({ snapshot }: TrackedJob, notice: Notice | undefined): Notice | undefined {
  const isWithout = snapshot?.prLink == null || lacksPullRequest(snapshot);
  return notice?.digest === 'ready' && isWithout ? { ...notice, digest: 'without' } : notice;
}

/** The icon of a pull request that is new, or not simply ready. A failing check is a warning: the job did not fail. */
function pullRequestLook(job: TrackedJob, { isDraft, checks }: PullRequestDetails = {}): Partial<Look> {
  const color = checks === 'failing' ? WARNING_COLOR : job.unseen && isDraft !== true ? 'charts.green' : undefined;
  return { icon: isDraft === true ? 'git-pull-request-draft' : 'git-pull-request', iconColor: color };
}

/** What asks for attention on an open pull request, and how much was said about it. */
function reviewTexts({ isDraft, isReviewRequested, comments = 0, checks }: PullRequestDetails = {}): string[] {
  const texts = [
    isDraft === true ? vscode.l10n.t('draft') : '',
    checks === 'failing' ? vscode.l10n.t('checks failing') : '',
    isReviewRequested === true ? vscode.l10n.t('review requested') : '',
    comments === 0
      ? ''
      : comments === 1
        ? vscode.l10n.t('1 comment')
        : vscode.l10n.t('{0} comments', numberText(comments)),
  ];
  return texts.filter((text) => text !== '');
}

/** The length to which a service's own text is shown, in characters. */
export const MAX_NOTE = 2000;

function getNotes(job: TrackedJob, { health, now }: JobContext): string[] {
  const create = pendingCreate(job);
  const notes = [
    job.untracked ? vscode.l10n.t('This job was removed from the list and is no longer updated.') : undefined,
    toText(failureText(job.snapshot), MAX_NOTE),
    toText(noteText(job.snapshot), MAX_NOTE),
    create && sendReasonText(create),
    staleText(health, now),
    health?.failure && uncheckedReason(health.failure),
    followUpText(job, health),
  ];
  const said = notes.filter((note) => note !== undefined && note !== '').map((note) => asHeading(note ?? ''));
  return [...said, ...aroundNotes(job)];
}

/** Everything to know about a job, in display order. */
function getFacts({ job, label, stale, changes }: JobView, { pull, details, ranMs = 0 }: JobContext): Fact[] {
  const { location, snapshot, createdAt, endedAt } = job;
  const { tokens, cost } = snapshot?.usage ?? {};
  const format = formatOf(vscode.env.language);
  const checks = {
    passing: vscode.l10n.t('checks passing'),
    pending: vscode.l10n.t('checks running'),
    failing: '',
  }[details?.checks ?? 'failing'];
  const isOpen = pull === undefined || pull === 'open';
  const isOfState = true;
  const facts: (Omit<Fact, 'text'> & { text: string | null | undefined })[] = [
    { label: vscode.l10n.t('Status'), text: stale === undefined ? label : `${label}, ${stale}`, isOfState },
    { label: vscode.l10n.t('Reason'), text: failureText(snapshot), isOfState },
    { label: vscode.l10n.t('Details'), text: noteText(snapshot), isOfState },
    { label: vscode.l10n.t('Project'), text: projectLabel(job) },
    { label: vscode.l10n.t('Pull request'), text: pullRequestName(job), action: 'openPullRequest' },
    {
      label: vscode.l10n.t('Review'),
      text: isOpen ? [checks, ...reviewTexts(details)].filter((each) => each !== '').join(', ') : '',
    },
    ...aroundFacts(job),
    { label: vscode.l10n.t('Changes'), text: changes },
    { label: vscode.l10n.t('Branch'), text: snapshot?.review === 'merged' ? '' : snapshot?.ref },
    { label: vscode.l10n.t('Repository'), text: snapshot?.repository },
    {
      label: location.service === LOCAL_SERVICE ? vscode.l10n.t('Agent') : vscode.l10n.t('Model'),
      text: snapshot?.model,
    },
    { label: vscode.l10n.t('Service'), text: location.baseUrl },
    { label: vscode.l10n.t('Sent'), text: dateText(createdAt) },
    { label: vscode.l10n.t('Finished'), text: endedAt === undefined ? '' : dateText(endedAt) },
    { label: vscode.l10n.t('Duration'), text: ranMs > 0 ? format.duration(ranMs) : '' },
    { label: vscode.l10n.t('Tokens in context'), text: tokens === undefined ? '' : format.number(tokens) },
    { label: vscode.l10n.t('Cost'), text: cost && format.cost(cost.amount, cost.currency) },
    { label: vscode.l10n.t('Job ID'), text: snapshot?.id, action: 'copyJobId' },
  ];
  return facts.flatMap(({ text, ...fact }) =>
    text == null || text === '' ? [] : [{ ...fact, text: toLabel(text, 300) }],
  );
}

/** What is known of jobs besides their records, from wherever it is known. */
export interface JobSources {
  poller: Pick<Poller, 'health' | 'onDidChangeHealth'>;
  pulls: Pick<PullRequestStates, 'get' | 'details' | 'load' | 'onDidChange'>;
  previews: Pick<Previews, 'isOffered' | 'onDidChange'>;
  seen: Pick<SeenVersions, 'hasNew' | 'onDidChange'>;
  counts: Pick<CommentCounts, 'get' | 'onDidChange'>;
}

/** Describes jobs with all that is known of them. */
export class JobDescriber {
  constructor(private readonly sources: JobSources) {}

  describe(job: TrackedJob, more: Pick<JobContext, 'ranMs'> = {}): JobView {
    return describeJob(job, { ...this.contextOf(job), ...more });
  }

  contextOf(job: TrackedJob): JobContext {
    const { poller, pulls, previews, seen, counts } = this.sources;
    return {
      now: Date.now(),
      health: poller.health(job.key),
      pull: workState(job, pulls),
      details: openDetails(job, pulls),
      comments: counts.get(job.key),
      canPreview: previews.isOffered(job),
      hasNewChanges: seen.hasNew(job),
    };
  }

  /** Only the state and the group, for all jobs of a list. */
  summarize(job: TrackedJob): JobSummary {
    const context = { pull: workState(job, this.sources.pulls) };
    return { state: getJobState(job, context), group: getJobGroup(job, context) };
  }

  /** Resolves when the states of pull requests that were known before are known again. */
  async ready(): Promise<void> {
    await this.sources.pulls.load();
  }

  /** Calls back with the key of a job whose description may have changed though its record has not; without, for all. */
  onDidChange(listener: (key: string | undefined) => void): Disposable {
    const { poller, pulls, previews, seen, counts } = this.sources;
    const all = (): void => listener(undefined);
    const subscriptions = [
      poller.onDidChangeHealth(listener),
      pulls.onDidChange(all),
      previews.onDidChange(all),
      seen.onDidChange(listener),
      counts.onDidChange(listener),
    ];
    return {
      dispose: () => {
        for (const subscription of subscriptions) {
          subscription.dispose();
        }
      },
    };
  }
}
