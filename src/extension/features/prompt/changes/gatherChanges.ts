import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { codeSpan } from '../../../../prompt/contextBlock';
import { changesText } from '../../../../prompt/changesText';
import { permalink } from '../../../../prompt/permalink';
import { addressShape, namedText, reader } from '../../../platform/commandArguments';
import type { GitChange, GitRepository } from '../../../platform/gitExtension';
import { nameOf, type Repositories } from '../../../platform/repositories';
import { firstLine, toLabel, toNotice, toPickLabel } from '../../../platform/sanitize';
import type { Addition } from '../box/contextInserter';
import { hostOf, pushedCommit } from '../context/places';
import { type ChangeSource, findSource, NoCommitError, readChanges, type WantedChange } from './readChanges';

/** Maximum number of commits to choose from. */
const MAX_COMMITS = 200;

/** The kind of change, and where: in the repository of a menu, or in the file whose timeline was used. */
export const readChange = reader(
  z.object({
    kind: z.optional(z.enum(['workingTree', 'staged', 'branch', 'commit'])),
    ref: z.optional(namedText),
    // The source control menu passes a `SourceControl`.
    rootUri: z.optional(z.object({ fsPath: namedText })),
    timelineOf: z.optional(z.object({ fsPath: namedText })),
  }),
);
const readAddress = reader(addressShape);

/**
 * Collects the named changes, otherwise those that the user picks. Undefined when cancelled, or when nothing has changed
 * (the user is notified). Throws an error whose message is for the user.
 */
export async function gatherChanges(repositories: Repositories, argument: unknown): Promise<Addition | undefined> {
  const given = readChange(argument);
  // Editor and file menus pass an address.
  const address = readAddress(argument);
  const file = given?.timelineOf?.fsPath ?? given?.rootUri?.fsPath;
  const near = file === undefined ? address && vscode.Uri.from(address) : vscode.Uri.file(file);
  const repository = await repositories.choose(near);
  // The Git extension may not have noticed what another program has just done.
  await repository?.status();
  const wanted = repository && (await wantedChange(repository, given));
  if (repository === undefined || wanted === undefined) {
    return undefined;
  }
  const title = vscode.l10n.t('Reading changes in {0}', toNotice(nameOf(repository), 60));
  const addition = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    collect(repositories, repository, wanted),
  );
  if (addition === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('There are no saved changes there. Save the open files, or select other changes.'),
    );
  }
  return addition;
}

async function wantedChange(
  repository: GitRepository,
  given: ReturnType<typeof readChange>,
): Promise<WantedChange | undefined> {
  const { kind, ref, timelineOf } = given ?? {};
  switch (kind) {
    case undefined:
      return timelineOf === undefined ? pickChange(repository) : pickCommit(repository, timelineOf.fsPath);
    case 'commit':
      return ref === undefined ? pickCommit(repository) : { kind, ref };
    case 'branch': {
      const base = ref ?? (await baseOf(repository));
      if (base === undefined) {
        throw new Error(vscode.l10n.t('Docs Agent couldn’t tell which branch to compare with.'));
      }
      return { kind, base };
    }
    default:
      return { kind };
  }
}

/** The branch that the current one was created from, or the default branch, as far as the Git extension knows. */
async function baseOf(repository: GitRepository): Promise<string | undefined> {
  const current = repository.state.HEAD?.name;
  const base = current === undefined ? undefined : await repository.getBranchBase(current).catch(() => undefined);
  if (base?.name !== undefined) {
    return base.remote === undefined ? base.name : `${base.remote}/${base.name}`;
  }
  // Without a remote, it knows no default branch.
  for (const name of ['main', 'master'].filter((each) => each !== current)) {
    const branch = await repository.getBranch(name).catch(() => undefined);
    if (branch?.name === name) {
      return name;
    }
  }
  return undefined;
}

/** Undefined when nothing has changed. */
async function collect(
  repositories: Repositories,
  repository: GitRepository,
  wanted: WantedChange,
): Promise<Addition | undefined> {
  const opened = await repositories.open(repository);
  const source = await findSource(opened, wanted).catch((error: unknown) => {
    const ref = error instanceof NoCommitError ? toNotice(error.message, 60) : '';
    throw ref === ''
      ? error
      : new Error(vscode.l10n.t('“{0}” isn’t in this repository, or has nothing in common with this branch.', ref));
  });
  const changes = await readChanges(opened, source);
  if (changes.files.length === 0) {
    return undefined;
  }
  const host = source.head !== undefined && pushedCommit(repository) !== undefined ? hostOf(repository) : undefined;
  const notes = host === undefined ? [] : [`Permalink: ${permalink({ ...host, commit: source.head ?? '' })}`];
  const base = wanted.kind === 'branch' ? wanted.base : '';
  const block = { heading: heading(source, repository, base), notes, languageId: 'diff', text: changesText(changes) };
  return { blocks: [block], refused: [], resource: repository.rootUri };
}

function heading({ kind, head = '' }: ChangeSource, repository: GitRepository, base: string): string {
  const name = codeSpan(nameOf(repository));
  const commit = codeSpan(head.slice(0, 12));
  const branch = repository.state.HEAD?.name;
  switch (kind) {
    case 'workingTree':
      return `Changes in the working tree of ${name} that are not committed`;
    case 'staged':
      return `Changes in ${name} that are staged for the next commit`;
    case 'branch':
      return `Changes ${branch === undefined ? `up to ${commit}` : `on branch ${codeSpan(branch)}`} of ${name} since it diverged from ${codeSpan(base)}`;
    case 'commit':
      return `Changes in ${name} by commit ${commit}`;
  }
}

interface Row extends vscode.QuickPickItem {
  choose: () => WantedChange | Promise<WantedChange | undefined>;
}

/** Asks which change of a repository is meant; undefined when the user cancelled. */
async function pickChange(repository: GitRepository): Promise<WantedChange | undefined> {
  const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges, HEAD } = repository.state;
  const base = await baseOf(repository);
  const name = toLabel(HEAD?.name ?? '', 40);
  const rows: Row[] = [
    {
      label: `$(diff) ${vscode.l10n.t('Working tree')}`,
      description: filesText(workingTreeChanges, indexChanges, mergeChanges, untrackedChanges),
      choose: () => ({ kind: 'workingTree' }),
    },
    {
      label: `$(diff-added) ${vscode.l10n.t('Staged changes')}`,
      description: filesText(indexChanges),
      choose: () => ({ kind: 'staged' }),
    },
    ...(base === undefined
      ? []
      : [
          {
            label: `$(git-branch) ${toPickLabel(vscode.l10n.t('{0} compared with {1}', name, toLabel(base, 40)))}`,
            choose: () => ({ kind: 'branch' as const, base }),
          },
        ]),
    { label: `$(git-commit) ${vscode.l10n.t('Commit…')}`, choose: () => pickCommit(repository) },
  ];
  return (await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Select changes') }))?.choose();
}

function filesText(...lists: (readonly GitChange[])[]): string {
  const paths = new Set(lists.flat().map(({ uri }) => uri.toString()));
  return paths.size === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', paths.size);
}

/** @param path of a file: only commits that changed it */
async function pickCommit(repository: GitRepository, path?: string): Promise<WantedChange | undefined> {
  const rows = async (): Promise<(vscode.QuickPickItem & { ref: string })[]> => {
    const commits = await repository.log({ maxEntries: MAX_COMMITS, ...(path === undefined ? {} : { path }) });
    return commits.map(({ hash, message, authorName, authorDate }) => {
      const day = authorDate?.toLocaleDateString(vscode.env.language) ?? '';
      const description = [hash.slice(0, 8), authorName ?? '', day].filter((part) => part !== '').join(' · ');
      return { label: toPickLabel(firstLine(message)), description: toPickLabel(description), ref: hash };
    });
  };
  const title =
    path === undefined ? vscode.l10n.t('Select a commit') : vscode.l10n.t('Select a commit that changed this file');
  const picked = await vscode.window.showQuickPick(rows(), { title, matchOnDescription: true });
  return picked && { kind: 'commit', ref: picked.ref };
}
