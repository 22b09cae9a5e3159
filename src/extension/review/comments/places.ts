import { posix } from 'node:path';
import type * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed } from '../../../jobs/trackedJob';
import { decodeJson } from '../../../shared/util/decodeJson';
import { type GitRepository, gitApi } from '../../services/gitExtension';

/** What a document of the editor is of a job's change. */
export interface ReviewPlace {
  jobKey: string;
  /** In the repository. */
  path: string;
  side: 'old' | 'new';
}

/** A change that is shown: the two commits between which it is. */
export interface ShownChange {
  jobKey: string;
  repository: Pick<GitRepository, 'rootUri'>;
  base: string;
  commit: string;
}

/** Tells which documents are of a job's change: those of the view of its changes, and files while its branch is checked out. */
export class ReviewPlaces {
  private readonly shown: ShownChange[] = [];

  constructor(private readonly store: JobStore) {}

  /** The documents of this change can be commented on from now on. */
  show(change: ShownChange): void {
    this.shown.push(change);
  }

  async of(uri: vscode.Uri): Promise<ReviewPlace | undefined> {
    if (uri.scheme === 'git') {
      return this.ofCommit(uri);
    }
    return uri.scheme === 'file' ? this.ofFile(uri) : undefined;
  }

  /** The Git extension's addresses say in their query which commit they are of. */
  private ofCommit(uri: vscode.Uri): ReviewPlace | undefined {
    const query = decodeJson(uri.query) as { ref?: unknown } | undefined;
    const change = this.shown.findLast(
      ({ repository, base, commit }) =>
        (query?.ref === base || query?.ref === commit) && pathIn(repository.rootUri, uri) !== undefined,
    );
    const path = change && pathIn(change.repository.rootUri, uri);
    return change === undefined || path === undefined
      ? undefined
      : { jobKey: change.jobKey, path, side: query?.ref === change.commit ? 'new' : 'old' };
  }

  private async ofFile(uri: vscode.Uri): Promise<ReviewPlace | undefined> {
    const repository = (await gitApi())?.getRepository(uri) ?? undefined;
    const branch = repository?.state.HEAD?.name;
    const path = repository && pathIn(repository.rootUri, uri);
    if (branch === undefined || path === undefined) {
      return undefined;
    }
    const job = this.store.jobs.find((each) => isListed(each) && each.snapshot?.ref === branch);
    return job && { jobKey: job.key, path, side: 'new' };
  }
}

function pathIn(root: vscode.Uri, { path }: vscode.Uri): string | undefined {
  const inside = posix.relative(root.path, path);
  return inside === '' || inside.startsWith('../') ? undefined : inside;
}
