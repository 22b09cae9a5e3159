import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { ChangeRepository } from '../../../../git/git';
import type { GitRepository } from '../../../platform/gitExtension';
import type { Repositories } from '../../../platform/repositories';
import { settings } from '../../../settings';
import type { RepositoryFacts } from './visibilityNotes';

/** A place in a file. Lines count from 1; without lines, the whole file. */
export interface NotedPlace {
  uri: vscode.Uri;
  startLine?: number;
  endLine?: number;
}

/**
 * Returns further notes on a place, one line of Markdown each: where a hosted agent finds it, or why the agent does not
 * see it. Never rejects; leaves out what can't be determined.
 */
export type NotesOf = (place: NotedPlace) => Promise<readonly string[]>;

/** How long repository facts are cached, in milliseconds: about as long as collecting context takes. */
const FRESH_MS = 3_000;

interface Known {
  until: number;
  facts: Promise<{ opened: ChangeRepository; facts: RepositoryFacts }>;
}

/** Notes based on git. Loads no git code before the first call. */
export function notesByGit(repositories: Repositories, log: Logger): NotesOf {
  const known = new Map<string, Known>();
  const factsOf = (repository: GitRepository): Known['facts'] => {
    // HEAD is part of the key, so a new commit takes effect at once.
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
      const [{ getVisibilityNotes }, { opened, facts }] = await Promise.all([
        import('./visibilityNotes'),
        factsOf(repository),
      ]);
      const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
      const lines = startLine === undefined ? {} : { lines: { start: startLine, end: endLine ?? startLine } };
      const file = { path, isDirty: open?.isDirty === true, ...lines };
      return await getVisibilityNotes(opened, facts, file, settings.usesLocalService());
    } catch (error) {
      log.warn('couldn’t determine what an agent sees of a file', error);
      return [];
    }
  };
}

async function readFacts(repositories: Repositories, repository: GitRepository): Promise<Awaited<Known['facts']>> {
  const { repositoryFacts } = await import('./visibilityNotes');
  const opened = await repositories.open(repository, new AbortController().signal);
  return { opened, facts: await repositoryFacts(opened, process.env, await repositories.program()) };
}
