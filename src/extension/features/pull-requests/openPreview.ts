import * as vscode from 'vscode';
import { type BackoffRange, delay, growingDelay } from '../../../base/async';
import { isTransient } from '../../../base/retry';
import { ServiceError } from '../../../protocol/errors';
import type { ServiceLocation } from '../../../jobs/events';
import { readJobName } from '../../platform/commandArguments';
import { showErrorWithLog } from '../../platform/log';
import { hasHostedBranch } from '../../platform/previews';
import { safeLink } from '../../platform/pullRequestLink';
import { toLabel, toNotice } from '../../platform/sanitize';
import { optionalReasonText } from '../../presentation/errorText';
import { jobTitle } from '../../presentation/jobText';
import type { ReviewApp } from './register';

/** The time between two requests for the status, in milliseconds. */
export const POLL_MS = 3_000;
/** After this many failed requests in a row, the status is unknown. */
const MAX_FAILURES = 5;
/** For a service that limits requests. */
const BACKOFF: BackoffRange = { baseMs: POLL_MS, capMs: 300_000 };
/** How long a build may take before nobody is told about it anymore. */
const MAX_MINUTES = 30;

type Result = { url: string } | 'failure' | 'late' | 'cancelled';

/** Builds a preview of a job's branch at the hosted service, and opens it in the browser. */
export async function openPreview(options: ReviewApp, argument: unknown): Promise<void> {
  const { picker, previews } = options;
  // Includes jobs whose plan had no previews, because plans change.
  const job = await picker.choose(readJobName(argument), 'openPreview', { fits: hasHostedBranch });
  const branch = job?.snapshot?.ref;
  if (job === undefined || branch == null) {
    return;
  }
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Building the preview of “{0}”…', toNotice(jobTitle(job), 60)),
    cancellable: true,
  };
  try {
    const result = await vscode.window.withProgress(progress, (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return build(options, job.location, branch, stop.signal);
    });
    await show(result);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    if (error.status === 403) {
      await previews.learn(job.location, false);
    }
    void showErrorWithLog(toNotice(failureText(error), 400));
  }
}

async function build(
  { access, previews, clock }: ReviewApp,
  location: ServiceLocation,
  branch: string,
  signal: AbortSignal,
): Promise<Result> {
  const end = clock.monotonic() + MAX_MINUTES * 60_000;
  let failures = 0;
  try {
    const { statusId, previewUrl } = await access.startPreview(location, branch, signal);
    await previews.learn(location, true);
    while (clock.monotonic() < end) {
      let waitMs = POLL_MS;
      try {
        const status = await access.previewStatus(location, statusId, signal);
        if (status !== 'building') {
          return status === 'success' ? { url: previewUrl } : status;
        }
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!isTransient(error) || failures >= MAX_FAILURES) {
          throw error;
        }
        const { kind, retryAfterMs = 0 } = error;
        waitMs = kind === 'limit' ? growingDelay(BACKOFF, failures, Math.random()) : POLL_MS;
        waitMs = Math.max(waitMs, retryAfterMs);
      }
      await delay(clock, Math.min(waitMs, end - clock.monotonic()), signal);
    }
    return 'late';
  } catch (error) {
    if (signal.aborted) {
      return 'cancelled';
    }
    throw error;
  }
}

async function show(result: Result): Promise<void> {
  if (result === 'failure') {
    void vscode.window.showErrorMessage(
      vscode.l10n.t('The preview couldn’t be built. The service’s dashboard shows why.'),
    );
  } else if (result === 'late') {
    const text = vscode.l10n.t('The preview isn’t ready after {0} minutes. Try again later.', MAX_MINUTES);
    void vscode.window.showWarningMessage(text);
  } else if (result !== 'cancelled' && safeLink(result.url)?.protocol === 'https:') {
    // Passed as a string, because a `Uri` re-encodes the query and would open a different URL.
    await vscode.env.openExternal(result.url as unknown as vscode.Uri);
  } else if (result !== 'cancelled') {
    const text = vscode.l10n.t('This link wasn’t opened because it isn’t a plain https URL: {0}', result.url);
    void vscode.window.showWarningMessage(toNotice(text, 300));
  }
}

function failureText(error: ServiceError): string {
  if (error.status !== 403) {
    return vscode.l10n.t('The preview couldn’t be opened. {0}', optionalReasonText(error));
  }
  const said = toLabel(error.detail, 200);
  const text = vscode.l10n.t(
    'This project’s plan doesn’t include previews, so they’re no longer offered for its jobs.',
  );
  return said === '' ? text : `${text} (${said})`;
}
