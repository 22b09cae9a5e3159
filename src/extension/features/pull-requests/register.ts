import * as vscode from 'vscode';
import { type Clock, once, systemClock } from '../../../base/async';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { App } from '../../app';
import { type CommandHandlers, CONTEXT_KEYS } from '../../ids';
import { readJobName } from '../../platform/commandArguments';
import { setContextKey } from '../../platform/contextKeys';
import { localReview } from '../../platform/pullRequestLink';
import { workState } from '../../platform/pullRequestStates';
import type { SeenVersions } from '../../platform/seenVersions';
import { ChangesViews, otherChanges } from './changesViews';
import type { ReviewComments } from './reviewComments';
import type { WayBack } from './wayBack';

/** What other features do with the changes of jobs, and what the next window shows again. */
export interface ReviewPorts {
  opened: ChangesViews;
  review(): Promise<ReviewComments>;
  wayBack(): Promise<WayBack>;
}

/** What the commands of this feature take their collaborators from. */
export interface ReviewApp extends Omit<App, 'seen'>, ReviewPorts {
  clock: Pick<Clock, 'after' | 'monotonic'>;
  seen: Pick<SeenVersions, 'reviewedCommit' | 'noteReviewed'>;
}

export function register(app: App): ReviewPorts & { commands: CommandHandlers } {
  const { store, owned, log } = app;
  let reviewing: Promise<ReviewComments> | undefined;
  const review = (): Promise<ReviewComments> =>
    (reviewing ??= import('./reviewComments')
      .then(({ startReview }) => owned.add(startReview(app)))
      .catch((error: unknown) => {
        reviewing = undefined;
        throw error;
      }));
  const wayBack = once(async () => {
    const { WayBack: Way } = await import('./wayBack');
    return owned.add(new Way(app.workspaceState, log));
  });
  const opened: ChangesViews = owned.add(
    new ChangesViews(
      store,
      (job, reviewed) => {
        const telling = import('./outdatedChanges').then(({ showChangesOutdated }) =>
          showChangesOutdated(options, job, reviewed),
        );
        telling.catch((error: unknown) => log.error('couldn’t show the new changes of a job', error));
      },
      () => showActions(),
    ),
  );
  const showActions = showActionsOf(app, opened);
  const options: ReviewApp = { ...app, opened, review, wayBack, clock: systemClock };
  const comments = (): Promise<typeof import('./commentCommands')> => import('./commentCommands');
  const commands: CommandHandlers = {
    'docsAgent.openPullRequestInEditor': async (argument) =>
      (await import('./openPullRequest')).openPullRequestInEditor(options, argument),
    'docsAgent.checkoutPullRequest': async (argument) =>
      (await import('./tryOut')).checkoutPullRequest(options, argument),
    'docsAgent.leaveBranch': async () => (await import('./tryOut')).leaveBranch(options),
    'docsAgent.reviewChanges': async (argument) => (await import('./openChanges')).openChanges(options, argument),
    'docsAgent.reviewNewChanges': async (argument) =>
      (await import('./openChanges')).openChanges(options, {
        jobId: readJobName(argument) ?? opened.activeJob,
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
    'docsAgent.sendReviewComments': async (argument) => (await comments()).sendReviewComments(options, argument),
  };
  return { opened, review, wayBack, commands };
}

/** Shows above the changes in front what can be done with them. Returns what to call when other changes are in front. */
function showActionsOf({ store, pulls, seen, counts, owned }: App, opened: ChangesViews): () => void {
  let shown: string | false = false;
  let others: string | false = false;
  const showActions = (): void => {
    const job = store.get(opened.activeJob ?? '');
    const place = job?.location.service === LOCAL_SERVICE ? 'local' : 'hosted';
    const isMerged = job !== undefined && workState(job, pulls) === 'merged';
    const now = job !== undefined && (!isMerged ? place : localReview(job) === undefined ? 'merged' : 'mergedHere');
    if (now !== shown) {
      shown = now;
      setContextKey(CONTEXT_KEYS.changesInFront, now);
    }
    const isOpen = job !== undefined && !isMerged;
    const lead = isOpen
      ? (otherChanges(job, { isAll: opened.showsAll(job.key), hasNew: seen.hasNew(job) }) ?? false)
      : false;
    if (lead !== others) {
      others = lead;
      setContextKey(CONTEXT_KEYS.otherChanges, lead);
    }
  };
  const { tabGroups } = vscode.window;
  owned.add(pulls.onDidChange(showActions));
  owned.add(store.onDidChange(showActions));
  owned.add(seen.onDidChange(showActions));
  owned.add(tabGroups.onDidChangeTabs(showActions));
  owned.add(tabGroups.onDidChangeTabGroups(showActions));
  owned.add(counts.onDidChange(() => setContextKey(CONTEXT_KEYS.unsentComments, counts.hasAny)));
  return showActions;
}
