import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../../jobs/events';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { App } from '../../app';
import { SETTINGS } from '../../ids';
import { serviceName } from '../../platform/apiKeys';
import { type JobLink, parseJobUri } from '../../platform/jobLink';
import { toNotice, toQuestion } from '../../platform/sanitize';
import { openSetting, settings } from '../../settings';
import { addExistingJob, findJob, lookUp } from './addExistingJob';

/** After a warning, how long further links that can't be opened are ignored, in milliseconds. */
const QUIET_MS = 5_000;

/** Handles one link at a time, so that a page that opens a hundred links causes only one question or warning. */
export class JobLinkHandler {
  private isOpen = false;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: App,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Handles a link that the editor was asked to open, from any source. */
  async open(uri: vscode.Uri): Promise<void> {
    if (this.isOpen) {
      return;
    }
    this.isOpen = true;
    try {
      const link = parseJobUri(uri);
      if (link !== undefined && locationOf(this.options, link) !== undefined) {
        await followLink(this.options, link);
      } else if (this.now() - this.warnedAt >= QUIET_MS) {
        this.warnedAt = this.now();
        // The user may never answer a notification, so nothing waits for that.
        void (link === undefined ? showUnusableLink() : showOtherService(link));
      }
    } finally {
      this.isOpen = false;
    }
  }
}

export async function showUnusableLink(): Promise<void> {
  const text = vscode.l10n.t('This link can’t be opened. It’s incomplete or was changed. Ask for a new one.');
  await vscode.window.showWarningMessage(text);
}

/**
 * Shows the job of a link. A job that is not in the list is added only if the user agrees; before that, no request is
 * sent and nothing is written.
 */
export async function followLink(options: App, link: JobLink): Promise<TrackedJob | undefined> {
  const { view } = options;
  const known = knownJob(options, link);
  if (known !== undefined && !known.untracked) {
    await view.show(known.key);
    return known;
  }
  const location = locationOf(options, link);
  if (location === undefined) {
    void showOtherService(link);
    return undefined;
  }
  if (!(await confirmed(location, link))) {
    return undefined;
  }
  const job = await addExistingJob(options, location, link.id, () => lookUp(options, location, link.id));
  if (job !== undefined) {
    await view.show(job.key);
  }
  return job;
}

function knownJob({ store }: App, { service, project, id }: JobLink): TrackedJob | undefined {
  return findJob(store, { service, projectId: project }, id);
}

/**
 * Where the job of a link is. Undefined for a service that is neither that of a known job nor in the user's settings: a
 * link must not make a key go to a new address.
 */
function locationOf(options: App, link: JobLink): ServiceLocation | undefined {
  const { projects, store } = options;
  const { service, project } = link;
  const known = knownJob(options, link);
  if (known !== undefined) {
    return known.location;
  }
  if (service === LOCAL_SERVICE) {
    const sibling = store.jobs.find(({ location }) => location.service === service && location.projectId === project);
    return settings.usesLocalService() ? (sibling?.location ?? { service, projectId: project }) : undefined;
  }
  const hosted = projects.hostedService(true);
  return hosted?.origin === service ? { service, baseUrl: hosted.baseUrl, projectId: project } : undefined;
}

async function confirmed(location: ServiceLocation, link: JobLink): Promise<boolean> {
  const detail = vscode.l10n.t(
    'Project: {0}\nService: {1}\nJob: {2}\n\nA link requested this. Docs Agent looks up the job with your API key. Nothing is created or changed.',
    toQuestion(location.projectName ?? location.projectId, 200),
    serviceName(location.service),
    toQuestion(link.id, 200),
  );
  const track = vscode.l10n.t('Track Job');
  const options = { modal: true, detail };
  return (await vscode.window.showInformationMessage(vscode.l10n.t('Track this job?'), options, track)) === track;
}

async function showOtherService({ service }: JobLink): Promise<void> {
  const open = vscode.l10n.t('Open Setting');
  const text =
    service === LOCAL_SERVICE
      ? vscode.l10n.t(
          'This link can’t be opened. Its job belongs to a local service. If it was created on this machine, set “docsAgent.service” to “On this machine” and open the link again.',
        )
      : vscode.l10n.t(
          'This link can’t be opened. Its job is on {0}, which isn’t your service. No request was sent. If you trust it, set it as “docsAgent.baseUrl” and open the link again.',
          toNotice(service, 200),
        );
  if ((await vscode.window.showWarningMessage(text, open)) === open) {
    await openSetting(service === LOCAL_SERVICE ? SETTINGS.service : SETTINGS.baseUrl);
  }
}
