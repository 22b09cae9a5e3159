import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import { followUpObstacle, jobStatus, promptToRetry } from '../../jobs/jobStatus';
import {
  firstPrompt,
  hasFollowUp,
  isListed,
  mayNeedProject,
  type OutgoingPrompt,
  pendingCreate,
  pendingPrompts,
  type TrackedJob,
} from '../../jobs/trackedJob';
import { isTerminal } from '../../protocol/status';
import type { PullRequestState } from '../../protocol/surroundings';
import { type CommandId } from '../ids';
import { DEFAULT_ORIGIN } from '../platform/apiKeys';
import { githubPullRequest, localReview } from '../platform/pullRequestLink';
import { lacksPullRequest } from '../../protocol/jobState';
import { getJobState, type StateContext, STATES } from './jobStates';
import { baseName, baseText, hasConflicts } from './surroundings';
import { waitingLook } from './waiting';

/** What decides about the actions of a job besides its record. */
export interface ActionContext extends StateContext {
  /** The number of unsent comments on its changes. */
  comments?: number;
  /** A preview of its branch is offered. */
  canPreview?: boolean;
  /** The agent has worked on it since its changes were reviewed. */
  hasNewChanges?: boolean;
}

interface ActionRow {
  /** The command, if it has another name. */
  command?: CommandId;
  /** The command's argument, if that isn't the job. */
  argument?: object;
  /** Absent if only menus offer it. */
  label?: (job: TrackedJob) => string;
  /** Explains it in one line, where the user picks one. */
  detail?: (job: TrackedJob, context: ActionContext) => string;
  fits: (job: TrackedJob, context: ActionContext) => boolean;
  /** Also for a job that was removed from the list. */
  isForRemoved?: true;
  /** Where the job's page offers it, besides the states that put it first. */
  onPage?: 'likely' | 'further';
  /** Never the action that the page emphasizes. */
  isQuiet?: true;
  /** How the user is asked which job is meant, and told why there is no job to choose. */
  question?: () => readonly [title: string, none: string];
  /** Asks although only one job fits, because the command changes something at once; not for the job that is open. */
  asksAlways?: true;
}

const isLocal = ({ location }: TrackedJob): boolean => location.service === LOCAL_SERVICE;
const hasId = ({ snapshot }: TrackedJob): boolean => snapshot !== undefined;
const hasLink = ({ snapshot }: TrackedJob): boolean => snapshot?.prLink != null;
const isOnHost = (job: TrackedJob): boolean => hasLink(job) && localReview(job) === undefined;
const isOnGithub = ({ snapshot }: TrackedJob): boolean => githubPullRequest(snapshot?.prLink) !== undefined;
const hasBranch = (job: TrackedJob): boolean => job.snapshot?.ref != null && jobStatus(job) !== 'active';
/** False after a merge here, which deletes the branch: **Undo Merge** restores it. */
const keepsBranch = (job: TrackedJob, { pull }: ActionContext): boolean =>
  hasBranch(job) && (localReview(job) === undefined || pull !== 'merged');
const hasEnded = (job: TrackedJob): boolean => isTerminal(jobStatus(job)) && jobStatus(job) !== 'archived';
const canFollowUp = (job: TrackedJob): boolean => followUpObstacle(job) === undefined;
/** The agent has finished, and the user decides about its work here, because no Git host has a pull request for it. */
const isDecided = (job: TrackedJob, { pull = 'open' }: ActionContext, ...states: PullRequestState[]): boolean =>
  jobStatus(job) === 'completed' && localReview(job) !== undefined && states.includes(pull);
/** The default hosted service has only the common API; every other service is one of ours. */
const hasMore = (job: TrackedJob): boolean => hasId(job) && job.location.service !== DEFAULT_ORIGIN;
const isUnsent = (job: TrackedJob, action: PromptAction): boolean => {
  const create = pendingCreate(job);
  return create !== undefined && getPromptActions(create).includes(action);
};

const hasUnsaved = (job: TrackedJob): boolean =>
  isLocal(job) && hasEnded(job) && job.snapshot?.surroundings?.unsaved !== undefined;

const noUnsaved = (): string => vscode.l10n.t('All work of local jobs is in branches.');
const noPullRequest = (): string => vscode.l10n.t('No job has a pull request.');
const noJob = (): string => vscode.l10n.t('There are no jobs yet.');

/**
 * The only table of what can be done with a job. Its row and menu, its page, notifications, and the question which job
 * a command is about take from it. Of those that are available, the first ones are the most likely.
 */
const ROWS = {
  showJob: {
    label: () => vscode.l10n.t('Show Job'),
    fits: () => true,
    isForRemoved: true,
    question: () => [vscode.l10n.t('Select a job to show'), vscode.l10n.t('There is no other job to show.')],
  },
  restoreJob: {
    label: () => vscode.l10n.t('Restore to List'),
    fits: ({ untracked }) => untracked,
    isForRemoved: true,
    onPage: 'likely',
    question: () => [
      vscode.l10n.t('Select a job to restore'),
      vscode.l10n.t('No jobs have been removed from the list.'),
    ],
    asksAlways: true,
  },
  setApiKey: { label: () => vscode.l10n.t('Set API Key'), fits: (job) => isUnsent(job, 'setApiKey') },
  sendNow: { label: () => vscode.l10n.t('Send Now'), fits: (job) => isUnsent(job, 'sendNow') },
  editAndSend: { label: () => vscode.l10n.t('Edit and Send…'), fits: (job) => isUnsent(job, 'editAndSend') },
  changeProject: { label: () => vscode.l10n.t('Change Project…'), fits: (job) => isUnsent(job, 'changeProject') },
  discardPrompt: { label: () => vscode.l10n.t('Discard'), fits: (job) => isUnsent(job, 'discardPrompt') },
  trackJob: {
    label: () => vscode.l10n.t('Track Existing Job…'),
    fits: (job) => pendingCreate(job)?.state === 'unconfirmed',
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select an unconfirmed job'), vscode.l10n.t('There are no unconfirmed jobs.')],
  },
  cancelJob: {
    label: () => vscode.l10n.t('Stop'),
    fits: (job) => jobStatus(job) === 'active' && hasMore(job),
    onPage: 'likely',
    isQuiet: true,
    question: () => [vscode.l10n.t('Select a job to stop'), vscode.l10n.t('No local job is running.')],
    asksAlways: true,
  },
  retryJob: {
    label: () => vscode.l10n.t('Try Again'),
    fits: (job) => promptToRetry(job) !== undefined,
    onPage: 'likely',
    question: () => [
      vscode.l10n.t('Select a failed or stopped job to try again'),
      vscode.l10n.t('There are no failed or stopped jobs.'),
    ],
    asksAlways: true,
  },
  openPullRequest: {
    label: ({ snapshot }) =>
      lacksPullRequest(snapshot) ? vscode.l10n.t('Open Page') : vscode.l10n.t('Open Pull Request'),
    detail: (_, { pull = 'open' }) =>
      pull === 'open' ? vscode.l10n.t('Accept (merge) or discard (close) the changes there') : '',
    fits: isOnHost,
    isForRemoved: true,
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a pull request to open'), noPullRequest()],
  },
  openPullRequestInEditor: {
    label: () => vscode.l10n.t('Open in Editor'),
    fits: isOnGithub,
    isForRemoved: true,
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a pull request to open in the editor'), noPullRequest()],
  },
  addressReviewComments: {
    label: () => vscode.l10n.t('Address Review Comments'),
    fits: (job) => canFollowUp(job) && isOnGithub(job),
    onPage: 'likely',
    question: () => [
      vscode.l10n.t('Select a job to address its review comments'),
      vscode.l10n.t('No job that can take a follow-up has a pull request on GitHub.'),
    ],
  },
  sendFollowUp: {
    label: () => vscode.l10n.t('Send Follow-up'),
    fits: canFollowUp,
    question: () => [vscode.l10n.t('Select a job to follow up on'), vscode.l10n.t('No job can take a follow-up.')],
  },
  signInToGitHost: {
    command: 'docsAgent.manageLocalService',
    argument: { show: 'gitHost' },
    label: () => vscode.l10n.t('Sign In to Git Host'),
    fits: (job) => isLocal(job) && lacksPullRequest(job.snapshot),
    onPage: 'likely',
  },
  reviewChanges: {
    label: () => vscode.l10n.t('Review Changes'),
    fits: hasBranch,
    isForRemoved: true,
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a job to open its changes'), vscode.l10n.t('No finished job has changes.')],
  },
  openInBrowser: {
    command: 'docsAgent.openPullRequest',
    label: () => vscode.l10n.t('Open in Browser'),
    fits: (job) => localReview(job) !== undefined,
    isForRemoved: true,
    onPage: 'likely',
  },
  checkoutPullRequest: {
    label: () => vscode.l10n.t('Check Out Branch'),
    fits: keepsBranch,
    isForRemoved: true,
    onPage: 'likely',
    question: () => [
      vscode.l10n.t('Select a job to check out its branch'),
      vscode.l10n.t('No finished job has a branch.'),
    ],
    asksAlways: true,
  },
  openPreview: {
    label: () => vscode.l10n.t('Open Preview'),
    fits: (_, { canPreview = false }) => canPreview,
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a job to preview'), vscode.l10n.t('No hosted job has a branch to preview.')],
  },
  updateJob: {
    label: ({ snapshot }) =>
      hasConflicts(snapshot?.surroundings)
        ? vscode.l10n.t('Ask the Agent to Resolve…')
        : vscode.l10n.t('Update from {0}', baseName(snapshot?.surroundings)),
    detail: ({ snapshot }) =>
      hasConflicts(snapshot?.surroundings)
        ? vscode.l10n.t('Opens a follow-up that asks the agent to resolve the conflicts')
        : vscode.l10n.t('Merges its new commits into the job’s branch'),
    fits: (job, { pull = 'open' }) =>
      isLocal(job) && hasEnded(job) && pull === 'open' && baseText(job.snapshot?.surroundings) !== undefined,
    onPage: 'likely',
    isQuiet: true,
    question: () => [
      vscode.l10n.t('Select a job to update'),
      vscode.l10n.t('No base branch of a job has new commits.'),
    ],
    asksAlways: true,
  },
  keepWork: {
    label: () => vscode.l10n.t('Keep as a Branch'),
    detail: () => vscode.l10n.t('Commits what the last run has left to the job’s branch'),
    fits: hasUnsaved,
    onPage: 'likely',
    isQuiet: true,
    question: () => [vscode.l10n.t('Select a job to keep its work'), noUnsaved()],
    asksAlways: true,
  },
  discardWork: {
    label: () => vscode.l10n.t('Discard Changes…'),
    detail: () => vscode.l10n.t('Deletes what the last run has left'),
    fits: hasUnsaved,
    onPage: 'likely',
    isQuiet: true,
    question: () => [vscode.l10n.t('Select a job to discard its changes'), noUnsaved()],
    asksAlways: true,
  },
  finishJob: {
    fits: (job, context) => isLocal(job) && hasEnded(job) && !isDecided(job, context, 'merged'),
    question: () => [
      vscode.l10n.t('Select a job to accept (merge), discard (close), or put away (archive)'),
      vscode.l10n.t('No local job has finished.'),
    ],
  },
  mergeJob: {
    label: () => vscode.l10n.t('Merge…'),
    detail: () => vscode.l10n.t('Accepts the changes: merges them into your branch as one commit'),
    fits: (job, context) => isDecided(job, context, 'open'),
    onPage: 'likely',
    question: () => [
      vscode.l10n.t('Select a job to accept (merge)'),
      vscode.l10n.t('No local job has changes to merge.'),
    ],
    asksAlways: true,
  },
  reopenJob: {
    label: () => vscode.l10n.t('Reopen'),
    detail: () => vscode.l10n.t('Lets you accept the changes after all: merge them'),
    fits: (job, context) => isDecided(job, context, 'closed'),
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a job to reopen'), vscode.l10n.t('No local jobs have been closed.')],
    asksAlways: true,
  },
  applyChanges: {
    label: () => vscode.l10n.t('Apply to My Files'),
    detail: () => vscode.l10n.t('Applies the changes to your files without committing them'),
    fits: (job, context) => isDecided(job, context, 'open', 'closed'),
    onPage: 'likely',
    question: () => [
      vscode.l10n.t('Select a job to apply its changes'),
      vscode.l10n.t('No local job has changes to apply.'),
    ],
    asksAlways: true,
  },
  closeJob: {
    label: () => vscode.l10n.t('Close'),
    detail: () => vscode.l10n.t('Discards the changes: closes the job, which you can reopen'),
    fits: (job, context) => isDecided(job, context, 'open'),
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a job to discard (close)'), vscode.l10n.t('No local job has open changes.')],
    asksAlways: true,
  },
  undoMerge: {
    label: () => vscode.l10n.t('Undo Merge'),
    detail: () =>
      vscode.l10n.t('Takes the accepted changes back: removes the commit, restores the branch, and reopens the job'),
    fits: (job, context) => isDecided(job, context, 'merged'),
    onPage: 'likely',
    question: () => [vscode.l10n.t('Select a job to undo its merge'), vscode.l10n.t('No local jobs have been merged.')],
    asksAlways: true,
  },
  archiveJob: {
    label: () => vscode.l10n.t('Archive'),
    detail: (job, context) =>
      isDecided(job, context, 'merged')
        ? vscode.l10n.t('Puts the job away and frees disk space; the accepted changes stay')
        : job.snapshot?.ref == null
          ? vscode.l10n.t('Puts the job away and frees disk space')
          : vscode.l10n.t('Puts the job away and frees disk space; its branch stays'),
    fits: (job) => hasEnded(job) && hasMore(job),
    onPage: 'likely',
    isQuiet: true,
    question: () => [vscode.l10n.t('Select a job to put away (archive)'), vscode.l10n.t('No local job has finished.')],
    asksAlways: true,
  },
  unarchiveJob: {
    label: () => vscode.l10n.t('Unarchive'),
    fits: (job) => jobStatus(job) === 'archived' && hasMore(job),
    onPage: 'likely',
    isQuiet: true,
    question: () => [vscode.l10n.t('Select a job to unarchive'), vscode.l10n.t('No job is archived.')],
    asksAlways: true,
  },
  refreshJobs: {
    label: () => vscode.l10n.t('Refresh'),
    fits: (job) => jobStatus(job) === 'active',
    onPage: 'likely',
    isQuiet: true,
  },
  showLog: {
    label: () => vscode.l10n.t('Show Log'),
    fits: (job) => jobStatus(job) === 'failed',
    onPage: 'further',
  },
  sendReviewComments: {
    fits: (_, { comments = 0 }) => comments > 0,
    question: () => [
      vscode.l10n.t('Select a job to send its review comments'),
      vscode.l10n.t('There are no unsent comments. Open a job’s changes, then select + next to a line.'),
    ],
  },
  reviewNewChanges: {
    label: () => vscode.l10n.t('Show New Changes'),
    fits: (job, context) => keepsBranch(job, context) && (context.hasNewChanges === true || hasFollowUp(job)),
    onPage: 'further',
    question: () => [
      vscode.l10n.t('Select a job to show what its last follow-up changed'),
      vscode.l10n.t('No finished job has a follow-up.'),
    ],
  },
  duplicateJob: {
    label: () => vscode.l10n.t('Duplicate'),
    fits: (job) => firstPrompt(job) !== undefined,
    isForRemoved: true,
    onPage: 'further',
    question: () => [
      vscode.l10n.t('Select a job to duplicate'),
      vscode.l10n.t('There are no jobs whose prompt is saved here.'),
    ],
  },
  copyAs: {
    fits: hasId,
    isForRemoved: true,
    question: () => [vscode.l10n.t('Select a job to copy'), noJob()],
  },
  // The link to a page of the local service is of no use to anyone else.
  copyPullRequestLink: {
    label: () => vscode.l10n.t('Copy Link'),
    fits: isOnHost,
    isForRemoved: true,
    onPage: 'further',
    question: () => [vscode.l10n.t('Select a pull request to copy its link'), noPullRequest()],
  },
  copyJobId: {
    label: () => vscode.l10n.t('Copy Job ID'),
    fits: hasId,
    isForRemoved: true,
    onPage: 'further',
    question: () => [
      vscode.l10n.t('Select a job to copy its ID'),
      vscode.l10n.t('The service hasn’t accepted any jobs yet.'),
    ],
  },
  renameJob: {
    label: () => vscode.l10n.t('Rename'),
    fits: () => true,
    onPage: 'further',
    question: () => [vscode.l10n.t('Select a job to rename'), noJob()],
  },
  // A job whose first prompt was not accepted can't be removed: its prompt is discarded instead.
  untrackJob: {
    label: () => vscode.l10n.t('Remove from List'),
    detail: () => vscode.l10n.t('Hides the job here; you can restore it'),
    fits: hasId,
    onPage: 'further',
    question: () => [vscode.l10n.t('Select a job to remove'), noJob()],
    asksAlways: true,
  },
} satisfies Record<string, ActionRow>;

export type ActionName = keyof typeof ROWS;
/** The actions that ask which job is meant if none is named. */
export type AskingAction = {
  [Name in ActionName]: (typeof ROWS)[Name] extends { question: unknown } ? Name : never;
}[ActionName];

const ACTIONS: Readonly<Record<ActionName, ActionRow>> = ROWS;
const NAMES = Object.keys(ROWS) as ActionName[];

/** True if the action can be done with the job now. */
export function isAvailable(name: ActionName, job: TrackedJob, context: ActionContext): boolean {
  const { fits, isForRemoved } = ACTIONS[name];
  return (isListed(job) || (job.untracked && isForRemoved === true)) && fits(job, context);
}

/** What can be done with a job now, in the order of the table. */
export function getActions(job: TrackedJob, context: ActionContext): ActionName[] {
  return NAMES.filter((name) => isAvailable(name, job, context));
}

export type PromptAction = 'setApiKey' | 'changeProject' | 'sendNow' | 'editAndSend' | 'discardPrompt';

/** What can be done with a prompt that was not accepted; nothing while it is being sent. */
export function getPromptActions(prompt: OutgoingPrompt): PromptAction[] {
  const { state, waiting, reason } = prompt;
  const isOpen = state === 'waiting' || state === 'rejected' || state === 'unconfirmed';
  const needsKey = waiting?.for === 'apiKey' || (state === 'rejected' && reason?.kind === 'forbidden');
  const cures: PromptAction[] = needsKey ? ['setApiKey'] : [];
  const project: PromptAction[] = mayNeedProject(prompt) ? ['changeProject'] : [];
  return isOpen ? [...cures, ...project, 'sendNow', 'editAndSend', 'discardPrompt'] : [];
}

/** Whether the command of this action takes the job in front when none is named; showing a job takes another one. */
export function takesJobInFront(name: string): name is AskingAction {
  return isAction(name) && name !== 'showJob' && 'question' in ROWS[name];
}

/** How the user is asked which job an action is about. */
export function getQuestion(name: AskingAction): { title: string; none: string; asksAlways: boolean } {
  const [title, none] = ROWS[name].question();
  return { title, none, asksAlways: ACTIONS[name].asksAlways === true };
}

export function getLabel(name: ActionName, job: TrackedJob): string {
  return ACTIONS[name].label?.(job) ?? '';
}

/** Explains an action where the user picks one; empty if its label does. */
export function getDetail(name: ActionName, job: TrackedJob, context: ActionContext): string {
  return ACTIONS[name].detail?.(job, context) ?? '';
}

export function isAction(name: string): name is ActionName {
  return Object.hasOwn(ROWS, name);
}

/** Runs the command of an action for a job, or for one of its prompts. */
export async function runAction(name: ActionName, job?: TrackedJob, prompt?: OutgoingPrompt): Promise<void> {
  const { command = `docsAgent.${name}`, argument } = ACTIONS[name];
  const ofJob = job && { jobKey: job.key, ...(prompt === undefined ? {} : { promptId: prompt.id }) };
  await vscode.commands.executeCommand(command, argument ?? ofJob);
}

/** A button of a job's page. */
export interface PageButton {
  name: ActionName;
  /** The action that the user most likely wants next. */
  isPrimary: boolean;
  /** The prompt that the action is about, if it isn't about the whole job. */
  prompt?: OutgoingPrompt | undefined;
}

/** The buttons of a job's page, and what it offers in a list of further actions. */
export function getPageActions(
  job: TrackedJob,
  context: ActionContext,
): { buttons: PageButton[]; further: ActionName[] } {
  const { first = [], also = [], severity } = STATES[getJobState(job, context)];
  const available = new Set(getActions(job, context));
  const placed = (place: ActionRow['onPage']) => NAMES.filter((name) => ACTIONS[name].onPage === place);
  const among = (names: readonly ActionName[]) => [...new Set(names)].filter((name) => available.has(name));
  const likely = among([...(job.untracked ? [] : first), ...placed('likely')]);
  const [best] = likely;
  const buttons: PageButton[] = [];
  const stuck = findStuckPrompt(job);
  if (stuck !== undefined) {
    buttons.push({ ...stuck, isPrimary: true });
  } else if (best !== undefined) {
    buttons.push({
      name: best,
      isPrimary: (job.untracked || severity !== 'running') && ACTIONS[best].isQuiet !== true,
    });
  }
  const shown = new Set(buttons.flatMap(({ name, prompt }) => (prompt === undefined ? [name] : [])));
  // The box for a follow-up is on the page itself.
  const others = among([
    'mergeJob',
    'reopenJob',
    'undoMerge',
    'keepWork',
    'discardWork',
    'updateJob',
    ...also,
    'reviewChanges',
  ]);
  for (const name of others.filter((each) => !shown.has(each)).slice(0, 2)) {
    buttons.push({ name, isPrimary: false });
    shown.add(name);
  }
  return { buttons, further: [...likely, ...among(placed('further'))].filter((name) => !shown.has(name)) };
}

/** Returns the action that unblocks a stuck prompt. One that the service refused has to be changed first. */
function findStuckPrompt(job: TrackedJob): { name: PromptAction; prompt: OutgoingPrompt } | undefined {
  const create = pendingCreate(job);
  const prompts = [...(create === undefined ? [] : [create]), ...pendingPrompts(job)];
  const prompt = prompts.find((each) => each.state === 'rejected' || waitingLook(job, each)?.isStuck);
  const [name] = prompt === undefined ? [] : getPromptActions(prompt);
  if (!isListed(job) || prompt === undefined || name === undefined) {
    return undefined;
  }
  return { name: prompt.reason?.kind === 'rejected' ? 'editAndSend' : name, prompt };
}
