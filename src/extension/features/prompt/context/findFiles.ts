import { realpath } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { withUserFileSettings } from '../../../../git/disableRepositoryPrograms';
import { Git, GitError } from '../../../../git/git';
import { streamEntries } from '../../../../git/streamEntries';
import { canBeContext } from './lastEditor';
import { IgnoredFiles, repositoryAbove } from './ignoredFiles';

/** Number of names processed before yielding to the event loop: a few milliseconds. */
const BATCH = 2_000;

interface Ranked {
  name: string;
  depth: number;
}

/**
 * Returns the names that contain the letters, ignoring case: at most `max`, shallowest paths first. Returns nothing
 * after cancellation.
 */
export async function nearestNames(
  names: readonly string[],
  letters: string,
  max: number,
  isCancelled: () => boolean = () => false,
): Promise<{ names: string[]; hasMore: boolean }> {
  const asked = letters.toLowerCase();
  let nearest: Ranked[] = [];
  let matches = 0;
  for (let start = 0; start < names.length; start += BATCH) {
    if (isCancelled()) {
      return { names: [], hasMore: false };
    }
    for (const name of names.slice(start, start + BATCH)) {
      if (asked === '' || `/${name}`.toLowerCase().includes(asked)) {
        matches += 1;
        nearest.push({ name, depth: depthOf(name) });
      }
    }
    if (nearest.length > max) {
      // The first names are sorted already, which keeps this cheap.
      nearest = nearest.sort(byDepth).slice(0, max);
    }
    await setImmediate();
  }
  return { names: nearest.sort(byDepth).map(({ name }) => name), hasMore: matches > max };
}

function depthOf(name: string): number {
  let depth = 0;
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    depth += 1;
  }
  return depth;
}

function byDepth(a: Ranked, b: Ranked): number {
  return a.depth - b.depth || (a.name < b.name ? -1 : 1);
}

const LIST = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
/** Timeout for git's file listing, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** How long a list is cached, in milliseconds: completion asks on every keystroke. */
const KEEP_MS = 3_000;

type Names = readonly string[] | undefined;

/** The names of files that git tracks or would add, so ignored files are never included. */
export class GitFileNames {
  private readonly known = new Map<string, Promise<Names>>();

  constructor(private readonly keepMs = KEEP_MS) {}

  /**
   * The files in a folder, relative to it; undefined when git can't be run, or when the folder is not in a repository.
   */
  of(folder: string): Promise<Names> {
    const known = this.known.get(folder);
    if (known !== undefined) {
      return known;
    }
    const listed = list(folder).finally(() => setTimeout(() => this.known.delete(folder), this.keepMs).unref());
    this.known.set(folder, listed);
    return listed;
  }
}

async function list(path: string): Promise<Names> {
  const git = new Git(process.env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const folder = await realpath(path).catch(() => path);
    const repository = await repositoryAbove(folder);
    if (repository === undefined) {
      return undefined;
    }
    const place = { ...(await withUserFileSettings(git, repository)), folder };
    const names: string[] = [];
    for await (const listed of streamEntries(git, place, LIST, { signal })) {
      names.push(...listed);
    }
    return names;
  } catch (error) {
    if (error instanceof GitError || signal.aborted) {
      return undefined;
    }
    throw error;
  }
}

export interface FoundFiles {
  /** Shallowest paths first. */
  uris: readonly vscode.Uri[];
  /** Whether there are more matches than these. */
  hasMore: boolean;
}

const fileNames = new GitFileNames();

/**
 * Finds workspace files whose path contains the letters, ignoring case; all files without letters. Leaves out ignored
 * files.
 */
export async function findFiles(letters: string, max: number, token?: vscode.CancellationToken): Promise<FoundFiles> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await Promise.all(
    folders.map(async (folder): Promise<FoundFiles> => {
      const names = await gitFiles(folder);
      if (names === undefined) {
        return search(folder, letters, max, token);
      }
      const nearest = await nearestNames(names, letters, max, () => token?.isCancellationRequested === true);
      return { uris: await toUris(folder, nearest.names), hasMore: nearest.hasMore };
    }),
  );
  const uris = found.flatMap((each) => each.uris);
  const first = found.length === 1 ? uris : nearestFirst(uris);
  return { uris: first.slice(0, max), hasMore: uris.length > max || found.some((each) => each.hasMore) };
}

/** Undefined when git can't be run: the folder is not on this machine, not trusted, or not in a repository. */
async function gitFiles({ uri }: vscode.WorkspaceFolder): Promise<readonly string[] | undefined> {
  return uri.scheme === 'file' && vscode.workspace.isTrusted ? fileNames.of(uri.fsPath) : undefined;
}

async function toUris(folder: vscode.WorkspaceFolder, names: readonly string[]): Promise<vscode.Uri[]> {
  const uris: vscode.Uri[] = [];
  for (const name of names) {
    uris.push(vscode.Uri.joinPath(folder.uri, name));
    if (uris.length % 1_000 === 0) {
      await setImmediate();
    }
  }
  return uris;
}

/** The fallback without git: VS Code's own search, which stops at `max`. */
async function search(
  folder: vscode.WorkspaceFolder,
  letters: string,
  max: number,
  token?: vscode.CancellationToken,
): Promise<FoundFiles> {
  const pattern = new vscode.RelativePattern(folder, letters === '' ? '**/*' : `**/*${globOf(letters)}*`);
  const found = await vscode.workspace.findFiles(pattern, undefined, max, token);
  const ignored = await new IgnoredFiles().among(found.map((uri) => ({ uri, isFolder: false })));
  const uris = nearestFirst(found.filter((uri) => !ignored.has(uri.toString())));
  return { uris, hasMore: found.length >= max };
}

/** The files open in tabs, in tab order. */
export function openFiles(): vscode.Uri[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
  const uris = inputs.flatMap((input) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [],
  );
  return [...new Map(uris.filter(canBeContext).map((uri) => [uri.toString(), uri])).values()];
}

/** Resolves a workspace path. Its first part may be the name of a workspace folder. */
export async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first = '', ...rest] = path.split('/');
  const named = folders.find(({ name }) => name === first);
  const candidates = [
    ...(named === undefined ? [] : [vscode.Uri.joinPath(named.uri, ...rest)]),
    ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
  ];
  for (const uri of candidates) {
    const exists = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
      () => true,
      () => false,
    );
    // A path with `..` may point outside the workspace.
    if (exists && vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
      return uri;
    }
  }
  return undefined;
}

/** Globs are case-sensitive, so each letter becomes a set of both cases. Special characters become the wildcard `?`. */
function globOf(letters: string): string {
  return letters.replace(/[\p{L}]|[*?[\]{}!,\\]/gu, (character) => {
    const [low, high] = [character.toLowerCase(), character.toUpperCase()];
    return low === high || low.length !== 1 || high.length !== 1 ? '?' : `[${low}${high}]`;
  });
}

function nearestFirst(uris: readonly vscode.Uri[]): vscode.Uri[] {
  const ranked = uris.map((uri) => ({ uri, path: uri.path, depth: uri.path.split('/').length }));
  return ranked.sort((a, b) => a.depth - b.depth || (a.path < b.path ? -1 : 1)).map(({ uri }) => uri);
}
