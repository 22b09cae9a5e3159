import * as vscode from 'vscode';
import { lineOf } from '../../../jobs/delivery';
import { type Home, LOCAL_SERVICE } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { BudgetFiles } from '../../../storage/budgetFiles';
import type { Projects } from '../../services/projects';
import { toLabel } from '../../text';
import { jobTitle } from '../../presentation/jobText';
import { type FollowUpWords, followUpWords } from '../whenToSend';
import type { ComposerTarget } from './composerTarget';

export interface TargetFactsOptions {
  projects: Pick<Projects, 'hostedService'>;
  store: JobStore;
  /** What is counted of the hour's limit. */
  budget: Pick<BudgetFiles, 'look' | 'size'>;
}

/** What is left of an hour's limit, as counted here. */
export interface RemainingQuota {
  left: number;
  size: number;
  /** Wall time at which one more is allowed; undefined while there is room. */
  nextAt: number | undefined;
}

/** What is known of where a prompt goes. */
export class TargetFacts {
  constructor(private readonly options: TargetFactsOptions) {}

  /** The target in words: job, or project and service. */
  nameOf(target: ComposerTarget): string {
    if (target.kind === 'followUp') {
      const job = this.jobOf(target);
      return job === undefined ? vscode.l10n.t('a job that is not in the list') : toLabel(jobTitle(job), 50);
    }
    const project = toLabel(target.projectName ?? target.projectId, 50);
    return target.service === LOCAL_SERVICE ? vscode.l10n.t('{0} (local service)', project) : project;
  }

  /** The job of a follow-up, while it is in the list. */
  jobOf(target: ComposerTarget): TrackedJob | undefined {
    return target.kind === 'followUp' ? this.options.store.get(target.jobKey) : undefined;
  }

  /** Where it goes; undefined when that can't be told, which the user was told unless `quietly`. */
  homeOf(target: ComposerTarget, quietly = false): Home | undefined {
    if (target.kind === 'followUp') {
      return this.jobOf(target)?.home;
    }
    const { projectId, projectName } = target;
    const named = projectName === undefined ? {} : { projectName };
    if (target.service === LOCAL_SERVICE) {
      return { service: LOCAL_SERVICE, projectId, ...named };
    }
    const service = this.options.projects.hostedService(quietly);
    return service === undefined
      ? undefined
      : { service: service.origin, baseUrl: service.baseUrl, projectId, ...named };
  }

  /** What a follow-up does to its job, and the ways to send it; undefined for a new job. */
  followUpWordsOf(target: ComposerTarget): FollowUpWords | undefined {
    const job = this.jobOf(target);
    return job && followUpWords(job);
  }

  /** Undefined where nothing is counted. */
  async remainingQuota(target: ComposerTarget): Promise<RemainingQuota | undefined> {
    const home = this.homeOf(target, true);
    if (home === undefined) {
      return undefined;
    }
    const { budget } = this.options;
    const now = Date.now();
    const { left, nextMs } = await budget.look(lineOf(home, target.kind === 'new' ? 'create' : 'followUp'), now);
    return { left, size: budget.size, nextAt: left > 0 ? undefined : now + nextMs };
  }
}
