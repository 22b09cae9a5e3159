import * as vscode from 'vscode';
import { DisposableStore } from '../../../../base/disposable';
import type { PromptPorts } from '../register';

/** The language of prompts in package.json, which applies to the files in the folder of drafts. */
export const PROMPT_LANGUAGE = 'docs-agent-prompt';

const PROMPT_PATH = /\/docs-agent\.docs-agent-jobs\/drafts\/([^/]+\/[^/]+)\/[^/~]+\.md$/;

/** The folder with the drafts for the same target, as `Drafts` names it; undefined for any other file. */
export function promptFolder({ path }: vscode.Uri): string | undefined {
  return PROMPT_PATH.exec(path)?.[1];
}

/** The scheme of previews, which are read-only. */
export const PREVIEW_SCHEME = 'docs-agent-preview';

/** The address of a prompt's preview. */
export function previewOf(prompt: vscode.Uri, title: string): vscode.Uri {
  const path = `/${title.replace(/[/\\?#%*:|"<>]/g, ' ')}.md`;
  return vscode.Uri.from({ scheme: PREVIEW_SCHEME, path, query: prompt.toString() });
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}

/** Previews as read-only files, so that the editor can restore them after a reload. */
export class PreviewFiles implements vscode.FileSystemProvider {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;
  private readonly watched = new Map<string, vscode.Uri>();
  private version = 1;
  readonly createDirectory = refuse;
  readonly delete = refuse;
  readonly rename = refuse;
  readonly writeFile = refuse;
  readonly readDirectory = refuse;

  /** @param render returns the preview of a prompt */
  constructor(private readonly render: (prompt: vscode.Uri) => Promise<string>) {}

  async readFile({ query }: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode(await this.render(vscode.Uri.parse(query, true)));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length } = await this.readFile(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime: this.version, size: length, permissions };
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    this.watched.set(uri.toString(), uri);
    return new vscode.Disposable(() => this.watched.delete(uri.toString()));
  }

  /** Refreshes the preview of a prompt that has changed. */
  refresh(prompt: vscode.Uri): void {
    const shown = [...this.watched.values()].filter(
      ({ query }) => vscode.Uri.parse(query, true).toString() === prompt.toString(),
    );
    if (shown.length > 0) {
      this.version++;
      this.changes.fire(shown.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
    }
  }
}

/**
 * Registers what the editor offers in prompts and their previews, and in files of the user.
 *
 * @param load loads the commands, for a prompt or a preview that is opened by a command or because the window was
 *   reloaded
 */
export function registerPromptFiles(load: () => Promise<Pick<PromptPorts, 'preview'>>): vscode.Disposable {
  const owned = new DisposableStore();
  const open = (document: vscode.TextDocument): void => {
    if (promptFolder(document.uri) !== undefined) {
      void load();
      // The user may have associated all Markdown files with another language.
      void (
        document.languageId === PROMPT_LANGUAGE || vscode.languages.setTextDocumentLanguage(document, PROMPT_LANGUAGE)
      );
    }
  };
  owned.add(vscode.workspace.onDidOpenTextDocument(open));
  vscode.workspace.textDocuments.forEach(open);
  const previews = new PreviewFiles(async (prompt) => (await load()).preview(prompt));
  owned.add(vscode.workspace.registerFileSystemProvider(PREVIEW_SCHEME, previews, { isReadonly: true }));
  owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => previews.refresh(document.uri)));
  return owned;
}
