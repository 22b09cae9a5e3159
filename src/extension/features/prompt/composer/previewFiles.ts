import * as vscode from 'vscode';
import { decodeJson } from '../../../../base/json';
import { showInvisible } from '../../../../base/text';
import { promptText } from '../../../../prompt/promptText';
import { promptBody } from '../../../../protocol/status';
import type { Drafts } from '../../../sending/drafts';
import { withStandingInstructions } from '../../../sending/standingInstructions';
import { toFileBytes, VirtualFiles } from './composerFiles';
import { composerDraft, type ComposerTarget, parseTarget, readTarget } from './composerTarget';

/**
 * Read-only files that show what will be sent, built from the current prompt. In the text form, invisible characters
 * are replaced by their code points; the body form is byte for byte.
 */
export class PreviewFiles extends VirtualFiles implements vscode.FileSystemProvider {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;
  private readonly watched = new Map<string, vscode.Uri>();
  private version = 1;

  /** @param onUse called when a document is opened, by a command or because the window was reloaded */
  constructor(
    private readonly drafts: Pick<Drafts, 'peek'>,
    private readonly onUse: () => void,
  ) {
    super();
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    this.onUse();
    const { form, target } = previewOf(uri);
    const prompt = await promptOf(target, this.drafts);
    return toFileBytes(form === 'prompt' ? showInvisible(prompt) : promptBody(prompt));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length } = await this.readFile(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: this.version,
      size: length,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    this.watched.set(uri.toString(), uri);
    return new vscode.Disposable(() => this.watched.delete(uri.toString()));
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  /** Refreshes the preview of a prompt that may have changed. */
  refresh(changed: vscode.Uri): void {
    const target = readTarget(changed);
    const draft = target && composerDraft(target);
    const shown = [...this.watched.values()].filter((uri) => composerDraft(previewOf(uri).target) === draft);
    if (shown.length > 0) {
      this.version++;
      this.changes.fire(shown.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
    }
  }
}

/** The prompt for a target as it would be sent now. */
export async function promptOf(target: ComposerTarget, drafts: Pick<Drafts, 'peek'>): Promise<string> {
  const draft = composerDraft(target);
  const open = vscode.workspace.textDocuments.find(({ uri }) => {
    const own = readTarget(uri);
    return own !== undefined && composerDraft(own) === draft;
  });
  const prompt = promptText(open === undefined ? ((await drafts.peek(draft)) ?? '') : open.getText());
  return target.kind === 'new' ? withStandingInstructions(prompt) : prompt;
}

function previewOf(uri: vscode.Uri): PreviewOf {
  const preview = readPreview(uri);
  if (preview === undefined) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  return preview;
}

/** The scheme of the preview documents. */
export const PREVIEW_SCHEME = 'docs-agent-preview';

/** The prompt's text, or the body of the request that carries it. */
export type PreviewForm = 'prompt' | 'body';

export interface PreviewOf {
  form: PreviewForm;
  target: ComposerTarget;
}

export function previewUri({ form, target }: PreviewOf, title: string): vscode.Uri {
  const path = `/${title}.${form === 'prompt' ? 'md' : 'json'}`;
  return vscode.Uri.from({ scheme: PREVIEW_SCHEME, path, query: JSON.stringify({ form, target }) });
}

/** Returns what a document previews; undefined when the address is not ours. */
export function readPreview({ scheme, query }: vscode.Uri): PreviewOf | undefined {
  const value = scheme === PREVIEW_SCHEME ? decodeJson(query) : undefined;
  const { form, target } = (value ?? {}) as Record<string, unknown>;
  const parsed = parseTarget(target);
  return parsed !== undefined && (form === 'prompt' || form === 'body') ? { form, target: parsed } : undefined;
}
