import * as vscode from 'vscode';
import type { WantedChange } from '../prompt/changes/changeSource';
import { collectChanges } from '../prompt/changes/collectChanges';
import { pickChange } from '../prompt/changes/changePicker';
import { pickCommits } from '../prompt/changes/commitPicker';
import type { Addition, PromptDesk } from '../prompt/promptDesk';
import type { GitRepository } from '../services/gitExtension';
import type { Repositories } from '../services/repositories';
import { readAddress, readChange, readTimelineEntry } from './arguments';

/** What the agent is asked to do with a change; prompts are in English. */
const INSTRUCTION = 'Update the documentation for these changes.';

export interface ChangeCommandOptions {
  desk: PromptDesk;
  repositories: Repositories;
}

/** Begins the prompt of a new job that documents changes. */
export async function documentChanges({ desk, repositories }: ChangeCommandOptions, argument: unknown): Promise<void> {
  const addition = await gatherChanges(repositories, argument);
  await (addition && desk.begin({ ...addition, instruction: INSTRUCTION }));
}

/**
 * The same for an entry of the timeline. An editor may tell other extensions only the file, not the entry: then the
 * file's commits are offered.
 */
export async function documentCommit({ desk, repositories }: ChangeCommandOptions, argument: unknown): Promise<void> {
  const entry = readTimelineEntry(argument);
  const file = entry?.fsPath === undefined ? undefined : vscode.Uri.file(entry.fsPath);
  const repository = await repositories.choose(file ?? vscode.window.activeTextEditor?.document.uri);
  if (repository === undefined) {
    return;
  }
  const { ref } = entry ?? {};
  const wanted: WantedChange | undefined =
    ref === undefined ? await pickCommits(repository, file?.fsPath) : { kind: 'commit', ref };
  const addition = wanted && (await collectChanges(repositories, repository, wanted));
  await (addition && desk.begin({ ...addition, instruction: INSTRUCTION }));
}

/** The changes that are named, or else that the user picks. Undefined when cancelled. */
export async function gatherChanges(repositories: Repositories, argument: unknown): Promise<Addition | undefined> {
  const given = readChange(argument);
  const root = given?.rootUri?.fsPath;
  // The menus of editors and files pass an address.
  const file = readAddress(argument);
  const near = root === undefined ? file && vscode.Uri.from(file) : vscode.Uri.file(root);
  const repository = await repositories.choose(near);
  const wanted = repository && (await wantedChange(repositories, repository, given));
  return wanted && collectChanges(repositories, repository, wanted);
}

function wantedChange(
  repositories: Repositories,
  repository: GitRepository,
  given: ReturnType<typeof readChange>,
): WantedChange | undefined | Promise<WantedChange | undefined> {
  const { kind, ref } = given ?? {};
  switch (kind) {
    case undefined:
      return pickChange(repositories, repository);
    case 'commit':
      return ref === undefined ? pickCommits(repository) : { kind, ref };
    case 'branch':
      return ref === undefined ? { kind } : { kind, base: ref };
    default:
      return { kind };
  }
}
