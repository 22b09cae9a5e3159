import * as vscode from 'vscode';
import type { ServiceAbility } from '../../../client';
import { followUpObstacle, isStopped, jobStatus, promptToRetry } from '../../../jobs/jobStatus';
import {
  firstSend,
  isListed,
  type OutgoingPrompt,
  pendingCreate,
  pendingSends,
  type TrackedJob,
} from '../../../jobs/trackedJob';
import { COMMANDS } from '../../ids';
import { waitingLook } from '../../presentation/waiting';
import type { Action, PageModel } from './model';
import { localDecision } from '../../platform/localWork';
import { localReview } from '../../platform/pullRequestLink';
import type { PullRequestState } from '../../platform/pullRequestStates';
import { builtInAbilities } from '../../platform/serviceAbilities';

/** Actions of the page itself, which are not commands. */
export const PAGE_ACTIONS = { copyPrompt: 'copyPrompt', more: 'more', fetchAndCheck: 'fetchAndCheck' } as const;

type Abilities = ReadonlySet<ServiceAbility>;

/** What the actions depend on, besides the record. */
interface KnownOfJob {
  canPreview?: boolean;
  /** What the job's service offers beyond the common API. */
  abilities?: Abilities;
  hasNewChanges?: boolean;
  pull?: PullRequestState | undefined;
}

/** The actions available for the job now: those shown on the page, and the others. */
export function pageActions(job: TrackedJob, known: KnownOfJob = {}): Pick<PageModel, 'actions' | 'moreActions'> {
  const { likely, others } = availableActions(job, known);
  const isFirst = ({ leadsTo }: Action): boolean => leadsTo === 'followUp';
  const followUp = { id: COMMANDS.sendFollowUp, label: vscode.l10n.t('Follow-up'), leadsTo: 'followUp' } as const;
  const first = likely.slice(0, 1);
  const shown = followUpObstacle(job) !== undefined || first.some(isFirst) ? first : [...first, followUp];
  const rest = [...likely.slice(1).filter((action) => !isFirst(action)), ...others];
  const ways = waysOutOfFailure(job, rest);
  const moreActions = rest.filter((action) => !ways.includes(action));
  const more = { id: PAGE_ACTIONS.more, label: vscode.l10n.t('More…') };
  return { actions: [...shown, ...ways, ...(moreActions.length === 0 ? [] : [more])], moreActions };
}

/** What can be done about a failed job besides sending something: find out why, or put it aside. */
function waysOutOfFailure(job: TrackedJob, actions: readonly Action[]): Action[] {
  const isFailed = isListed(job) && jobStatus(job) === 'failed' && !isStopped(job);
  const aside = actions.find(({ id }) => id === COMMANDS.archiveJob || id === COMMANDS.untrackJob);
  return isFailed ? actions.filter((action) => action.id === COMMANDS.showLog || action === aside) : [];
}

/**
 * The likely actions come first, the most likely as the first of them. It is primary unless the user can only wait.
 */
function availableActions(
  job: TrackedJob,
  { canPreview = false, hasNewChanges = false, abilities = builtInAbilities(job.home), pull }: KnownOfJob,
): { likely: Action[]; others: Action[] } {
  if (job.untracked) {
    const restore = { id: COMMANDS.restoreJob, label: vscode.l10n.t('Restore to List') };
    return { likely: primary([restore]), others: [...linkActions(job), ...copyActions(job)] };
  }
  if (!isListed(job)) {
    return { likely: [], others: [] };
  }
  const stuck = stuckActions(job);
  const newChanges: Action = { id: COMMANDS.reviewNewChanges, label: vscode.l10n.t('Show New Changes') };
  const preview: Action = { id: COMMANDS.openPreview, label: vscode.l10n.t('Open Preview') };
  const next = [...nextActions(job, abilities, pull), ...(canPreview ? [preview] : [])];
  const later = stuck.length === 0 ? next : next.map(({ id, label, leadsTo }) => ({ id, label, leadsTo }));
  return {
    likely: [...primary(stuck), ...later],
    others: [
      ...(hasNewChanges && job.snapshot?.ref != null && job.endedAt !== undefined ? [newChanges] : []),
      ...duplicateActions(job),
      ...copyActions(job),
      ...listActions(job),
    ],
  };
}

/** Marks the first action as primary. */
function primary([first, ...others]: readonly Action[]): Action[] {
  return first === undefined ? [] : [{ ...first, isPrimary: true }, ...others];
}

/** Actions that unblock a stuck prompt. One that the service rejected has to be changed first. */
function stuckActions(job: TrackedJob): Action[] {
  const create = pendingCreate(job);
  const sends = [...(create === undefined ? [] : [create]), ...pendingSends(job)];
  const stuck = sends.find((send) => send.state === 'rejected' || waitingLook(job, send)?.isStuck);
  if (stuck === undefined) {
    return [];
  }
  const all = sendActions(job, stuck);
  const changed = stuck.reason?.kind === 'rejected' ? all.filter(({ id }) => id === COMMANDS.editAndSend) : all;
  return changed.slice(0, 1).map((action) => ({ ...action, entry: stuck.id }));
}

/** The actions for a prompt that was not accepted. */
export function sendActions(job: TrackedJob, send: OutgoingPrompt): Action[] {
  const discard = { id: COMMANDS.discardPrompt, label: vscode.l10n.t('Discard') };
  switch (send.state) {
    case 'queued':
    case 'sending':
    case 'created':
    case 'discarded':
      return [];
    case 'waiting':
      return [
        waitingLook(job, send)?.action === COMMANDS.setApiKey
          ? { id: COMMANDS.setApiKey, label: vscode.l10n.t('Set API Key') }
          : { id: COMMANDS.sendNow, label: vscode.l10n.t('Send Now') },
        { id: COMMANDS.editAndSend, label: vscode.l10n.t('Edit and Send') },
        discard,
      ];
    default:
      return [
        { id: COMMANDS.sendNow, label: vscode.l10n.t('Resend') },
        { id: COMMANDS.editAndSend, label: vscode.l10n.t('Edit and Resend') },
        discard,
      ];
  }
}

function nextActions(job: TrackedJob, abilities: Abilities, pull: PullRequestState | undefined): Action[] {
  switch (jobStatus(job)) {
    case 'active':
      return [
        ...(abilities.has('cancel') ? [{ id: COMMANDS.cancelJob, label: vscode.l10n.t('Stop') }] : []),
        ...linkActions(job),
        { id: COMMANDS.refreshJobs, label: vscode.l10n.t('Refresh') },
      ];
    case 'completed':
      return localDecision(job, pull) === 'merged'
        ? mergedActions(job, abilities)
        : [...primary(resultActions(job)), ...decisionActions(job, pull), ...archiveActions(abilities)];
    case 'failed':
      return [
        ...primary([
          ...retryActions(job),
          { id: COMMANDS.sendFollowUp, label: vscode.l10n.t('Send Follow-up'), leadsTo: 'followUp' },
        ]),
        ...resultActions(job),
        { id: COMMANDS.showLog, label: vscode.l10n.t('Show Log') },
        ...archiveActions(abilities),
      ];
    case 'unconfirmed':
      return primary([{ id: COMMANDS.trackJob, label: vscode.l10n.t('Track Existing Job…') }]);
    case 'archived':
      return primary(resultActions(job));
    case 'unknown':
      return resultActions(job);
    default:
      return [];
  }
}

/** Nothing is left to decide about merged work, so a follow-up is the likely next step. */
function mergedActions(job: TrackedJob, abilities: Abilities): Action[] {
  const followUp = { id: COMMANDS.sendFollowUp, label: vscode.l10n.t('Follow-up'), leadsTo: 'followUp' } as const;
  const restore = { id: COMMANDS.restoreBranch, label: vscode.l10n.t('Restore Branch') };
  const results = resultActions(job).map((action) => (action.id === COMMANDS.checkoutPullRequest ? restore : action));
  const undo = { id: COMMANDS.undoMerge, label: vscode.l10n.t('Undo Merge') };
  return [...primary([followUp]), ...results, undo, ...archiveActions(abilities)];
}

/** What the user can decide about a local job's work. */
function decisionActions(job: TrackedJob, pull: PullRequestState | undefined): Action[] {
  const apply = { id: COMMANDS.applyChanges, label: vscode.l10n.t('Apply to My Files') };
  switch (localDecision(job, pull)) {
    case 'open':
      return [
        { id: COMMANDS.mergeJob, label: vscode.l10n.t('Merge…') },
        apply,
        { id: COMMANDS.closeJob, label: vscode.l10n.t('Close') },
      ];
    case 'closed':
      return [{ id: COMMANDS.reopenJob, label: vscode.l10n.t('Reopen') }, apply];
    default:
      return [];
  }
}

function retryActions(job: TrackedJob): Action[] {
  return promptToRetry(job) === undefined ? [] : [{ id: COMMANDS.retryJob, label: vscode.l10n.t('Try Again') }];
}

function duplicateActions(job: TrackedJob): Action[] {
  return firstSend(job) === undefined ? [] : [{ id: COMMANDS.duplicateJob, label: vscode.l10n.t('Duplicate') }];
}

function reviewActions({ snapshot }: TrackedJob): Action[] {
  const isOnGithub = snapshot?.prLink?.startsWith('https://github.com/') === true;
  return isOnGithub ? [{ id: COMMANDS.addressReviewComments, label: vscode.l10n.t('Address Review Comments') }] : [];
}

/** Links to the job's results. The changes of a local job without a remote are best seen in the editor. */
function resultActions(job: TrackedJob): Action[] {
  const [links, branch] = [linkActions(job), branchActions(job)];
  return localReview(job) === undefined
    ? [...links, ...reviewActions(job), ...branch]
    : [...branch.slice(0, 1), ...links, ...branch.slice(1)];
}

function linkActions(job: TrackedJob): Action[] {
  const { snapshot } = job;
  const label = localReview(job) === undefined ? vscode.l10n.t('Open Pull Request') : vscode.l10n.t('Open in Browser');
  return snapshot?.prLink == null
    ? []
    : [
        { id: COMMANDS.openPullRequest, label },
        ...(snapshot.prLink.startsWith('https://github.com/')
          ? [{ id: COMMANDS.openPullRequestInEditor, label: vscode.l10n.t('Open in Editor') }]
          : []),
      ];
}

/** The link to a page of the local service is of no use to anyone else. */
function copyActions(job: TrackedJob): Action[] {
  const link = { id: COMMANDS.copyPullRequestLink, label: vscode.l10n.t('Copy Link') };
  const id = { id: COMMANDS.copyJobId, label: vscode.l10n.t('Copy Job ID') };
  const hasLink = job.snapshot?.prLink != null && localReview(job) === undefined;
  return job.snapshot === undefined ? [] : hasLink ? [link, id] : [id];
}

function branchActions(job: TrackedJob): Action[] {
  return job.snapshot?.ref == null
    ? []
    : [
        { id: COMMANDS.reviewChanges, label: vscode.l10n.t('Review Changes') },
        { id: COMMANDS.checkoutPullRequest, label: vscode.l10n.t('Check Out Branch') },
      ];
}

function archiveActions(abilities: Abilities): Action[] {
  return abilities.has('archive') ? [{ id: COMMANDS.archiveJob, label: vscode.l10n.t('Archive') }] : [];
}

/** A job whose first prompt was not accepted can't be removed; its prompt is discarded instead. */
function listActions(job: TrackedJob): Action[] {
  const pin = { id: COMMANDS.togglePin, label: job.pinned ? vscode.l10n.t('Unpin Job') : vscode.l10n.t('Pin Job') };
  const rename = { id: COMMANDS.renameJob, label: vscode.l10n.t('Rename') };
  const remove = { id: COMMANDS.untrackJob, label: vscode.l10n.t('Remove from List') };
  return pendingCreate(job) === undefined ? [rename, pin, remove] : [rename, pin];
}
