import * as vscode from 'vscode';
import type { Drafts } from '../drafts';
import { composerDraft, readTarget } from './composerTarget';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The composer's documents as files of the editor: what stands in one is the draft of its target. */
export class ComposerFiles implements vscode.FileSystemProvider {
  /** Never fires: nobody but the editor writes these files while they are open. */
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  private readonly times = new Map<string, number>();

  /** @param onUse called when a document is opened: by a command, or because the window was reloaded */
  constructor(
    private readonly drafts: Drafts,
    private readonly onUse: () => void,
  ) {}

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    this.onUse();
    return encoder.encode((await this.drafts.open(draftOf(uri))) ?? '');
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const draft = draftOf(uri);
    this.drafts.type(draft, decoder.decode(content));
    await this.drafts.flush(draft);
    this.times.set(uri.toString(), Date.now());
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length } = await this.readFile(uri);
    const mtime = this.times.get(uri.toString()) ?? 0;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: length };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

function draftOf(uri: vscode.Uri): string {
  const target = readTarget(uri);
  if (target === undefined) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  return composerDraft(target);
}
