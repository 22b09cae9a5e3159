import { ok } from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commands, extensions, Range, window, workspace, WorkspaceEdit } from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
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
  const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
  const state = {
    run: 'tracked',
    awaitsActive: false,
    prLinkBefore: null,
    unseen: true,
    untracked: false,
  };
  return { key: 'k1', location, prompts: [], snapshot, createdAt: 1, updatedAt: 1, ...state };
}

const PROMPT_LANGUAGE = 'docs-agent-prompt';

/** Whether the active editor shows a prompt. */
export function isPromptActive(): boolean {
  return window.activeTextEditor?.document.languageId === PROMPT_LANGUAGE;
}

/** Empties all prompts, closes all editors, and deletes all drafts. Returns the folder of the drafts. */
export async function clearPrompts(): Promise<string> {
  // With a text, it doesn't ask which draft to continue.
  await commands.executeCommand('docsAgent.composePrompt', { text: 'To be removed' });
  ok(isPromptActive());
  const folder = join(window.activeTextEditor?.document.uri.fsPath ?? '', '..', '..', '..');
  // The editor may save what was just typed after the tab was closed, even after the file was deleted: then nothing.
  const prompts = workspace.textDocuments.filter(({ languageId }) => languageId === PROMPT_LANGUAGE);
  for (const document of prompts.filter((prompt) => prompt.getText() !== '')) {
    const edit = new WorkspaceEdit();
    edit.delete(document.uri, document.validateRange(new Range(0, 0, Number.MAX_SAFE_INTEGER, 0)));
    ok(await workspace.applyEdit(edit));
    await document.save();
  }
  await commands.executeCommand('workbench.action.closeAllEditors');
  const saved = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  await Promise.all(saved.map((name) => rm(join(folder, name), { force: true })));
  return folder;
}
