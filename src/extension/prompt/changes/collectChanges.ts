import * as vscode from 'vscode';
import type { GitRepository } from '../../services/gitExtension';
import { nameOf, type Repositories } from '../../services/repositories';
import { settings } from '../../settings';
import { toNotice } from '../../text';
import type { Addition } from '../promptDesk';
import { repositoryFacts } from '../visibility/placeNotes';
import { changesBlock, pushedEnds } from './changesBlock';
import { findSource, type NoChange, NoChangeError, type WantedChange } from './changeSource';
import { commitMessages, readChanges } from './readChanges';

/** How long it may take until the user is told that it goes on, in milliseconds. */
const TELL_AFTER_MS = 1000;

/**
 * Reads a change of a repository as context for a prompt. Undefined when the user cancelled, or nothing was changed, which
 * is told. Throws an error in words for the user.
 */
export async function collectChanges(
  repositories: Repositories,
  repository: GitRepository,
  wanted: WantedChange,
): Promise<Addition | undefined> {
  const read = (signal: AbortSignal): Promise<Addition | undefined> =>
    collect(repositories, repository, wanted, signal);
  const addition = await cancellable(
    vscode.l10n.t('Reading the changes of {0}', toNotice(nameOf(repository), 60)),
    read,
  );
  if (addition?.blocks.length === 0) {
    const text =
      unsavedIn(repository) > 0
        ? vscode.l10n.t('Nothing was changed on the disk. Save the open files first.')
        : undefined;
    void vscode.window.showInformationMessage(
      text ?? vscode.l10n.t('Nothing was changed there. Choose other changes.'),
      vscode.l10n.t('OK'),
    );
    return undefined;
  }
  return addition;
}

async function collect(
  repositories: Repositories,
  repository: GitRepository,
  wanted: WantedChange,
  signal: AbortSignal,
): Promise<Addition> {
  const opened = await repositories.open(repository, signal);
  const source = await findSource(opened, wanted).catch((error: unknown) => {
    throw error instanceof NoChangeError ? new Error(wordsFor(error.reason)) : error;
  });
  const changes = await readChanges(opened, source);
  const resource = repository.rootUri;
  if (changes.files.length === 0) {
    return { blocks: [], refused: [], resource };
  }
  const [facts, preface] = await Promise.all([
    repositoryFacts(opened, process.env, await repositories.program()),
    commitMessages(opened, source),
  ]);
  const block = changesBlock(source, preface === undefined ? changes : { ...changes, preface }, {
    name: nameOf(repository),
    repository: facts,
    ...(await pushedEnds(opened, source, facts)),
    isLocal: settings.usesLocalService(),
    unsaved: source.head === undefined ? unsavedIn(repository) : 0,
  });
  signal.throwIfAborted();
  return { blocks: [block], refused: [], resource };
}

function wordsFor(reason: NoChange): string {
  switch (reason.why) {
    case 'no base':
      return vscode.l10n.t('No branch was found to compare this one with. Choose one.');
    case 'nothing in common':
      return vscode.l10n.t(
        'This branch and {0} have no commit in common. Choose another branch.',
        toNotice(reason.base, 60),
      );
    case 'no commit':
      return vscode.l10n.t('There is no commit {0} here. Fetch it, or choose another one.', toNotice(reason.ref, 60));
  }
}

/** How many open files of the repository hold more than is on the disk. */
function unsavedIn({ rootUri }: GitRepository): number {
  const inside = `${rootUri.path.replace(/\/$/, '')}/`;
  const open = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
  return open.filter(({ uri }) => uri.scheme === rootUri.scheme && uri.path.startsWith(inside)).length;
}

/** Runs what takes long with a notice that can cancel it, once it does take long. Undefined when it was cancelled. */
async function cancellable<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const working = work(stop.signal).catch((error: unknown) => {
    if (stop.signal.aborted) {
      return undefined;
    }
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), TELL_AFTER_MS);
  });
  const first = await Promise.race([working.then(() => false), isLate]).finally(() => clearTimeout(timer));
  if (first) {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    await vscode.window.withProgress(options, (_, token) => {
      token.onCancellationRequested(() => stop.abort());
      return working;
    });
  }
  return working;
}
