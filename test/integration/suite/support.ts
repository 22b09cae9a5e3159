import { deepStrictEqual, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { extensions } from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { CheckoutResult } from '../../../src/extension/features/pull-requests/checkOut';
import type { GitRepository } from '../../../src/extension/platform/gitExtension';
import type { Job } from '../../../src/extension/presentation/apiJob';
import type { Snapshot } from '../../../src/jobs/events';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { git } from '../../support/temporaryRepository';

/** The extension's exports, as another extension receives them. */
export async function activatedApi(): Promise<DocsAgentApi> {
  const api = await extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate();
  ok(api !== undefined);
  return api;
}

/**
 * The `vscode` module as the extension's own modules see it. Older editors create a separate object per module format,
 * so replacing a function on the test's object would not affect the extension.
 */
export async function extensionVscode(): Promise<typeof import('vscode')> {
  return import('vscode');
}

/**
 * Changes the remote's address. Repeats the status update, because one that was already running may have read the old
 * address.
 */
export async function moveRemote(repository: GitRepository, address: string): Promise<void> {
  await git(repository.rootUri.fsPath, 'remote', 'set-url', 'origin', address);
  for (let tries = 0; tries < 100 && repository.state.remotes[0]?.fetchUrl !== address; tries++) {
    await repository.status();
    await delay(50);
  }
}

/** Does what the stash command of an older editor does once the user has typed a message; its API cannot stash. */
export async function stashInOlderEditor(repository: GitRepository, message: string): Promise<void> {
  ok(!('createStash' in repository), 'an editor that can stash is not asked to do it by its command');
  await git(repository.rootUri.fsPath, 'stash', 'push', '--quiet', '--message', message);
}

/** Checks a checkout that git refused. Older editors leave the changes in the stash and say so; this restores them. */
export async function expectGivenBack(
  repository: GitRepository,
  end: CheckoutResult & { is: 'failed' },
): Promise<void> {
  const isLeft = !('popStash' in repository);
  deepStrictEqual([end.stash !== undefined, end.isIntact], [isLeft, !isLeft]);
  if (isLeft) {
    await git(repository.rootUri.fsPath, 'stash', 'pop', '--quiet');
  }
}

/** Resolves with the job once it satisfies `fits`. */
export async function untilJob(api: DocsAgentApi, key: string, fits: (job: Job) => boolean): Promise<Job> {
  const now = api.jobs.find((job) => job.key === key);
  if (now !== undefined && fits(now)) {
    return now;
  }
  return new Promise((resolve) => {
    const subscription = api.onDidChangeJob((job) => {
      if (job.key === key && fits(job)) {
        subscription.dispose();
        resolve(job);
      }
    });
  });
}

export const isOver = (job: Job): boolean => ['completed', 'failed', 'archived'].includes(job.status);

/** A job of a hosted service that has ended and has a branch. */
export function hostedJob(ref: string, more: Partial<Snapshot>): TrackedJob {
  const nothing = { prLink: null, model: null, createdAt: null, error: null };
  const snapshot: Snapshot = { id: 'j1', status: 'completed', ref, repository: null, ...nothing, ...more };
  const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
  const state = {
    run: 'tracked',
    awaitsActive: false,
    prLinkBefore: null,
    unseen: true,
    untracked: false,
    pinned: false,
  };
  return { key: 'k1', home, sends: [], duplicates: [], snapshot, createdAt: 1, updatedAt: 1, ...state };
}
