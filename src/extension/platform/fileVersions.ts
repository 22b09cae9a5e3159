import { posix } from 'node:path';
import * as vscode from 'vscode';
import { decodeJson } from '../../base/json';
import type { ChangeRepository } from '../../git/git';
import { diffSummary } from '../../git/diff';
import { gitApi, type GitRepository, openRepositories } from './gitExtension';
import { Repositories } from './repositories';

export const VERSION_SCHEME = 'docs-agent-version';

/** A file as of a commit. */
export interface FileVersion {
  /** The key of a job: two jobs may start from the same commit, and one from another's work. */
  jobKey?: string | undefined;
  commit: string;
  /** Whether it is the version before or after a change. */
  side: 'old' | 'new';
  /** Relative to the root of the repository, whose path this is. */
  path: string;
  root: string;
}

export function versionUri(
  { rootUri }: Pick<GitRepository, 'rootUri'>,
  { path, ...version }: Omit<FileVersion, 'root'>,
): vscode.Uri {
  const query = JSON.stringify({ ...version, root: rootUri.path });
  return vscode.Uri.joinPath(rootUri, path).with({ scheme: VERSION_SCHEME, query });
}

export function readVersion({ scheme, path, query }: vscode.Uri): FileVersion | undefined {
  if (scheme !== VERSION_SCHEME) {
    return undefined;
  }
  const { jobKey, commit, side, root } = (decodeJson(query) ?? {}) as Partial<Record<keyof FileVersion, unknown>>;
  const isVersion =
    (jobKey === undefined || typeof jobKey === 'string') &&
    typeof commit === 'string' &&
    typeof root === 'string' &&
    (side === 'old' || side === 'new');
  return isVersion ? { jobKey, commit, side, root, path: posix.relative(root, path) } : undefined;
}

/** The job whose changes to one file are in front. */
export function jobOfActiveDiff(): string | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff ? readVersion(input.original)?.jobKey : undefined;
}

const refuse = (uri: vscode.Uri): never => {
  throw vscode.FileSystemError.NoPermissions(uri);
};

/** The largest file that is read, and the most that is kept at once, in bytes. */
const MAX_BYTES = 50 * 1024 * 1024;

/**
 * Read-only files of commits, for the editor's diffs. VS Code's Git extension has such files, too, but starts up to five
 * processes for each, so that a job with hundreds of changed files would take a minute to open.
 */
export class FileVersions implements vscode.FileSystemProvider, vscode.Disposable {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  private readonly repositories = new Repositories();
  /** The files that are about to be opened, by address. */
  private ahead: ReadonlyMap<string, Buffer> = new Map();
  private readonly registration: vscode.Disposable;

  constructor() {
    this.registration = vscode.workspace.registerFileSystemProvider(VERSION_SCHEME, this, { isReadonly: true });
  }

  dispose(): void {
    this.registration.dispose();
  }

  /** Opens files with `open`, all read by one process. */
  async readAhead(
    opened: ChangeRepository,
    uris: readonly vscode.Uri[],
    open: () => PromiseLike<unknown>,
  ): Promise<void> {
    const { readBlobs } = await import('../../git/blobs');
    const versions = uris.map((uri) => readVersion(uri));
    const names = versions.map((version) => `${version?.commit ?? ''}:${version?.path ?? ''}`);
    const read = await readBlobs(opened, names, MAX_BYTES);
    this.ahead = new Map(
      uris.flatMap((uri, index) => (read[index] === undefined ? [] : [[uri.toString(), read[index]]])),
    );
    try {
      await open();
    } finally {
      this.ahead = new Map();
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const content = this.ahead.get(uri.toString()) ?? (await this.readOne(uri));
    if (content === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return content;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length: size } = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size, permissions: vscode.FilePermission.Readonly };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readonly readDirectory = refuse;
  readonly createDirectory = refuse;
  readonly writeFile = refuse;
  readonly delete = refuse;
  readonly rename = refuse;

  /** Only in a repository that is open, whatever the address says. */
  private async readOne(uri: vscode.Uri): Promise<Buffer | undefined> {
    const version = readVersion(uri);
    const all = await openRepositories(await gitApi());
    const repository = all.find(({ rootUri }) => rootUri.path === version?.root);
    if (version === undefined || repository === undefined) {
      return undefined;
    }
    const [{ readBlob }, opened] = await Promise.all([import('../../git/blobs'), this.repositories.open(repository)]);
    return readBlob(opened, version, MAX_BYTES);
  }
}

/**
 * A changed file: its current URI, and the URIs of its old and new version; undefined for a version that does not
 * exist.
 */
export type ChangedFile = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/**
 * Returns the files that differ between two commits of a job, in the form that the multi-file diff editor expects.
 *
 * @param opened the same repository
 */
export async function changedFiles(
  repository: GitRepository,
  opened: ChangeRepository,
  { base, commit, jobKey }: { base: string; commit: string; jobKey: string },
): Promise<ChangedFile[]> {
  const { files } = await diffSummary(opened, [base, commit]);
  return files.map(({ path, from = path, status }) => [
    vscode.Uri.joinPath(repository.rootUri, path),
    status === 'A' ? undefined : versionUri(repository, { path: from, commit: base, jobKey, side: 'old' }),
    status === 'D' ? undefined : versionUri(repository, { path, commit, jobKey, side: 'new' }),
  ]);
}

/**
 * Shows what changed in a file between two commits. An added or deleted file has only one side.
 *
 * @param line the line to show first, from 0
 */
export async function showFileChange(
  repository: Pick<GitRepository, 'rootUri'>,
  { path, from = path, status }: { path: string; from?: string; status: string },
  { base, commit, jobKey }: { base: string; commit: string; jobKey?: string },
  title: string,
  line?: number,
): Promise<void> {
  const left = status === 'A' ? undefined : versionUri(repository, { path: from, commit: base, jobKey, side: 'old' });
  const right = status === 'D' ? undefined : versionUri(repository, { path, commit, jobKey, side: 'new' });
  if (left === undefined || right === undefined) {
    const file: ChangedFile = [vscode.Uri.joinPath(repository.rootUri, path), left, right];
    await vscode.commands.executeCommand('vscode.changes', title, [file]);
    return;
  }
  const selection = line === undefined ? undefined : new vscode.Range(line, 0, line, 0);
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { selection });
}
