import * as vscode from 'vscode';
import type { Drafts } from '../../../sending/drafts';
import { composerDraft, readTarget } from './composerTarget';
import { tabsOf } from './tabsOf';

/** Common part of the virtual file systems: no folders, no deleting, no renaming. */
export abstract class VirtualFiles {
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

const encoder = new TextEncoder();

/**
 * The bytes of a virtual file. They begin with a byte order mark, because the editor would otherwise read them in the
 * encoding of the user's setting `files.encoding`, and write back what it does not understand as question marks.
 */
export function toFileBytes(text: string): Uint8Array {
  return encoder.encode(`\uFEFF${text}`);
}

/** How documents with such bytes are opened. With another encoding, opening a changed document would fail. */
export const FILE_ENCODING = { encoding: 'utf8bom' } as const;

/** Drops the byte order mark. Throws for another encoding, in which a command of the editor can save a document. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The composer's documents as virtual files: the content of each is the draft of its target. */
export class ComposerFiles extends VirtualFiles implements vscode.FileSystemProvider {
  /** Never fires: only the editor writes these files while they are open. */
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  private readonly times = new Map<string, number>();
  /**
   * The content of the documents open in this window. The editor may read a file at any time; returning another
   * window's newer text would make this window the draft's owner, and the next keystroke would overwrite that text.
   */
  private readonly texts = new Map<string, Uint8Array>();

  /** @param onUse called when a document is opened, by a command or because the window was reloaded */
  constructor(
    private readonly drafts: Drafts,
    private readonly onUse: () => void,
  ) {
    super();
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    this.onUse();
    const draft = draftOf(uri);
    const open = this.texts.get(uri.toString());
    if (open !== undefined) {
      return open;
    }
    const text = toFileBytes((await this.drafts.open(draft)) ?? '');
    this.texts.set(uri.toString(), text);
    return text;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  /**
   * Called when the document is open, also after its language was set, which VS Code reports as closing it. Content
   * restored from the editor's own backup has not been read through this file system.
   */
  hold(document: vscode.TextDocument): void {
    const target = readTarget(document.uri);
    if (target !== undefined) {
      const text = document.getText();
      this.onUse();
      this.texts.set(document.uri.toString(), toFileBytes(text));
      void this.drafts.adopt(composerDraft(target), text);
    }
  }

  /** Their documents are closed: the next read returns the latest text of all windows. */
  forget(closed: readonly vscode.Tab[]): void {
    for (const { input } of closed) {
      if (input instanceof vscode.TabInputText && tabsOf(input.uri).length === 0) {
        this.texts.delete(input.uri.toString());
      }
    }
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const draft = draftOf(uri);
    const text = decoded(content);
    this.drafts.type(draft, text);
    try {
      await this.drafts.flush(draft);
    } catch (error) {
      const { whyUnsaved } = await import('../../../sending/promptLimits');
      // The document stays dirty: the editor reports it, asks before closing, and keeps a backup.
      throw vscode.FileSystemError.Unavailable(whyUnsaved(error));
    }
    this.texts.set(uri.toString(), toFileBytes(text));
    this.times.set(uri.toString(), Date.now());
  }

  /** Also called for documents that are not open, so this must not take over the draft. */
  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const content = this.texts.get(uri.toString()) ?? toFileBytes((await this.drafts.peek(draftOf(uri))) ?? '');
    const { length } = content;
    const mtime = this.times.get(uri.toString()) ?? 0;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: length };
  }
}

function decoded(content: Uint8Array): string {
  try {
    return decoder.decode(content);
  } catch {
    throw vscode.FileSystemError.Unavailable(vscode.l10n.t('Prompts can be saved only as UTF-8.'));
  }
}

function draftOf(uri: vscode.Uri): string {
  const target = readTarget(uri);
  if (target === undefined) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  return composerDraft(target);
}
