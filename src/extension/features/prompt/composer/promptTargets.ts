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

/** Where the prompts in a folder go. */
export interface DraftTarget {
  folder: string;
  isFollowUp: boolean;
  /** The job of a follow-up, if it is in the list. */
  job: TrackedJob | undefined;
  /** Undefined for a follow-up to a job that is no longer in the list. */
  location: ServiceLocation | undefined;
  /** For display: the job, or the project and service. */
  name: string;
}

/** Where prompts go: the folder of a prompt's file says for which project or job it is. */
export class PromptTargets {
  /** Where the user has chosen to send new jobs in this window, by the folder of their drafts. */
  private readonly chosen = new Map<string, ServiceLocation>();

  constructor(private readonly options: PromptTargetsOptions) {}

  /** Undefined for any file but a prompt of this extension: a repository may contain a file with such a path. */
  get(uri: vscode.Uri): DraftTarget | undefined {
    const isOurs = uri.path.startsWith(`${vscode.Uri.file(this.options.data).path}/drafts/`);
    const folder = isOurs ? promptFolder(uri) : undefined;
    return folder === undefined ? undefined : this.ofFolder(folder);
  }

  ofFolder(folder: string): DraftTarget {
    const place = readFolder(folder);
    const isFollowUp = place !== undefined && 'jobKey' in place;
    const job = isFollowUp ? this.options.store.get(place.jobKey) : undefined;
    const location = place === undefined || isFollowUp ? job?.location : this.locationOf(folder, place);
    return { folder, isFollowUp, job, location, name: this.nameOf(job, location) };
  }

  /** Returns the folder for new jobs at this location. */
  choose(location: ServiceLocation): string {
    const folder = projectFolder(location);
    this.chosen.set(folder, location);
    return folder;
  }

  /** The name of a prompt's file. */
  titleOf(folder: string): string {
    const { job, location } = this.ofFolder(folder);
    return job === undefined
      ? vscode.l10n.t('New job for {0}', toLabel(location?.projectName ?? location?.projectId ?? '', 50))
      : followUpTitle(job);
  }

  /** Undefined when it is not known where the prompt goes. */
  async remainingQuota({ location, isFollowUp }: DraftTarget): Promise<RemainingQuota | undefined> {
    if (location === undefined) {
      return undefined;
    }
    const { budget } = this.options;
    const now = Date.now();
    const { left, nextMs } = await budget.peek(queueKey(location, isFollowUp ? 'followUp' : 'create'), now);
    return { left, size: budget.size, nextAt: left > 0 ? undefined : now + nextMs };
  }

  private locationOf(folder: string, place: Pick<ServiceLocation, 'service' | 'projectId'>): ServiceLocation {
    const { service, projectId } = place;
    const known = this.options.store.jobs.find(
      ({ location }) => location.service === service && location.projectId === projectId,
    );
    const location = this.chosen.get(folder) ?? known?.location;
    if (location !== undefined) {
      return location;
    }
    if (service === LOCAL_SERVICE) {
      // The ID is made of the folder's name and a hash.
      return { ...place, projectName: projectId.replace(/-[0-9a-f]{10}$/, '') };
    }
    const hosted = this.options.projects.hostedService(true);
    return { ...place, baseUrl: hosted?.origin === service ? hosted.baseUrl : service };
  }

  private nameOf(job: TrackedJob | undefined, location: ServiceLocation | undefined): string {
    if (job !== undefined || location === undefined) {
      return job === undefined ? vscode.l10n.t('a job that isn’t in the list') : toLabel(jobTitle(job), 50);
    }
    const project = toLabel(location.projectName ?? location.projectId, 50);
    if (location.service === LOCAL_SERVICE) {
      return vscode.l10n.t('{0} (local service)', project);
    }
    const isOther = this.options.projects.hostedService(true)?.origin !== location.service;
    return isOther ? `${project} (${serviceName(location.service)})` : project;
  }
}

export function followUpTitle(job: TrackedJob): string {
  return vscode.l10n.t('Follow-up to “{0}” in {1}', toLabel(jobTitle(job), 50), projectLabel(job));
}
