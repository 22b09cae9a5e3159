import * as vscode from 'vscode';
import type { ChangeRepository } from '../../../../git/git';
import { count } from '../../../../prompt/budgets';
import { type Changes, changesText } from '../../../../prompt/changesText';
import { codeSpan, type ContextBlock } from '../../../../prompt/contextBlock';
import { NO_REMOTE, notVisible, permalink } from '../../../../prompt/permalink';
import type { GitRepository } from '../../../platform/gitExtension';
import { nameOf, type Repositories } from '../../../platform/repositories';
import { toNotice } from '../../../platform/sanitize';
import { settings } from '../../../settings';
import type { Addition } from '../box/contextInserter';
import { isPushed, repositoryFacts, type RepositoryFacts } from '../context/visibilityNotes';
import { type ChangeSource, findSource, type NoChange, NoChangeError, type WantedChange } from './changeSource';
import { commitMessages, readChanges } from './readChanges';

/** Delay before the progress notice is shown, in milliseconds. */
const TELL_AFTER_MS = 1000;

/**
 * Reads a change of a repository as context for a prompt. Undefined when the user cancelled, or when nothing has
 * changed (the user is notified). Throws an error whose message is for the user.
 */
export async function collectChanges(
  repositories: Repositories,
  repository: GitRepository,
  wanted: WantedChange,
): Promise<Addition | undefined> {
  const read = (signal: AbortSignal): Promise<Addition | undefined> =>
    collect(repositories, repository, wanted, signal);
  const addition = await cancellable(vscode.l10n.t('Reading changes in {0}', toNotice(nameOf(repository), 60)), read);
  if (addition?.blocks.length === 0) {
    void (unsavedIn(repository) > 0
      ? offerSave()
      : vscode.window.showInformationMessage(vscode.l10n.t('There are no changes there. Select other changes.')));
    return undefined;
  }
  return addition;
}

async function offerSave(): Promise<void> {
  const save = vscode.l10n.t('Save All');
  const text = vscode.l10n.t('There are no saved changes. Save the open files, then try again.');
  if ((await vscode.window.showInformationMessage(text, save)) === save) {
    await vscode.workspace.saveAll();
  }
}

async function collect(
  repositories: Repositories,
  repository: GitRepository,
  wanted: WantedChange,
  signal: AbortSignal,
): Promise<Addition> {
  const opened = await repositories.open(repository, signal);
  const source = await findSource(opened, wanted).catch((error: unknown) => {
    throw error instanceof NoChangeError ? new Error(noChangeText(error.reason)) : error;
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

function noChangeText(reason: NoChange): string {
  switch (reason.why) {
    case 'no base':
      return vscode.l10n.t('Docs Agent couldn’t tell which branch to compare with. Select one.');
    case 'nothing in common':
      return vscode.l10n.t(
        'This branch and {0} have no commits in common. Select another branch.',
        toNotice(reason.base, 60),
      );
    case 'no commit':
      return vscode.l10n.t(
        'Commit {0} isn’t in this repository. Fetch it, or select another one.',
        toNotice(reason.ref, 60),
      );
  }
}

/** Number of open files in the repository with unsaved changes. */
function unsavedIn({ rootUri }: GitRepository): number {
  const inside = `${rootUri.path.replace(/\/$/, '')}/`;
  const open = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
  return open.filter(({ uri }) => uri.scheme === rootUri.scheme && uri.path.startsWith(inside)).length;
}

/** Runs slow work and, if it takes long, shows a notice with a cancel button. Undefined when cancelled. */
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

/** What is known about a change besides its text. */
export interface ChangeFacts {
  /** Name of the repository's folder. */
  name: string;
  repository: RepositoryFacts;
  /** Whether the remote has the commits that delimit the change, so that a hosted agent can find them. */
  isBasePushed: boolean;
  isHeadPushed: boolean;
  /** Whether the agent belongs to the local service, which sees only committed work. */
  isLocal: boolean;
  /** Number of open files in the repository with unsaved changes. */
  unsaved: number;
}

/** A change as a block of a prompt. */
export function changesBlock(source: ChangeSource, changes: Changes, facts: ChangeFacts): ContextBlock {
  return {
    heading: heading(source, facts),
    notes: notes(source, facts),
    languageId: 'diff',
    text: changesText(changes),
  };
}

/** Checks which of the two commits the remote has. Throws GitError. */
async function pushedEnds(
  repository: ChangeRepository,
  { base, head }: ChangeSource,
  { remoteName }: RepositoryFacts,
): Promise<Pick<ChangeFacts, 'isBasePushed' | 'isHeadPushed'>> {
  const seen = async (commit: string | undefined): Promise<boolean> =>
    commit !== undefined && remoteName !== undefined && isPushed(repository, commit, remoteName);
  const [isBasePushed, isHeadPushed] = await Promise.all([seen(base), seen(head)]);
  return { isBasePushed, isHeadPushed };
}

function heading(
  { kind, base, head, baseName = '', isMerge }: ChangeSource,
  { name, repository: { branch } }: ChangeFacts,
): string {
  const repository = codeSpan(name);
  const short = (commit: string | undefined): string => codeSpan((commit ?? '').slice(0, 12));
  switch (kind) {
    case 'workingTree':
      return `Changes in the working tree of ${repository} that are not committed`;
    case 'staged':
      return `Changes in ${repository} that are staged for the next commit`;
    case 'branch':
      return `Changes ${branch === undefined ? `up to ${short(head)}` : `on branch ${codeSpan(branch)}`} of ${repository} since it diverged from ${codeSpan(baseName)}`;
    case 'commit':
      return isMerge === true
        ? `What the merge ${short(head)} brought into ${repository}`
        : `Changes in ${repository} from ${base === undefined ? 'its beginning' : short(base)} to ${short(head)}`;
  }
}

function notes(source: ChangeSource, facts: ChangeFacts): string[] {
  const { base, head } = source;
  const { remote } = facts.repository;
  const told: string[] = [];
  if (remote !== undefined && head !== undefined && facts.isHeadPushed) {
    told.push(`Permalink: ${permalink({ ...remote, commit: head })}`);
  }
  if (remote !== undefined && base !== undefined && facts.isBasePushed) {
    told.push(`Compared with ${permalink({ ...remote, commit: base })}`);
  }
  told.push(...unseen(source, facts));
  if (facts.unsaved > 0) {
    told.push(`${count(facts.unsaved, 'open file has', 'open files have')} unsaved changes that are not in this`);
  }
  return told;
}

function unseen({ head }: ChangeSource, { isLocal, isHeadPushed, repository }: ChangeFacts): string[] {
  if (head === undefined) {
    return [notVisible(isLocal, 'uncommitted changes')];
  }
  if (isLocal || isHeadPushed) {
    return [];
  }
  return [repository.remote === undefined ? NO_REMOTE : notVisible(false, 'commits that are not pushed')];
}
