import type * as vscode from 'vscode';
import { type Home, LOCAL_SERVICE } from '../../../jobs/events';
import { decodeJson } from '../../../shared/util/decodeJson';

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
