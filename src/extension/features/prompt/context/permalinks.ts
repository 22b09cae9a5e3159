import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import { remoteAddress } from '../../../../git/remotes';
import { permalink } from '../../../../prompt/permalink';
import { inferForgeKind } from '../../../../protocol/forgeKinds';
import type { GitRepository } from '../../../platform/gitExtension';
import type { Repositories } from '../../../platform/repositories';

/** A place in a file. Lines count from 1; without lines, the whole file. */
export interface LinkedPlace {
  uri: vscode.Uri;
  startLine?: number;
  endLine?: number;
}

/** Returns a note with the permalink of a place as a line of Markdown; empty if there is none. Never rejects. */
export type NotesOf = (place: LinkedPlace) => Promise<readonly string[]>;

/** Only a file that is the same in the editor, on disk, and in a commit at a Git host has a permalink. */
export function permalinks(repositories: Pick<Repositories, 'holding'>, log: Logger): NotesOf {
  return async ({ uri, startLine, endLine = startLine }) => {
    try {
      const repository = await repositories.holding(uri);
      const commit = repository && pushedCommit(repository);
      const isDirty = vscode.workspace.textDocuments.some(
        (each) => each.isDirty && each.uri.toString() === uri.toString(),
      );
      if (repository === undefined || commit === undefined || isDirty || isChanged(repository, uri)) {
        return [];
      }
      // Rejects for a file that isn't in the commit.
      await repository.getObjectDetails(commit, uri.fsPath);
      const host = hostOf(repository);
      const path = relative(repository.rootUri.fsPath, uri.fsPath).split(sep).join('/');
      const lines = startLine === undefined ? {} : { lines: { start: startLine, end: endLine ?? startLine } };
      return host === undefined ? [] : [`Permalink: ${permalink({ ...host, commit, path, ...lines })}`];
    } catch (error) {
      log.info(`no permalink for ${uri.path}: ${String(error)}`);
      return [];
    }
  };
}

/** The commit that is checked out, if its branch has been pushed; as far as is known without network access. */
export function pushedCommit({ state: { HEAD } }: GitRepository): string | undefined {
  return HEAD?.upstream !== undefined && HEAD.ahead === 0 ? HEAD.commit : undefined;
}

/** The repository at the Git host that the current branch is pushed to. */
export function hostOf({ state, rootUri }: GitRepository): Omit<Parameters<typeof permalink>[0], 'commit'> | undefined {
  const url = state.remotes.find(({ name }) => name === state.HEAD?.upstream?.remote)?.fetchUrl;
  const address = url === undefined ? undefined : remoteAddress(url, rootUri.fsPath);
  if (address === undefined || 'folder' in address) {
    return undefined;
  }
  const { host, origin, path } = address;
  return { host, origin, repository: path, forge: inferForgeKind(origin) };
}

function isChanged({ state }: GitRepository, uri: vscode.Uri): boolean {
  const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges } = state;
  const changes = [workingTreeChanges, indexChanges, mergeChanges, untrackedChanges].flat();
  return changes.some((change) => change.uri.toString() === uri.toString());
}
