import { realpath } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { asUserSees } from '../../../../git/disableRepositoryPrograms';
import { Git, GitError } from '../../../../git/git';
import { canBeContext } from './contextKinds';
import { IgnoredFiles, repositoryAbove } from './ignoredFiles';

/** So many names are looked at before others get their turn: a few milliseconds. */
const BATCH = 2_000;

interface Ranked {
  name: string;
  depth: number;
}

/**
 * The names that contain the letters, whatever their case: at most `max`, the least deep ones first. None once it is
 * cancelled.
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
      // The first ones are sorted already, which makes this cheap.
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
/** How long git may take to list them, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** A list is used again for this long: the completion asks at every letter. */
const KEEP_MS = 3_000;

type Names = readonly string[] | undefined;

/** The names of the files that git tracks or would add, so that no ignored one is among them. */
export class GitFileNames {
  private readonly known = new Map<string, Promise<Names>>();

  constructor(private readonly keepMs = KEEP_MS) {}

  /** Those in a folder, by their path from there; undefined where git can't be asked, or the folder is in no repository. */
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
    const place = { ...(await asUserSees(git, repository)), folder };
    const names: string[] = [];
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of git.stream(place, LIST, signal)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\0');
      rest = parts.pop() ?? '';
      names.push(...parts);
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
  /** Those nearest to the folder of the workspace first. */
  uris: readonly vscode.Uri[];
  /** There are others, which are not among them. */
  hasMore: boolean;
}

const fileNames = new GitFileNames();

/** Files of the workspace whose path holds the letters, whatever their case; all of them without letters. Ignored ones are left out. */
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

/** Undefined where git can't be asked: a folder that is not on this machine, not trusted, or in no repository. */
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

/** Where git can't be asked the editor's own search looks, and stops at `max`. */
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

/** The files that are open in tabs, in the order of the tabs. */
export function openFiles(): vscode.Uri[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
  const uris = inputs.flatMap((input) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [],
  );
  return [...new Map(uris.filter(canBeContext).map((uri) => [uri.toString(), uri])).values()];
}

/** The address that a path in the workspace stands for; its first part may be the name of a folder of the workspace. */
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
    // A path with `..` may lead out of it.
    if (exists && vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
      return uri;
    }
  }
  return undefined;
}

/** A glob knows no case: each letter stands for both, and what means something in a glob for any character. */
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
