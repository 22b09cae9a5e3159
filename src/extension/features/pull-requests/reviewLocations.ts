import { posix } from 'node:path';
import type * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed } from '../../../jobs/trackedJob';
import { type FileVersion, readVersion } from '../../platform/fileVersions';
import { gitApi, type GitRepository } from '../../platform/gitExtension';
import { openJobRepositories } from '../../platform/jobRepository';
import { hasNewWork } from '../../platform/seenVersions';

/** How a document relates to a job's change. */
export interface ReviewLocation {
  jobKey: string;
  /** Relative to the repository. */
  path: string;
  side: 'old' | 'new';
  /** Whether the agent has worked on it since this version was opened. */
  isOld: boolean;
}

/** An open change: the two commits that it compares. */
export interface ShownChange {
  jobKey: string;
  repository: Pick<GitRepository, 'rootUri'>;
  base: string;
  commit: string;
  /** When the job's last run had ended at the time of opening. */
  endedAt: number | undefined;
}

/**
 * Finds the documents that belong to a job's change: those in its changes view, and files while its branch is checked
 * out.
 */
export class ReviewLocations {
  /** The open changes, without duplicates. */
  private readonly shown = new Map<string, ShownChange>();

  constructor(
    private readonly store: JobStore,
    private readonly localAvailable: boolean,
  ) {}

  /** Makes the documents of this change commentable. */
  show(change: ShownChange): void {
    const name = [change.jobKey, change.base, change.commit, change.repository.rootUri.toString()].join(' ');
    this.shown.delete(name);
    this.shown.set(name, change);
  }

  async get(uri: vscode.Uri): Promise<ReviewLocation | undefined> {
    const version = readVersion(uri);
    return version !== undefined ? this.ofVersion(version) : uri.scheme === 'file' ? this.ofFile(uri) : undefined;
  }

  private ofVersion({ jobKey, path, root, commit, side }: FileVersion): ReviewLocation | undefined {
    const change = [...this.shown.values()].findLast(
      (each) =>
        each.jobKey === jobKey &&
        each.repository.rootUri.path === root &&
        commit === (side === 'new' ? each.commit : each.base),
    );
    return change && { jobKey: change.jobKey, path, side, isOld: this.isOld(change) };
  }

  private isOld({ jobKey, commit, endedAt }: ShownChange): boolean {
    const newest = [...this.shown.values()].findLast((each) => each.jobKey === jobKey);
    return newest?.commit !== commit || hasNewWork(this.store.get(jobKey), endedAt);
  }

  private async ofFile(uri: vscode.Uri): Promise<ReviewLocation | undefined> {
    const repository = (await gitApi())?.getRepository(uri) ?? undefined;
    const branch = repository?.state.HEAD?.name;
    const path = repository && pathIn(repository.rootUri, uri);
    if (branch === undefined || path === undefined) {
      return undefined;
    }
    // Another repository may have a branch of the same name.
    for (const job of this.store.jobs.filter((each) => isListed(each) && each.snapshot?.ref === branch)) {
      const own = await openJobRepositories(job, this.localAvailable);
      if (own.some((each) => each.repository.rootUri.toString() === repository?.rootUri.toString())) {
        return { jobKey: job.key, path, side: 'new', isOld: false };
      }
    }
    return undefined;
  }
}

function pathIn(root: vscode.Uri, { path }: vscode.Uri): string | undefined {
  const inside = posix.relative(root.path, path);
  return inside === '' || inside.startsWith('../') ? undefined : inside;
}
