import * as vscode from 'vscode';
import { decodeJson } from '../../../shared/util/decodeJson';
import { type ComposerTarget, parseTarget } from '../composer/composerTarget';

/** The scheme of the documents that show what is sent. */
export const PREVIEW_SCHEME = 'docs-agent-preview';

/** The text of the prompt, or the body of the request that carries it. */
export type PreviewForm = 'prompt' | 'body';

export interface PreviewOf {
  form: PreviewForm;
  target: ComposerTarget;
}

export function previewUri({ form, target }: PreviewOf, title: string): vscode.Uri {
  const path = `/${title}.${form === 'prompt' ? 'md' : 'json'}`;
  return vscode.Uri.from({ scheme: PREVIEW_SCHEME, path, query: JSON.stringify({ form, target }) });
}

/** What a document shows; undefined for an address that is none of ours. */
export function readPreview({ scheme, query }: vscode.Uri): PreviewOf | undefined {
  const value = scheme === PREVIEW_SCHEME ? decodeJson(query) : undefined;
  const { form, target } = (value ?? {}) as Record<string, unknown>;
  const parsed = parseTarget(target);
  return parsed !== undefined && (form === 'prompt' || form === 'body') ? { form, target: parsed } : undefined;
}
