import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { ServiceAbility } from '../../../client';
import type { JobHistory } from '../../../jobs/jobHistory';
import { type FollowUpObstacle, followUpObstacle } from '../../../jobs/jobStatus';
import type { PollHealth } from '../../../jobs/pollSchedule';
import type { RunTimeStats } from '../../../jobs/runs';
import { pendingCreate, type TrackedJob } from '../../../jobs/trackedJob';
import { COMMANDS } from '../../ids';
import { localDecision, type WorkEnd } from '../../platform/localWork';
import type { PullRequestState } from '../../platform/pullRequestStates';
import { pullRequestName } from '../../platform/pullRequestLink';
import { toLabel, toText } from '../../platform/sanitize';
import { sendReasonText, uncheckedReason } from '../../presentation/errorText';
import { asHeading, jobSeverity, statusText } from '../../presentation/jobState';
import { jobTitle, projectLabel, staleText, unusualText } from '../../presentation/jobText';
import { failureText, noteText } from '../../presentation/serviceText';
import { followUpText } from '../../presentation/waiting';
import { getFollowUpTexts } from '../../sending/followUps';
import type { Changes, Fact, FollowUpBox, PageModel, PageState, ResultCheck, Story } from './model';
import { formatOf } from './page/format';
import { pageActions } from './pageActions';
import { pageLabels } from './pageLabels';
import { pageTimeline } from './pageTimeline';

/** Everything a page is built from. */
export interface PageFacts extends StateFacts {
  history: JobHistory;
  story?: Story | undefined;
  changes?: Changes | undefined;
  check?: ResultCheck | undefined;
  /** The ids of the prompts whose own changes can be shown. */
  runs?: ReadonlySet<string>;
  /** When its work was merged or closed. */
  ends?: readonly WorkEnd[];
}

export function pageModel(facts: PageFacts): PageModel {
  const { job, history, story, changes, check } = facts;
  const actions = pageActions(job, facts);
  const all = [...actions.actions, ...actions.moreActions];
  const followUp = followUpBox(job, facts.pull);
  const reviewAll = all.find(({ id }) => id === COMMANDS.reviewChanges)?.id;
  const newChanges = all.find(({ id }) => id === COMMANDS.reviewNewChanges)?.id;
  return {
    language: vscode.env.language,
    words: pageLabels(),
    title: jobTitle(job),
    state: pageState(facts),
    facts: pageFacts(job, history),
    ...actions,
    timeline: pageTimeline(job, history, facts.runs, facts.ends),
    ...(story === undefined ? {} : { story: { ...story, newChanges } }),
    ...(changes === undefined ? {} : { changes: { ...changes, reviewAll } }),
    ...(check === undefined
      ? {}
      : { check: followUp.refused === undefined ? check : { ...check, request: undefined } }),
    followUp,
  };
}

/** The page of a job that has no record. */
export function missingModel(now: number): PageModel {
  const notes = [
    vscode.l10n.t('This machine or profile has no data for the job.'),
    vscode.l10n.t('If the service still has the job, “Track Existing Job” adds it again.'),
  ];
  return {
    language: vscode.env.language,
    words: pageLabels(),
    title: vscode.l10n.t('Job'),
    state: { text: vscode.l10n.t('This job is no longer in the list'), tone: 'plain', notes },
    facts: [],
    actions: [{ id: COMMANDS.trackJob, label: vscode.l10n.t('Track Existing Job…'), isPrimary: true }],
    moreActions: [],
    timeline: { from: now, to: now, spans: [], entries: [] },
    followUp: {
      refused: vscode.l10n.t('There’s no job to follow up on.'),
      placeholder: '',
      send: vscode.l10n.t('Send'),
    },
  };
}

function pageFacts(job: TrackedJob, { spans }: JobHistory): Fact[] {
  const { home, snapshot, createdAt } = job;
  const ran = spans.reduce((sum, { kind, from, to = from }) => sum + (kind === 'running' ? to - from : 0), 0);
  const isLocal = home.service === LOCAL_SERVICE;
  const { tokens, cost } = snapshot?.usage ?? {};
  const format = formatOf(vscode.env.language);
  const known: [string, string | null | undefined, string?][] = [
    [vscode.l10n.t('Pull request'), pullRequestName(job), COMMANDS.openPullRequest],
    [vscode.l10n.t('Branch'), snapshot?.ref],
    [vscode.l10n.t('Repository'), snapshot?.repository],
    [isLocal ? vscode.l10n.t('Agent') : vscode.l10n.t('Model'), snapshot?.model],
    [vscode.l10n.t('Service'), home.baseUrl],
    [
      vscode.l10n.t('Sent'),
      new Date(createdAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }),
    ],
    [vscode.l10n.t('Duration'), ran > 0 ? format.duration(ran) : undefined],
    [vscode.l10n.t('Tokens in context'), tokens === undefined ? undefined : format.number(tokens)],
    [vscode.l10n.t('Cost'), cost === undefined ? undefined : format.cost(cost.amount, cost.currency)],
    [vscode.l10n.t('Job ID'), snapshot?.id, COMMANDS.copyJobId],
  ];
  const project = { label: vscode.l10n.t('Project'), text: projectLabel({ home }) };
  const others = known
    .map(([label, text, action]) => ({ label, text: asFact(text ?? ''), ...(action === undefined ? {} : { action }) }))
    .filter(({ text }) => text !== '');
  return [project, ...others];
}

/** The effect of sending in the current state, or why it isn't possible. */
function followUpBox(job: TrackedJob, pull: PullRequestState | undefined): FollowUpBox {
  const obstacle = followUpObstacle(job);
  const { effect, send, sendLater } = getFollowUpTexts(job);
  const question =
    localDecision(job, pull) === 'merged'
      ? vscode.l10n.t('This job is merged. A follow-up makes new changes that you can review and merge.')
      : vscode.l10n.t('What should the agent change or add?');
  const placeholder = effect === '' ? question : effect;
  return obstacle === undefined
    ? { placeholder, send, ...(sendLater === undefined ? {} : { sendLater }) }
    : { refused: FOLLOW_UP_OBSTACLES[obstacle](), placeholder: '', send };
}

const FOLLOW_UP_OBSTACLES: Readonly<Record<FollowUpObstacle, () => string>> = {
  removed: () => vscode.l10n.t('This job was removed from the list. Restore it to send a follow-up.'),
  discarded: () => vscode.l10n.t('This prompt was discarded, so there’s no job to follow up on.'),
  notAccepted: () => vscode.l10n.t('You can send a follow-up once the service has accepted the first prompt.'),
};

/** Maximum length of a service's text that is shown as a note, in characters. */
const MAX_TOLD = 2000;

export interface StateFacts {
  job: TrackedJob;
  health: PollHealth | undefined;
  usual: RunTimeStats | undefined;
  /** State of its pull request, or of its work at the local service, if known. */
  pull?: PullRequestState | undefined;
  /** A preview of its branch is offered. */
  canPreview?: boolean;
  /** What its service offers beyond the common API. */
  abilities?: ReadonlySet<ServiceAbility>;
  /** The agent has worked on it since its changes were reviewed. */
  hasNewChanges?: boolean;
  now: number;
}

/** The job's status, and what the user should know about it. */
function pageState(facts: StateFacts): PageState {
  const { job } = facts;
  return {
    text: asHeading(statusText(job, facts.pull)),
    tone: jobSeverity(job, facts.health, facts.pull),
    notes: notes(facts),
  };
}

function notes({ job, health, usual, now }: StateFacts): string[] {
  const { snapshot } = job;
  const create = pendingCreate(job);
  const stale = staleText(health, now);
  const told = [
    job.untracked ? vscode.l10n.t('This job was removed from the list and is no longer updated.') : undefined,
    toText(failureText(snapshot), MAX_TOLD),
    toText(noteText(snapshot), MAX_TOLD),
    create === undefined ? undefined : sendReasonText(create),
    stale === undefined ? undefined : asHeading(stale),
    health?.failure === undefined ? undefined : uncheckedReason(health.failure),
    unusualText(job, usual, now),
    followUpText(job, health),
  ];
  return told.filter((note) => note !== undefined && note !== '').map((note) => asHeading(note ?? ''));
}

/** A service's text on one line. */
function asFact(text: string): string {
  return toLabel(text, 300);
}
