import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../../jobs/events';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { SETTINGS } from '../../ids';
import { serviceName } from '../../platform/apiKeys';
import { type JobLink, parseJobUri } from '../../platform/jobLink';
import { toQuestion } from '../../platform/sanitize';
import { openSetting, settings } from '../../settings';
import { addFound, findJob, lookUp, type TrackJobOptions } from './trackJob';

/** Handles one link at a time, so that a page that opens a hundred links causes only one question or warning. */
export class JobLinkHandler {
  private isOpen = false;

  constructor(private readonly options: TrackJobOptions) {}

  /** Handles a link that the editor was asked to open, from any source. */
  async open(uri: vscode.Uri): Promise<void> {
    if (this.isOpen) {
      return;
    }
    this.isOpen = true;
    try {
      const link = parseJobUri(uri);
      if (link === undefined) {
        await showUnusableLink();
      } else {
        await followLink(this.options, link);
      }
    } finally {
      this.isOpen = false;
    }
  }
}

/**
 * Resolves when the user has closed the message. Modal, because an unanswered notification could block further links
 * for hours.
 */
export async function showUnusableLink(): Promise<void> {
  const detail = vscode.l10n.t('The job link is incomplete or was changed. Ask for a new one.');
  await vscode.window.showWarningMessage(vscode.l10n.t('This link can’t be opened'), { modal: true, detail });
}

/**
 * Shows the job of a link. A job that is not in the list is added only if the user agrees; before that, no request is
 * sent and nothing is written.
 */
export async function followLink(options: TrackJobOptions, link: JobLink): Promise<TrackedJob | undefined> {
  const { store, view } = options;
  const known = findJob(store, { service: link.service, projectId: link.project }, link.id);
  if (known !== undefined && !known.untracked) {
    await view.show(known.key);
    return known;
  }
  const home = known?.home ?? homeOf(options, link);
  if (home === undefined) {
    await showOtherService(link);
    return undefined;
  }
  if (!(await confirmed(home, link))) {
    return undefined;
  }
  const job = await addFound(options, home, link.id, () => lookUp(options, home, link.id));
  if (job !== undefined) {
    await view.show(job.key);
  }
  return job;
}

/** Undefined for a service that is not in the user's settings: a link must not make a key go to a new address. */
function homeOf({ projects, store }: TrackJobOptions, { service, project }: JobLink): ServiceLocation | undefined {
  if (service === LOCAL_SERVICE) {
    const sibling = store.jobs.find(({ home }) => home.service === service && home.projectId === project);
    return settings.usesLocalService() ? (sibling?.home ?? { service, projectId: project }) : undefined;
  }
  const hosted = projects.hostedService(true);
  return hosted?.origin === service ? { service, baseUrl: hosted.baseUrl, projectId: project } : undefined;
}

async function confirmed(home: ServiceLocation, link: JobLink): Promise<boolean> {
  const detail = vscode.l10n.t(
    'Project: {0}\nService: {1}\nJob: {2}\n\nA link requested this. Docs Agent looks up the job with your API key. Nothing is created or changed.',
    toQuestion(home.projectName ?? home.projectId, 200),
    serviceName(home.service),
    toQuestion(link.id, 200),
  );
  const track = vscode.l10n.t('Track Job');
  const options = { modal: true, detail };
  return (await vscode.window.showInformationMessage(vscode.l10n.t('Track this job?'), options, track)) === track;
}

async function showOtherService({ service }: JobLink): Promise<void> {
  const open = vscode.l10n.t('Open Setting');
  const detail =
    service === LOCAL_SERVICE
      ? vscode.l10n.t(
          'This job belongs to a local service. If it was created on this machine, set “docsAgent.service” to “On this machine” and open the link again.',
        )
      : vscode.l10n.t(
          'This job is on {0}, which isn’t your service. No request was sent. If you trust it, set it as “docsAgent.baseUrl” and open the link again.',
          toQuestion(service, 200),
        );
  const title = vscode.l10n.t('This link can’t be opened');
  if ((await vscode.window.showWarningMessage(title, { modal: true, detail }, open)) === open) {
    await openSetting(service === LOCAL_SERVICE ? SETTINGS.service : SETTINGS.baseUrl);
  }
}
