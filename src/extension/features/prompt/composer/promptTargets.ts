import * as vscode from 'vscode';
import { queueKey } from '../../../../jobs/sendOnce';
import { LOCAL_SERVICE, type ServiceLocation } from '../../../../jobs/events';
import type { JobStore } from '../../../../jobs/jobStore';
import type { QuotaFiles } from '../../../../jobs/store/quotaFiles';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { serviceName } from '../../../platform/apiKeys';
import { toLabel } from '../../../platform/sanitize';
import { jobTitle, projectLabel } from '../../../presentation/jobText';
import { projectFolder, readFolder } from '../../../sending/drafts';
import type { Projects } from '../../../sending/projects';
import { promptFolder } from './promptFiles';

/** What remains of the hourly limit, as counted on this machine. */
export interface RemainingQuota {
  left: number;
  size: number;
  /** Wall time at which the next send is allowed; undefined while there is quota left. */
  nextAt: number | undefined;
}

export interface PromptTargetsOptions {
  /** The folder with the files of this extension. */
  data: string;
  projects: Pick<Projects, 'hostedService'>;
  store: Pick<JobStore, 'get' | 'jobs'>;
  /** Counts sends against the hourly limit. */
  budget: Pick<QuotaFiles, 'peek' | 'size'>;
}

/** Where prompts go: the folder of a prompt's file says for which project or job it is. */
export class PromptTargets {
  /** Where the user has chosen to send new jobs in this window, by the folder of their drafts. */
  private readonly chosen = new Map<string, ServiceLocation>();

  constructor(private readonly options: PromptTargetsOptions) {}

  /** Like `promptFolder`, but only for a prompt of this extension: a repository may contain a file with such a path. */
  folderOf(uri: vscode.Uri): string | undefined {
    return uri.path.startsWith(`${vscode.Uri.file(this.options.data).path}/drafts/`) ? promptFolder(uri) : undefined;
  }

  /** Returns the folder for new jobs at this home. */
  choose(home: ServiceLocation): string {
    const folder = projectFolder(home);
    this.chosen.set(folder, home);
    return folder;
  }

  /** The job of a follow-up, if it is in the list. */
  jobOf(folder: string): TrackedJob | undefined {
    const target = readFolder(folder);
    return target !== undefined && 'jobKey' in target ? this.options.store.get(target.jobKey) : undefined;
  }

  isFollowUp(folder: string): boolean {
    return 'jobKey' in (readFolder(folder) ?? {});
  }

  /** Undefined for a follow-up to a job that is no longer in the list. */
  homeOf(folder: string): ServiceLocation | undefined {
    const target = readFolder(folder);
    if (target === undefined || 'jobKey' in target) {
      return this.jobOf(folder)?.home;
    }
    const { service, projectId } = target;
    const known = this.options.store.jobs.find(({ home }) => home.service === service && home.projectId === projectId);
    const home = this.chosen.get(folder) ?? known?.home;
    if (home !== undefined) {
      return home;
    }
    if (service === LOCAL_SERVICE) {
      // The ID is made of the folder's name and a hash.
      return { ...target, projectName: projectId.replace(/-[0-9a-f]{10}$/, '') };
    }
    const hosted = this.options.projects.hostedService(true);
    return { ...target, baseUrl: hosted?.origin === service ? hosted.baseUrl : service };
  }

  /** Display name of the target: the job, or the project and service. */
  nameOf(folder: string): string {
    const job = this.jobOf(folder);
    const home = this.homeOf(folder);
    if (job !== undefined || home === undefined) {
      return job === undefined ? vscode.l10n.t('a job that isn’t in the list') : toLabel(jobTitle(job), 50);
    }
    const project = toLabel(home.projectName ?? home.projectId, 50);
    if (home.service === LOCAL_SERVICE) {
      return vscode.l10n.t('{0} (local service)', project);
    }
    const isOther = this.options.projects.hostedService(true)?.origin !== home.service;
    return isOther ? `${project} (${serviceName(home.service)})` : project;
  }

  /** The name of a prompt's file. */
  titleOf(folder: string): string {
    const job = this.jobOf(folder);
    const home = this.homeOf(folder);
    return job === undefined
      ? vscode.l10n.t('New job for {0}', toLabel(home?.projectName ?? home?.projectId ?? '', 50))
      : followUpTitle(job);
  }

  /** Undefined when it is not known where the prompt goes. */
  async remainingQuota(folder: string): Promise<RemainingQuota | undefined> {
    const home = this.homeOf(folder);
    if (home === undefined) {
      return undefined;
    }
    const { budget } = this.options;
    const now = Date.now();
    const { left, nextMs } = await budget.peek(queueKey(home, this.isFollowUp(folder) ? 'followUp' : 'create'), now);
    return { left, size: budget.size, nextAt: left > 0 ? undefined : now + nextMs };
  }
}

export function followUpTitle(job: TrackedJob): string {
  return vscode.l10n.t('Follow-up to “{0}” in {1}', toLabel(jobTitle(job), 50), projectLabel(job));
}
