import * as vscode from 'vscode';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { renderReviewThreads, type ReviewThread } from '../../../prompt/reviewThreads';
import { ServiceError } from '../../../protocol/errors';
import { readJobName } from '../../platform/commandArguments';
import { showErrorWithLog } from '../../platform/log';
import { githubPullRequest, readGithubThreads, type ThreadsAnswer } from '../../platform/pullRequestLink';
import { toNotice } from '../../platform/sanitize';
import { reasonText } from '../../presentation/errorText';
import { sizeOf } from '../../sending/promptLimits';
import type { ReviewApp } from './register';

const GITHUB = { host: 'github.com', kind: 'github' } as const;

/** Puts the open review comments of a job's pull request into a follow-up prompt, which the user edits and sends. */
export async function addressReviewComments(options: ReviewApp, argument: unknown): Promise<void> {
  const { picker, composer } = options;
  const job = await picker.choose(readJobName(argument), 'addressReviewComments');
  const link = githubPullRequest(job?.snapshot?.prLink);
  const token = link === undefined ? undefined : await options.tokens.session(GITHUB, { createIfNone: true });
  if (job === undefined || link === undefined || token === undefined) {
    return;
  }
  const progress = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading review comments…') };
  const answer = await vscode.window.withProgress(progress, () => read(options, link, token.token));
  if (answer?.is === 'limited') {
    void vscode.window.showWarningMessage(vscode.l10n.t('GitHub’s request limit is reached. Try again later.'));
  } else if (answer?.threads.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The pull request has no open review comments.'));
  } else if (answer !== undefined) {
    await composer.openForJob(job, fittingPrompt(job, link, answer.threads));
  }
}

/** Undefined if the comments can't be read (the user is notified). */
async function read({ clients }: ReviewApp, link: string, token: string): Promise<ThreadsAnswer | undefined> {
  try {
    return await readGithubThreads(clients, link, token);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    const text = vscode.l10n.t('The review comments couldn’t be read. {0}', reasonText(error));
    void showErrorWithLog(toNotice(text, 400));
    return undefined;
  }
}

/** Leaves out the last comments if the service would refuse the prompt as too long. */
export function fittingPrompt(
  { location }: Pick<TrackedJob, 'location'>,
  link: string,
  threads: readonly ReviewThread[],
): string {
  let count = threads.length;
  for (;;) {
    const prompt = renderReviewThreads(link, threads.slice(0, count));
    let { over } = sizeOf(location.service, prompt);
    if (over === 0 || count <= 1) {
      return prompt;
    }
    // A comment by itself is a little longer than in the list, so this never leaves out too many. The whole prompt is
    // rendered as rarely as possible.
    while (over > 0 && count > 1) {
      count -= 1;
      over -= sizeOf(location.service, renderReviewThreads(link, threads.slice(count, count + 1))).bytes;
    }
  }
}
