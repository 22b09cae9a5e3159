import * as vscode from 'vscode';
import type { JobHistory, Run } from '../../../jobs/jobHistory';
import type { FollowUpObstacle } from '../../../jobs/jobStatus';
import { localReview } from '../../platform/pullRequestLink';
import type { JobContext, JobView } from '../../presentation/describeJob';
import { asHeading } from '../../presentation/jobText';
import { getFollowUpTexts } from '../../sending/followUps';
import type { Activity, Changes, FollowUpBox, PageModel, ResultCheck, PageLabels } from './model';
import { pageActions } from './pageActions';
import { pageHistory } from './pageHistory';

/** What a page shows besides the description of its job. */
export interface PageParts {
  history: JobHistory;
  activity?: Activity | undefined;
  changes?: Changes | undefined;
  check?: ResultCheck | undefined;
  /** The ids of the prompts whose own changes can be shown. */
  reviewable?: ReadonlySet<string>;
  /** What became of its pull request. */
  hostedEnd?: Run['review'];
}

export function pageModel(view: JobView, context: JobContext, parts: PageParts): PageModel {
  const { job, title, label, severity, notes, facts, actions } = view;
  const { history, activity, changes, check, reviewable = new Set(), hostedEnd } = parts;
  const followUp = followUpBox(view);
  const reviewAll = actions.find((name) => name === 'reviewChanges');
  const newChanges = actions.find((name) => name === 'reviewNewChanges');
  return {
    words: pageLabels(),
    title,
    state: { text: asHeading(label), tone: severity, notes },
    facts: facts.filter(({ isOfState }) => isOfState !== true),
    ...pageActions(job, context),
    history: pageHistory(job, history, reviewable, hostedEnd),
    ...(activity === undefined ? {} : { activity: { ...activity, newChanges } }),
    ...(changes === undefined ? {} : { changes: { ...changes, reviewAll } }),
    ...(check === undefined
      ? {}
      : { check: followUp.refused === undefined ? check : { ...check, request: undefined } }),
    followUp,
  };
}

/** The page of a job that has no record. */
export function missingModel(): PageModel {
  const notes = [
    vscode.l10n.t('This machine or profile has no data for the job.'),
    vscode.l10n.t('If the service still has the job, “Track Existing Job” adds it again.'),
  ];
  return {
    words: pageLabels(),
    title: vscode.l10n.t('Job'),
    state: { text: vscode.l10n.t('This job is no longer in the list'), tone: 'plain', notes },
    facts: [],
    actions: [{ id: 'trackJob', label: vscode.l10n.t('Track Existing Job…'), isPrimary: true }],
    moreActions: [],
    history: [],
    followUp: {
      refused: vscode.l10n.t('There’s no job to follow up on.'),
      effects: [],
      placeholder: '',
      send: vscode.l10n.t('Send'),
    },
  };
}

/** The effect of sending in the current state, or why it isn't possible. */
function followUpBox({ job, state, obstacle }: JobView): FollowUpBox {
  const { effects, send, sendLater } = getFollowUpTexts(job);
  const placeholder =
    state === 'merged' && localReview(job) !== undefined
      ? vscode.l10n.t('This job is merged. A follow-up makes new changes that you can review and merge.')
      : vscode.l10n.t('What should the agent change or add?');
  return obstacle === undefined
    ? { effects, placeholder, send, ...(sendLater === undefined ? {} : { sendLater }) }
    : { refused: FOLLOW_UP_OBSTACLES[obstacle](), effects: [], placeholder: '', send };
}

const FOLLOW_UP_OBSTACLES: Readonly<Record<FollowUpObstacle, () => string>> = {
  removed: () => vscode.l10n.t('This job was removed from the list. Restore it to send a follow-up.'),
  discarded: () => vscode.l10n.t('This prompt was discarded, so there’s no job to follow up on.'),
  notAccepted: () => vscode.l10n.t('You can send a follow-up once the service has accepted the first prompt.'),
};

/** The fixed texts of every page. */
export function pageLabels(): PageLabels {
  return {
    history: vscode.l10n.t('History'),
    activity: vscode.l10n.t('Agent activity'),
    plan: vscode.l10n.t('Plan'),
    summary: vscode.l10n.t('Agent’s summary'),
    latest: vscode.l10n.t('Latest from the agent'),
    changes: vscode.l10n.t('What changed'),
    details: vscode.l10n.t('Details'),
    newChanges: vscode.l10n.t('Show New Changes'),
    summaryOf: vscode.l10n.t('Agent’s summary of run {0}', '{0}'),
    changesOfAll: vscode.l10n.t('What changed in all runs'),
    reviewAll: vscode.l10n.t('Review Changes'),
    followUp: vscode.l10n.t('Follow-up'),
    prompt: vscode.l10n.t('Prompt'),
    showAll: vscode.l10n.t('Show All'),
    showLess: vscode.l10n.t('Show less'),
    sending: vscode.l10n.t('Sending…'),
    binary: vscode.l10n.t('Binary file'),
    before: vscode.l10n.t('Before'),
    after: vscode.l10n.t('After'),
    noPicture: vscode.l10n.t('Not shown here: the image is larger than 700 KB, or the job has too many images.'),
    noText: vscode.l10n.t('Only spaces and line breaks changed.'),
    turn: vscode.l10n.t('Run {0}', '{0}'),
    oneEarlier: vscode.l10n.t('1 earlier step hidden'),
    earlier: vscode.l10n.t('{0} earlier steps hidden', '{0}'),
    oneFile: vscode.l10n.t('1 file'),
    files: vscode.l10n.t('{0} files', '{0}'),
    oneMoreFile: vscode.l10n.t('1 more file'),
    moreFiles: vscode.l10n.t('{0} more files', '{0}'),
    showOneParagraph: vscode.l10n.t('Show 1 changed paragraph'),
    showParagraphs: vscode.l10n.t('Show {0} changed paragraphs', '{0}'),
    moreText: vscode.l10n.t('This file has more changes than can be shown here.'),
    renamed: vscode.l10n.t('renamed from {0}', '{0}'),
    stepStates: {
      pending: vscode.l10n.t('To do'),
      in_progress: vscode.l10n.t('In progress'),
      completed: vscode.l10n.t('Done'),
    },
    fileKinds: {
      added: vscode.l10n.t('Added'),
      changed: vscode.l10n.t('Changed'),
      deleted: vscode.l10n.t('Deleted'),
      renamed: vscode.l10n.t('Renamed'),
    },
    emptyPrompt: vscode.l10n.t('Enter a prompt.'),
    askToFix: vscode.l10n.t('Ask the Agent to Fix…'),
  };
}
