import * as vscode from 'vscode';
import { once } from '../../../base/async';
import { type Disposable, DisposableStore } from '../../../base/disposable';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { type CommandHandlers, CONTEXT_KEYS } from '../../ids';
import type { CommentCounts } from '../../platform/commentCounts';
import { setContextKey } from '../../platform/contextKeys';
import type { Host } from '../../platform/host';
import { newId } from '../../platform/host';
import { readJobName } from '../../platform/commandArguments';
import { type PullRequestStates, workState } from '../../platform/pullRequestStates';
import type { SeenVersions } from '../../platform/seenVersions';
import type { ApplyChangesOptions } from './applyChanges';
import type { AddressCommentsOptions } from './addressComments';
import type { SendCommentsOptions } from './commentCommands';
import type { OpenChangesOptions } from './openChanges';
import { ChangesViews, otherChanges } from './changesViews';
import type { OpenPreviewOptions } from './openPreview';
import type { OpenInEditorOptions } from './openPullRequest';
import { reviewFolder } from './restorePullRequests';
import type { ReviewComments } from './reviewComments';
import type { TryOutOptions } from './tryOut';
import type { WayBack } from './wayBack';

/** What the commands share; all but the open changes are loaded on first use. */
export interface PullRequests extends Disposable {
  opened: ChangesViews;
  review: () => Promise<ReviewComments>;
  wayBack: () => Promise<WayBack>;
  /** Returns the unsent comments on a job's changes as a prompt. */
  takeComments: (job: TrackedJob) => Promise<string>;
}

export type PullRequestsOptions = Omit<OpenChangesOptions, 'review' | 'opened' | 'seen'> & {
  host: Host;
  counts: CommentCounts;
  pulls: Pick<PullRequestStates, 'get' | 'onDidChange'>;
  seen: OpenChangesOptions['seen'] & Pick<SeenVersions, 'hasNew' | 'onDidChange'>;
};

export function startPullRequests(options: PullRequestsOptions): PullRequests {
  const { host, store, seen, log } = options;
  const owned = new DisposableStore();
  let reviewing: Promise<ReviewComments> | undefined;
  const review = (): Promise<ReviewComments> =>
    (reviewing ??= import('./reviewComments')
      .then(({ startReview }) => owned.add(startReview({ ...options, newId, reviewFolder: reviewFolder(host) })))
      .catch((error: unknown) => {
        reviewing = undefined;
        throw error;
      }));
  const wayBack = once(async () => {
    const { WayBack: Way } = await import('./wayBack');
    return owned.add(new Way(host.workspaceState, log));
  });
  let shown: string | false = false;
  let others: string | false = false;
  const showActions = (): void => {
    const job = store.get(opened.activeJob ?? '');
    const place = job?.home.service === LOCAL_SERVICE ? 'local' : 'hosted';
    const now = job !== undefined && (workState(job, options.pulls) === 'merged' ? 'merged' : place);
    if (now !== shown) {
      shown = now;
      setContextKey(CONTEXT_KEYS.changesInFront, now);
    }
    const isOpen = job !== undefined && now !== 'merged';
    const lead = isOpen
      ? (otherChanges(job, { isAll: opened.showsAll(job.key), hasNew: seen.hasNew(job) }) ?? false)
      : false;
    if (lead !== others) {
      others = lead;
      setContextKey(CONTEXT_KEYS.otherChanges, lead);
    }
  };
  const opened: ChangesViews = owned.add(
    new ChangesViews(
      store,
      (job, reviewed) => {
        const telling = import('./outdatedChanges').then(({ showChangesOutdated }) =>
          showChangesOutdated({ ...options, review, opened }, job, reviewed),
        );
        telling.catch((error: unknown) => log.error('couldn’t show the new changes of a job', error));
      },
      showActions,
    ),
  );
  const { tabGroups } = vscode.window;
  owned.add(options.pulls.onDidChange(showActions));
  owned.add(store.onDidChange(showActions));
  owned.add(seen.onDidChange(showActions));
  owned.add(tabGroups.onDidChangeTabs(showActions));
  owned.add(tabGroups.onDidChangeTabGroups(showActions));
  const { counts } = options;
  owned.add(counts.onDidChange(() => setContextKey(CONTEXT_KEYS.unsentComments, counts.hasAny)));
  const takeComments = async (job: TrackedJob): Promise<string> =>
    (await import('./commentCommands')).takeReviewComments(await review(), job);
  return { opened, review, wayBack, takeComments, dispose: () => owned.dispose() };
}

type Options = OpenChangesOptions &
  OpenInEditorOptions &
  AddressCommentsOptions &
  OpenPreviewOptions &
  ApplyChangesOptions &
  TryOutOptions &
  Pick<SendCommentsOptions, 'sendFollowUpText'>;

export function pullRequestCommands(options: Options): CommandHandlers {
  const { review } = options;
  const comments = (): Promise<typeof import('./commentCommands')> => import('./commentCommands');
  return {
    'docsAgent.openPullRequestInEditor': async (argument) =>
      (await import('./openPullRequest')).openPullRequestInEditor(options, argument),
    'docsAgent.checkoutPullRequest': async (argument) =>
      (await import('./tryOut')).checkoutPullRequest(options, argument),
    'docsAgent.restoreBranch': async (argument) =>
      (await import('./restoreBranch')).restoreJobBranch(options, argument),
    'docsAgent.leaveBranch': async () => (await import('./tryOut')).leaveBranch(options),
    'docsAgent.reviewChanges': async (argument) => (await import('./openChanges')).openChanges(options, argument),
    'docsAgent.reviewNewChanges': async (argument) =>
      (await import('./openChanges')).openChanges(options, {
        jobId: readJobName(argument) ?? options.opened.activeJob,
        since: 'lastReview',
      }),
    'docsAgent.applyChanges': async (argument) => (await import('./applyChanges')).applyChanges(options, argument),
    'docsAgent.openPreview': async (argument) => (await import('./openPreview')).openPreview(options, argument),
    'docsAgent.addressReviewComments': async (argument) =>
      (await import('./addressComments')).addressReviewComments(options, argument),
    'docsAgent.addReviewComment': async () => (await comments()).addReviewComment(),
    'docsAgent.editReviewComment': async (argument) =>
      (await comments()).editReviewComment(await review(), argument, true),
    'docsAgent.saveReviewComment': async (argument) => (await comments()).saveReviewComment(await review(), argument),
    'docsAgent.cancelReviewComment': async (argument) =>
      (await comments()).editReviewComment(await review(), argument, false),
    'docsAgent.deleteReviewComment': async (argument) =>
      (await comments()).deleteReviewComment(await review(), argument),
    'docsAgent.sendReviewComments': async (argument) =>
      (await comments()).sendReviewComments({ ...options, review: await review() }, argument),
  };
}
