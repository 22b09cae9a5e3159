import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../../../shared/util/logger';
import type { GitRepository } from '../../services/gitExtension';
import type { Repositories } from '../../services/repositories';
import { settings } from '../../settings';
import type { ChangeRepository } from '../../../git/git';
import type { RepositoryFacts } from './placeNotes';

/** A place in a file. Lines count from 1; without them it is the whole file. */
export interface NotedPlace {
  uri: vscode.Uri;
  startLine?: number;
  endLine?: number;
}

/**
 * What else is known of a place, one line of Markdown each: where a hosted agent finds it, or why the agent does not see
 * it. Never rejects: what can't be found out is left out.
 */
export type NotesOf = (place: NotedPlace) => Promise<readonly string[]>;

/** How long what was read of a repository is used, in milliseconds: about as long as one gathering of context takes. */
const FRESH_MS = 3_000;

interface Known {
  until: number;
  facts: Promise<{ opened: ChangeRepository; facts: RepositoryFacts }>;
}

/** Notes by what git knows of a place. Nothing of git is loaded before the first. */
export function notesByGit(repositories: Repositories, log: Logger): NotesOf {
  const known = new Map<string, Known>();
  const factsOf = (repository: GitRepository): Known['facts'] => {
    // HEAD is part of the key: a commit meanwhile is seen at once.
    const key = `${repository.state.HEAD?.commit ?? ''} ${repository.rootUri.toString()}`;
    const fresh = known.get(key);
    if (fresh !== undefined && fresh.until > Date.now()) {
      return fresh.facts;
    }
    known.clear();
    const facts = readFacts(repositories, repository);
    known.set(key, { until: Date.now() + FRESH_MS, facts });
    return facts;
  };
  return async ({ uri, startLine, endLine }) => {
    try {
      const repository = await repositories.holding(uri);
      const path = repository && relative(repository.rootUri.fsPath, uri.fsPath).split(sep).join('/');
      if (repository === undefined || path === undefined || path === '' || path.startsWith('../')) {
        return [];
      }
      const [{ placeNotes }, { opened, facts }] = await Promise.all([import('./placeNotes'), factsOf(repository)]);
      const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
      const lines = startLine === undefined ? {} : { lines: { start: startLine, end: endLine ?? startLine } };
      const file = { path, isDirty: open?.isDirty === true, ...lines };
      return await placeNotes(opened, facts, file, settings.usesLocalService());
    } catch (error) {
      log.warn('it could not be found out what an agent sees of a file', error);
      return [];
    }
  };
}

async function readFacts(repositories: Repositories, repository: GitRepository): Promise<Awaited<Known['facts']>> {
  const { repositoryFacts } = await import('./placeNotes');
  const opened = await repositories.open(repository, new AbortController().signal);
  return { opened, facts: await repositoryFacts(opened, process.env, await repositories.program()) };
}
