import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { codeSpan } from '../../../../prompt/contextBlock';
import {
  changesText,
  type ChangedFile,
  changedLines,
  type Changes,
  patchesIn,
  patchHeader,
  quotePath,
  showLines,
} from '../../../../prompt/changesText';
import { permalink } from '../../../../prompt/permalink';
import { addressShape, namedText, reader } from '../../../platform/commandArguments';
import type { GitChange, GitRepository } from '../../../platform/gitExtension';
import { nameOf, type Repositories } from '../../../platform/repositories';
import { firstLine, toLabel, toNotice, toPickLabel } from '../../../platform/sanitize';
import type { Addition } from '../box/contextInserter';
import { hostOf, pushedCommit } from '../context/places';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diffSummary, placeToCompare, PLAIN_DIFF } from '../../../../git/diff';
import { type ChangeRepository, GitError } from '../../../../git/git';
import { streamEntries } from '../../../../git/streamEntries';
import { BUDGETS, elide } from '../../../../prompt/budgets';

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
  return {
    workingTree: `Changes in the working tree of ${name} that are not committed`,
    staged: `Changes in ${name} that are staged for the next commit`,
    branch: `Changes ${branch === undefined ? `up to ${commit}` : `on branch ${codeSpan(branch)}`} of ${name} since it diverged from ${codeSpan(base)}`,
    commit: `Changes in ${name} by commit ${commit}`,
  }[kind];
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

/** Which change the user wants. */
export type WantedChange =
  | { kind: 'workingTree' }
  | { kind: 'staged' }
  /** @property base a branch or commit */
  | { kind: 'branch'; base: string }
  | { kind: 'commit'; ref: string };

/** A change in terms of git arguments. */
export interface ChangeSource {
  kind: WantedChange['kind'];
  /** Arguments for `git diff`, by commit ID. */
  args: string[];
  /** The commits before and after the change; undefined when there is none. */
  base: string | undefined;
  head: string | undefined;
}

/** The name of a commit that doesn't exist, or that has nothing in common with the current one. */
export class NoCommitError extends Error {}

/** Resolves the commits that delimit the change. Throws GitError, and NoCommitError. */
export async function findSource(repository: ChangeRepository, wanted: WantedChange): Promise<ChangeSource> {
  const head = await resolve(repository, wanted.kind === 'commit' ? wanted.ref : 'HEAD');
  if (wanted.kind === 'workingTree' || wanted.kind === 'staged') {
    const args = wanted.kind === 'staged' ? ['--cached'] : [head ?? (await emptyTree(repository))];
    return { kind: wanted.kind, args, base: head, head: undefined };
  }
  if (head === undefined) {
    throw new NoCommitError(wanted.kind === 'commit' ? wanted.ref : 'HEAD');
  }
  if (wanted.kind === 'commit') {
    const base = await resolve(repository, `${head}^1`);
    return { kind: 'commit', args: [base ?? (await emptyTree(repository)), head], base, head };
  }
  const other = await resolve(repository, wanted.base);
  const args = ['merge-base', other ?? '', head];
  const base = other === undefined ? '' : await repository.git.run(repository.place, args).catch(() => '');
  if (base === '') {
    throw new NoCommitError(wanted.base);
  }
  return { kind: 'branch', args: [base.trim(), head], base: base.trim(), head };
}

/** Returns the ID of a commit; undefined when no commit has this name. */
async function resolve({ git, place }: ChangeRepository, ref: string): Promise<string | undefined> {
  try {
    return (await git.run(place, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])).trim();
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return undefined;
    }
    throw error;
  }
}

/** The ID of the empty tree, which need not exist in the repository. */
async function emptyTree({ git, place }: ChangeRepository): Promise<string> {
  return (await git.run(place, ['hash-object', '-t', 'tree', '--stdin'])).trim();
}

const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];

/** With more files, each diff would get only a few words. Those with few changed lines are shown. */
const MAX_FILES = 100;

/** Of longer diffs, only the beginning is read. In bytes. */
const MAX_DIFF_BYTES = 16 * 1024 * 1024;

/** Reads what has changed: a summary of everything, and the diffs. Throws GitError, or the signal's reason. */
export async function readChanges(opened: ChangeRepository, source: ChangeSource): Promise<Changes> {
  const repository = { ...opened, place: await placeToCompare(opened, source.args) };
  const { files: summarized, more } = await diffSummary(repository, source.args);
  const tracked = summarized.map((file) => (file.added === null ? { ...file, hidden: 'binary' } : file));
  const untracked = source.kind === 'workingTree' ? await untrackedFiles(repository) : new Map<ChangedFile, string>();
  const files: ChangedFile[] = [...tracked, ...untracked.keys()];
  const shown = files
    .filter(({ hidden }) => hidden === undefined)
    .toSorted((a, b) => changedLines(a) - changedLines(b))
    .slice(0, MAX_FILES);
  const paths = shown.flatMap((file) =>
    file.status === '?' ? [] : file.from === undefined ? [file.path] : [file.from, file.path],
  );
  const args = [...PLAIN_DIFF, ...PATCH, ...source.args, '--', ...paths];
  const printed = paths.length === 0 ? '' : await startOf(repository, args, MAX_DIFF_BYTES);
  const added = shown.map((file) => untracked.get(file) ?? '').join('');
  const patches = patchesIn(`${printed}${added}`, shown);
  return { files, more, patches, preface: await commitMessages(repository, source) };
}

/** Reads the start of what git prints, and ends git if it prints more. */
async function startOf({ git, place, signal }: ChangeRepository, args: string[], maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of git.stream(place, args, signal)) {
    chunks.push(Buffer.from(bytes));
    size += bytes.length;
    if (size > maxBytes) {
      // Leaving the loop terminates git.
      break;
    }
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return size > maxBytes ? `${text}\n… and more\n` : text;
}

/** Larger files are listed by name only. In bytes. */
const MAX_BYTES = 1024 * 1024;

/** Maximum number of files that are read; the rest are listed by name only. */
const MAX_READ = 2_000;

/** git's own test for binary files: a NUL byte within the first 8,000 bytes. */
const BINARY_WITHIN = 8_000;

/** The files that are untracked and not ignored, with diffs that create them. */
async function untrackedFiles({ git, place, signal }: ChangeRepository): Promise<Map<ChangedFile, string>> {
  const files = new Map<ChangedFile, string>();
  const args = ['ls-files', '--others', '--exclude-standard', '-z'];
  for await (const paths of streamEntries(git, place, args, { signal })) {
    for (const path of paths) {
      signal.throwIfAborted();
      const unknown = { path, status: '?', added: null, deleted: null };
      const read = files.size < MAX_READ ? await readText(place.folder, path) : 'not looked into';
      if (typeof read === 'string') {
        files.set({ ...unknown, hidden: read }, '');
      } else {
        const lines = read.toString('utf8').split('\n');
        const isEnded = lines.at(-1) === '';
        const added = isEnded ? lines.slice(0, -1) : lines;
        files.set({ ...unknown, added: added.length, deleted: 0 }, newFilePatch(path, added, isEnded));
      }
    }
  }
  return files;
}

function newFilePatch(path: string, added: readonly string[], isEnded: boolean): string {
  const head = [patchHeader({ path }), 'new file', '--- /dev/null', `+++ ${quotePath(`b/${path}`)}`];
  const hunk = added.length === 0 ? [] : [`@@ -0,0 +1,${added.length} @@`, ...added.map((line) => `+${line}`)];
  const tail = isEnded || added.length === 0 ? [] : ['\\ No newline at end of file'];
  return `${[...head, ...hunk, ...tail].join('\n')}\n`;
}

/** Returns the content of the file, or why it can't be shown. Does not follow links. */
async function readText(folder: string, path: string): Promise<Buffer | string> {
  if (path.endsWith('/')) {
    return 'another repository';
  }
  try {
    const whole = join(folder, path);
    const facts = await lstat(whole);
    if (!facts.isFile()) {
      return facts.isSymbolicLink() ? 'a link' : 'no file';
    }
    if (facts.size > MAX_BYTES) {
      return `${(facts.size / MAX_BYTES).toFixed(1)} MB`;
    }
    const bytes = await readFile(whole);
    return bytes.subarray(0, BINARY_WITHIN).includes(0) ? 'binary' : bytes;
  } catch {
    return 'unreadable';
  }
}

/** Maximum number of commits that are named. */
const MAX_NAMED = 40;

/** Maximum bytes read of their messages. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** The message of a commit, or the subjects of those of a branch, newest first; undefined for uncommitted changes. */
async function commitMessages(repository: ChangeRepository, source: ChangeSource): Promise<string | undefined> {
  const { base, head, kind } = source;
  if (head === undefined) {
    return undefined;
  }
  const range =
    kind === 'commit' || base === undefined ? ['--max-count=1', head] : [`--max-count=${MAX_NAMED}`, head, `^${base}`];
  const args = ['log', '--no-color', `--format=${kind === 'commit' ? '%h %B' : '%h %s'}`, ...range, '--'];
  return elide(showLines((await startOf(repository, args, MAX_MESSAGE_BYTES)).trim()), BUDGETS.messages);
}
