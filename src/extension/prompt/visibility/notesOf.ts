import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../../../shared/util/logger';
import type { GitRepository } from '../../services/gitExtension';
import type { Repositories } from '../../services/repositories';
import { settings } from '../../settings';
import type { ChangeRepository } from '../changes/changeSource';
import type { NotedPlace, NotesOf } from '../context/notesOf';
import type { RepositoryFacts } from './repositoryFacts';

/** How long what was learnt of a repository holds, in milliseconds: about as long as one gathering of context takes. */
const FRESH_MS = 3_000;
/** Larger files are not compared. */
const MAX_MEGABYTES = 20;

interface Known {
  until: number;
  facts: Promise<{ opened: ChangeRepository; facts: RepositoryFacts }>;
}

/** Notes on places by what git knows of them. Nothing of git is loaded before the first. */
export function notesByGit(repositories: Repositories, log: Logger): NotesOf {
  const known = new Map<string, Known>();
  const factsOf = (repository: GitRepository): Known['facts'] => {
    // What HEAD stands for is part of the name: a commit meanwhile is seen at once.
    const name = `${repository.state.HEAD?.commit ?? ''} ${repository.rootUri.toString()}`;
    const fresh = known.get(name);
    if (fresh !== undefined && fresh.until > Date.now()) {
      return fresh.facts;
    }
    known.clear();
    const facts = learn(repositories, repository);
    known.set(name, { until: Date.now() + FRESH_MS, facts });
    return facts;
  };
  return async (place) => {
    try {
      const repository = await repositories.holding(place.uri);
      return repository === undefined ? [] : await notesIn(repository, await factsOf(repository), place);
    } catch (error) {
      log.warn('it could not be told what an agent sees of a file', error);
      return [];
    }
  };
}

async function learn(
  repositories: Repositories,
  repository: GitRepository,
): Promise<{ opened: ChangeRepository; facts: RepositoryFacts }> {
  const { repositoryFacts } = await import('./repositoryFacts');
  const opened = await repositories.open(repository, new AbortController().signal);
  return { opened, facts: await repositoryFacts(opened, process.env, await repositories.program()) };
}

async function notesIn(
  { rootUri }: GitRepository,
  { opened, facts }: Awaited<Known['facts']>,
  { uri, startLine, endLine }: NotedPlace,
): Promise<readonly string[]> {
  const { asStored, notCompared, placeNotes } = await import('./placeNotes');
  const path = relative(rootUri.fsPath, uri.fsPath).split(sep).join('/');
  const bytes = path === '' || path.startsWith('../') ? undefined : await bytesAtHand(uri);
  if (bytes === undefined) {
    return [];
  }
  if (bytes === 'too large') {
    return [notCompared(MAX_MEGABYTES)];
  }
  const lines = startLine === undefined ? {} : { lines: { start: startLine, end: endLine ?? startLine } };
  return placeNotes(opened, facts, { path, contents: asStored(bytes), ...lines }, settings.usesLocalService());
}

/** The file as the editor has it; undefined for what is no file. */
async function bytesAtHand(uri: vscode.Uri): Promise<Uint8Array | 'too large' | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open?.isDirty === true) {
    return Buffer.from(open.getText());
  }
  const { type, size } = await vscode.workspace.fs.stat(uri);
  if (type !== vscode.FileType.File) {
    return undefined;
  }
  return size > MAX_MEGABYTES * 1024 * 1024 ? 'too large' : vscode.workspace.fs.readFile(uri);
}
