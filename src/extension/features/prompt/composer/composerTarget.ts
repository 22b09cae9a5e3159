import * as vscode from 'vscode';
import { decodeJson } from '../../../../base/json';
import { lineOf } from '../../../../jobs/delivery';
import { type Home, LOCAL_SERVICE } from '../../../../jobs/events';
import type { JobStore } from '../../../../jobs/jobStore';
import type { BudgetFiles } from '../../../../jobs/store/quota';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { toLabel } from '../../../platform/sanitize';
import { jobTitle } from '../../../presentation/jobText';
import { type FollowUpWords, followUpWords } from '../../../sending/followUps';
import type { Projects } from '../../../sending/projects';

/** The scheme of the composer's documents; they are Markdown. */
export const COMPOSER_SCHEME = 'docs-agent-prompt';

/** What a prompt in the composer is for: a new job of a project, or a job that there is. */
export type ComposerTarget = (
  | {
      kind: 'new';
      /** Where hosted jobs go is told by the settings when it is sent: an address that anybody can make decides nothing. */
      service: 'hosted' | typeof LOCAL_SERVICE;
      projectId: string;
      projectName?: string;
    }
  | { kind: 'followUp'; jobKey: string }
) & {
  /** Tells this prompt from others for the same; the first one has none. */
  draft?: string;
};

/** The target of a new job at this home. */
export function targetOf({ service, projectId, projectName }: Home): ComposerTarget {
  const kind = service === LOCAL_SERVICE ? LOCAL_SERVICE : 'hosted';
  const named = projectName === undefined ? {} : { projectName };
  return { kind: 'new', service: kind, projectId, ...named };
}

/** The parts of the address of the target's document, which a reload of the window opens again. */
export function composerAddress(target: ComposerTarget, title: string): Pick<vscode.Uri, 'scheme' | 'path' | 'query'> {
  const name = title
    .replace(/[/\\?#%*:|"<>]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80);
  return { scheme: COMPOSER_SCHEME, path: `/${name}.md`, query: JSON.stringify(target) };
}

/**
 * What a document is for; undefined for an address that is none of the composer's. By hand, because the schema library is
 * not loaded when an editor is restored.
 */
export function readTarget({ scheme, query }: vscode.Uri): ComposerTarget | undefined {
  return scheme === COMPOSER_SCHEME ? parseTarget(decodeJson(query)) : undefined;
}

/** The target in a value that may be anything. */
export function parseTarget(value: unknown): ComposerTarget | undefined {
  const { kind, service, projectId, projectName, jobKey, draft } = (value ?? {}) as Record<string, unknown>;
  if (draft !== undefined && !isName(draft)) {
    return undefined;
  }
  const own = draft === undefined ? {} : { draft };
  if (kind === 'followUp' && isName(jobKey)) {
    return { kind, jobKey, ...own };
  }
  const isNew = kind === 'new' && (service === 'hosted' || service === LOCAL_SERVICE) && isShort(projectId);
  return isNew ? { kind, service, projectId, ...(isShort(projectName) ? { projectName } : {}), ...own } : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9]{1,64}$/.test(value);
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 500;
}

/** Names the draft of a target: one each. The name without one of its own is that of earlier versions. */
export function composerDraft(target: ComposerTarget): string {
  const own = target.draft === undefined ? '' : `#${target.draft}`;
  return target.kind === 'new'
    ? `compose${own} new ${target.service} ${target.projectId}`
    : `compose${own} follow-up ${target.jobKey}`;
}

/** A draft's name taken apart: which one it is, and the name of the first for the same. */
export function readDraftName(name: string): { draft: string | undefined; first: string } | undefined {
  const [, draft, rest] = /^compose(?:#([A-Za-z0-9]{1,64}))? ([^]+)$/.exec(name) ?? [];
  return rest === undefined ? undefined : { draft, first: `compose ${rest}` };
}

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
