import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { markSeen } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { reader, readJobName } from '../../platform/commandArguments';
import { githubPullRequest } from '../../platform/pullRequestLink';
import { openPullRequest } from '../../presentation/openPullRequest';
import type { ReviewApp } from './register';

/** The extension that shows GitHub pull requests in the editor. */
const GITHUB_EXTENSION = 'GitHub.vscode-pull-request-github';

/** The paths that its URI handler accepts. */
const PATHS = {
  overview: '/open-pull-request-webview',
  changes: '/open-pull-request-changes',
  checkout: '/checkout-pull-request',
} as const;

/** The part of a pull request to show. */
const readView = reader(z.object({ view: z.enum(['overview', 'changes', 'checkout']) }));

/** Opens a pull request on github.com in the GitHub extension; any other one, or if that is missing, in the browser. */
export async function openPullRequestInEditor(options: ReviewApp, argument: unknown): Promise<void> {
  const { store, picker, localAvailable, milestones } = options;
  const hasLink = (job: TrackedJob): boolean => job.snapshot?.prLink != null;
  const job = await picker.choose(readJobName(argument), 'openPullRequestInEditor', { fits: hasLink });
  if (job === undefined) {
    return;
  }
  const link = githubPullRequest(job.snapshot?.prLink);
  if (link === undefined) {
    // Nothing in the editor can show it.
    if (await openPullRequest(options, job)) {
      vscode.window.setStatusBarMessage(
        vscode.l10n.t('Not a pull request on github.com, so it was opened in the browser'),
        5000,
      );
      milestones.record('pullRequestOpened');
    }
    return;
  }
  // If the two extensions run on different machines, this one can't see the other; VS Code itself offers to install a
  // missing one.
  if (localAvailable && vscode.extensions.getExtension(GITHUB_EXTENSION) === undefined) {
    await offerBrowser(options, job);
    return;
  }
  const path = PATHS[readView(argument)?.view ?? 'overview'];
  const query = `uri=${encodeURIComponent(link)}`;
  const address = vscode.Uri.from({
    scheme: vscode.env.uriScheme,
    authority: GITHUB_EXTENSION.toLowerCase(),
    path,
    query,
  });
  // `env.openExternal` in a browser-based editor would navigate away from its page.
  await vscode.commands.executeCommand('vscode.open', address);
  milestones.record('pullRequestOpened');
  await markSeen(store, job);
}

async function offerBrowser(options: ReviewApp, job: TrackedJob): Promise<void> {
  const [browser, show] = [vscode.l10n.t('Open in Browser'), vscode.l10n.t('Show Extension')];
  const text = vscode.l10n.t('The extension “GitHub Pull Requests” isn’t installed or is disabled.');
  const choice = await vscode.window.showInformationMessage(text, browser, show);
  if (choice === browser) {
    if (await openPullRequest(options, job)) {
      options.milestones.record('pullRequestOpened');
    }
  } else if (choice === show) {
    await vscode.commands.executeCommand('workbench.extensions.search', `@id:${GITHUB_EXTENSION}`);
  }
}
