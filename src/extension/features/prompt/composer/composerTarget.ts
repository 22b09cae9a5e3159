import * as vscode from 'vscode';
import { decodeJson } from '../../../../base/json';
import { getLineName } from '../../../../jobs/delivery';
import { type ServiceLocation, LOCAL_SERVICE } from '../../../../jobs/events';
import type { JobStore } from '../../../../jobs/jobStore';
import type { QuotaFiles } from '../../../../jobs/store/quotaFiles';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { SETTINGS } from '../../../ids';
import { serviceName } from '../../../platform/apiKeys';
import { toLabel } from '../../../platform/sanitize';
import type { WindowProjects } from '../../../platform/windowProjects';
import { jobTitle } from '../../../presentation/jobText';
import { type FollowUpTexts, getFollowUpTexts } from '../../../sending/followUps';
import type { Projects } from '../../../sending/projects';
import { openSetting, settings } from '../../../settings';

/** The scheme of the composer's documents; they are Markdown. */
export const COMPOSER_SCHEME = 'docs-agent-prompt';

/** The target of a composer prompt: a new job in a project, or an existing job. */
export type ComposerTarget = (
  | {
      kind: 'new';
      /**
       * The origin of the hosted service that the prompt was written for, or `local`. Anyone can craft an address, so an
       * origin decides nothing: the prompt goes to the service in the settings or to that of a job, and only if its
       * origin is this.
       */
      service: string;
      projectId: string;
      /** Only for the local service, and shown only if it can't disguise the project (`TargetFacts`). */
      projectName?: string;
    }
  | { kind: 'followUp'; jobKey: string }
) & {
  /** Distinguishes several prompts for the same target; undefined for the first. */
  draft?: string;
};

/** The target for a new job at this home. */
export function targetOf({ service, projectId, projectName }: ServiceLocation): ComposerTarget {
  return { kind: 'new', service, projectId, ...(projectName === undefined ? {} : { projectName }) };
}

/** Address parts of the target's document. They survive a reload of the window. */
export function composerAddress(target: ComposerTarget, title: string): Pick<vscode.Uri, 'scheme' | 'path' | 'query'> {
  const name = title
    .replace(/[/\\?#%*:|"<>]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80);
  return { scheme: COMPOSER_SCHEME, path: `/${name}.md`, query: JSON.stringify(target) };
}

/**
 * Returns the target of a document; undefined when the address is not one of the composer's. Parsed by hand, because
 * the schema library is not loaded when an editor is restored.
 */
export function readTarget({ scheme, query }: vscode.Uri): ComposerTarget | undefined {
  return scheme === COMPOSER_SCHEME ? parseTarget(decodeJson(query)) : undefined;
}

/** Parses a target from an untrusted value. */
export function parseTarget(value: unknown): ComposerTarget | undefined {
  const { kind, service, projectId, projectName, jobKey, draft } = (value ?? {}) as Record<string, unknown>;
  if (draft !== undefined && !isName(draft)) {
    return undefined;
  }
  const own = draft === undefined ? {} : { draft };
  if (kind === 'followUp' && isName(jobKey)) {
    return { kind, jobKey, ...own };
  }
  if (kind !== 'new' || !isShort(projectId)) {
    return undefined;
  }
  if (service === LOCAL_SERVICE) {
    return { kind, service, projectId, ...(isShort(projectName) ? { projectName } : {}), ...own };
  }
  return isOrigin(service) ? { kind, service, projectId, ...own } : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9]{1,64}$/.test(value);
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 500;
}

function isOrigin(value: unknown): value is string {
  return isShort(value) && URL.canParse(value) && new URL(value).origin === value;
}

/** The draft key of a target, one each. */
export function composerDraft(target: ComposerTarget): string {
  const own = target.draft === undefined ? '' : `#${target.draft}`;
  return target.kind === 'new'
    ? `compose${own} new ${target.service} ${target.projectId}`
    : `compose${own} follow-up ${target.jobKey}`;
}

/** The same for all drafts of a target. */
function targetKey(target: ComposerTarget): string {
  return composerDraft({ ...target, draft: undefined });
}

/** Splits a draft key into the draft's own name and the key of the first draft for the same target. */
export function readDraftName(name: string): { draft: string | undefined; first: string } | undefined {
  const [, draft, rest] = /^compose(?:#([A-Za-z0-9]{1,64}))? ([^]+)$/.exec(name) ?? [];
  return rest === undefined ? undefined : { draft, first: `compose ${rest}` };
}

export interface TargetFactsOptions {
  projects: Pick<Projects, 'hostedService'>;
  store: JobStore;
  /** Counts sends against the hourly limit. */
  budget: Pick<QuotaFiles, 'look' | 'size'>;
  windowProjects: Pick<WindowProjects, 'has'>;
}

/** What remains of the hourly limit, as counted on this machine. */
export interface RemainingQuota {
  left: number;
  size: number;
  /** Wall time at which the next send is allowed; undefined while there is quota left. */
  nextAt: number | undefined;
}

/** What is known about a prompt's target. */
export class TargetFacts {
  /** The targets, by their key, for which a command of this window has opened a prompt. */
  private readonly chosen = new Map<string, ComposerTarget>();

  constructor(private readonly options: TargetFactsOptions) {}

  /** Display name of the target: the job, or the project and service. */
  nameOf(target: ComposerTarget): string {
    if (target.kind === 'followUp') {
      const job = this.jobOf(target);
      return job === undefined ? vscode.l10n.t('a job that isn’t in the list') : toLabel(jobTitle(job), 50);
    }
    const project = toLabel(this.projectName(target) ?? target.projectId, 50);
    if (target.service === LOCAL_SERVICE) {
      return vscode.l10n.t('{0} (local service)', project);
    }
    const isOther = this.options.projects.hostedService(true)?.origin !== target.service;
    return isOther ? `${project} (${serviceName(target.service)})` : project;
  }

  /** The job of a follow-up, if it is in the list. */
  jobOf(target: ComposerTarget): TrackedJob | undefined {
    return target.kind === 'followUp' ? this.options.store.get(target.jobKey) : undefined;
  }

  /** Remembers that the user chose this target with a command. */
  choose(target: ComposerTarget): void {
    this.chosen.set(targetKey(target), target);
  }

  /**
   * False if only the document's address names the project, which may come from a link: no command of this window, no
   * setting, no open folder, and no job does.
   */
  isKnown(target: ComposerTarget): boolean {
    const home = this.homeOf(target, true);
    if (target.kind === 'followUp' || home === undefined || this.chosen.has(targetKey(target))) {
      return true;
    }
    const { store, windowProjects } = this.options;
    const { service, projectId } = home;
    return (
      windowProjects.has(home) ||
      (service !== LOCAL_SERVICE && settings.projectId() === projectId) ||
      // A job that was only added to the list may come from a link, too.
      store.jobs.some((job) => job.sends.length > 0 && isAt(job, service, projectId))
    );
  }

  /** Where the prompt goes. Undefined when unknown (the user is notified unless `quietly`). */
  homeOf(target: ComposerTarget, quietly = false): ServiceLocation | undefined {
    if (target.kind === 'followUp') {
      return this.jobOf(target)?.home;
    }
    const { projectId } = target;
    const projectName = this.projectName(target);
    const named = projectName === undefined ? {} : { projectName };
    if (target.service === LOCAL_SERVICE) {
      return { service: LOCAL_SERVICE, projectId, ...named };
    }
    return this.hostedHome(target.service, projectId, quietly);
  }

  /** The service in the settings, or that of a job, if it has this origin. */
  private hostedHome(origin: string, projectId: string, quietly: boolean): ServiceLocation | undefined {
    const { projects, store } = this.options;
    const service = projects.hostedService(true);
    if (service?.origin === origin) {
      return { service: service.origin, baseUrl: service.baseUrl, projectId };
    }
    const home = store.jobs.find((job) => isAt(job, origin, projectId))?.home;
    if (home !== undefined || quietly) {
      return home;
    }
    if (service === undefined) {
      projects.hostedService();
      return undefined;
    }
    void offerToChangeService(serviceName(origin), serviceName(service.origin));
    return undefined;
  }

  /**
   * The name of a local project, from a command or a job. The document's address, which anyone can craft, names only
   * the project of an open folder.
   */
  private projectName(target: ComposerTarget): string | undefined {
    if (target.kind !== 'new' || target.service !== LOCAL_SERVICE) {
      return undefined;
    }
    const { projectId } = target;
    const chosen = this.chosen.get(targetKey(target));
    const { store, windowProjects } = this.options;
    const isOwn = windowProjects.has({ service: LOCAL_SERVICE, projectId });
    const job = store.jobs.find(({ home }) => home.service === LOCAL_SERVICE && home.projectId === projectId);
    return (
      (chosen?.kind === 'new' ? chosen.projectName : undefined) ??
      job?.home.projectName ??
      (isOwn ? target.projectName : undefined)
    );
  }

  /** The effect of a follow-up on its job, and the ways to send it; undefined for a new job. */
  getFollowUpTexts(target: ComposerTarget): FollowUpTexts | undefined {
    const job = this.jobOf(target);
    return job && getFollowUpTexts(job);
  }

  /** Undefined when it is not known where the prompt goes. */
  async remainingQuota(target: ComposerTarget): Promise<RemainingQuota | undefined> {
    const home = this.homeOf(target, true);
    if (home === undefined) {
      return undefined;
    }
    const { budget } = this.options;
    const now = Date.now();
    const { left, nextMs } = await budget.look(getLineName(home, target.kind === 'new' ? 'create' : 'followUp'), now);
    return { left, size: budget.size, nextAt: left > 0 ? undefined : now + nextMs };
  }
}

async function offerToChangeService(wanted: string, present: string): Promise<void> {
  const text = vscode.l10n.t(
    'This prompt is for {0}, but new jobs go to {1}. Change the setting, or copy the text to a new prompt.',
    wanted,
    present,
  );
  const open = vscode.l10n.t('Open Setting');
  if ((await vscode.window.showWarningMessage(text, open)) === open) {
    await openSetting(SETTINGS.baseUrl);
  }
}

function isAt({ home }: TrackedJob, service: string, projectId: string): boolean {
  return home.service === service && home.projectId === projectId;
}
