import { basename } from 'node:path';
import * as vscode from 'vscode';
import { diffSummary } from '../../git/diff';
import { isBranchName } from '../../git/git';
import { isSameFolder } from '../../git/programPaths';
import { type RemoteAddress, remoteAddress } from '../../git/remotes';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { OutgoingPrompt, TrackedJob } from '../../jobs/trackedJob';
import { CHANGES_LIMITS, type JobChanges, startOfPrompt, toJobChanges } from '../../protocol/changes';
import { type GitApi, gitApi, type GitRepository, openRepositories } from './gitExtension';
import { offerFolder } from './offer';
import { nameOf, type Repositories } from './repositories';
import { toNotice, toPickLabel } from './sanitize';

/** An open repository that contains a job's branch. */
export interface JobRepository {
  repository: GitRepository;
  /** The job's branch. */
  ref: string;
  /** The remote that the job works with; undefined if its branch is in the repository itself. */
  remote: string | undefined;
}

/** Returns the reason why git can't be used here, for display; undefined if it can. */
function whyNoGit(localAvailable: boolean): string | undefined {
  if (!localAvailable) {
    return vscode.l10n.t(
      'The repository is on a different machine from this extension, so Git can’t run here. Change “remote.extensionKind” to run the extension there.',
    );
  }
  if (!vscode.workspace.isTrusted) {
    return vscode.l10n.t('Git commands are disabled in Restricted Mode. Trust the workspace first.');
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 0 && folders.every(({ uri }) => uri.scheme !== 'file')
    ? vscode.l10n.t('Git isn’t available for the folders in this window. Open a local clone of the repository.')
    : undefined;
}

/**
 * Returns the open repository of a job, found by its remotes. Asks when several match or when the service names none.
 * Undefined if there is none (the user is notified), or if the user cancelled.
 */
export async function jobRepository(job: TrackedJob, localAvailable: boolean): Promise<JobRepository | undefined> {
  const ref = job.snapshot?.ref;
  const api = whyNoGit(localAvailable) === undefined ? await gitApi() : undefined;
  if (ref == null || !isBranchName(ref)) {
    showWarning(vscode.l10n.t('The service didn’t provide a branch for this job. Open the pull request instead.'));
    return undefined;
  }
  if (api === undefined) {
    const off = vscode.l10n.t('VS Code’s Git extension is disabled or missing. Enable it, then try again.');
    showWarning(whyNoGit(localAvailable) ?? off);
    return undefined;
  }
  const fitting = await fittingRepositories(api, job, ref);
  const [first] = fitting;
  if (first !== undefined) {
    return fitting.length === 1 ? first : chooseOne(fitting);
  }
  const address = job.snapshot?.repository ?? undefined;
  if (address !== undefined) {
    const text = vscode.l10n.t(
      'This job’s repository isn’t open here: {0}. Open its folder, then try again.',
      toNotice(address, 150),
    );
    void offerFolder(text);
    return undefined;
  }
  // Only the user can tell which repository the branch belongs to, even if just one is open.
  const all = await openRepositories(api);
  if (all.length === 0) {
    void offerFolder(vscode.l10n.t('No Git repository is open. Open a repository folder.'));
    return undefined;
  }
  return chooseOne(all.map((repository) => ({ repository, ref, remote: repository.state.remotes[0]?.name })));
}

/**
 * Returns all open repositories of a job, found by their remotes, without prompts or messages. Empty if git can't be
 * used here.
 */
export async function openJobRepositories(job: TrackedJob, localAvailable: boolean): Promise<JobRepository[]> {
  const ref = job.snapshot?.ref;
  const isNamed = ref != null && isBranchName(ref);
  const api = isNamed && whyNoGit(localAvailable) === undefined ? await gitApi() : undefined;
  return isNamed && api !== undefined ? fittingRepositories(api, job, ref) : [];
}

async function fittingRepositories(api: GitApi, job: TrackedJob, ref: string): Promise<JobRepository[]> {
  const all = (await openRepositories(api)).map((repository) => ({ repository, ref, remote: undefined }));
  const wanted = job.snapshot?.repository;
  const address = wanted == null ? undefined : remoteAddress(wanted, '/');
  const fitting = all.flatMap<JobRepository>((each) => {
    const remote = each.repository.state.remotes.find(({ fetchUrl, pushUrl }) =>
      [fetchUrl, pushUrl].some((url) => url !== undefined && isSame(remoteAddress(url, rootOf(each)), address)),
    );
    const isItself = isSame({ folder: rootOf(each) }, address);
    return remote === undefined && !isItself ? [] : [{ ...each, remote: remote?.name }];
  });
  if (fitting.length > 0 || job.location.service !== LOCAL_SERVICE) {
    return fitting;
  }
  // A local job's branch has a random name, so the repository that has the branch is the job's.
  const holding = await Promise.all(all.map(({ repository }) => resolveCommit(repository, `refs/heads/${ref}`)));
  return all.filter((_, index) => holding[index] !== undefined);
}

async function chooseOne(all: readonly JobRepository[]): Promise<JobRepository | undefined> {
  const items = all.map((each) => ({
    label: toPickLabel(nameOf(each.repository)),
    description: toPickLabel(vscode.workspace.asRelativePath(each.repository.rootUri, true)),
    each,
  }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Select a repository') }))?.each;
}

/** Returns the commit of a full ref; undefined if there is no such ref. */
export async function resolveCommit(repository: GitRepository, ref: string): Promise<string | undefined> {
  return repository.getBranch(ref).then(
    ({ name = '', remote, commit }) => {
      // A branch below this name, or one that differs in case, is a different branch.
      const full = remote === undefined ? `refs/heads/${name}` : `refs/remotes/${remote}/${name}`;
      return full === ref ? commit : undefined;
    },
    () => undefined,
  );
}

export function showWarning(text: string): void {
  void vscode.window.showWarningMessage(text);
}

function rootOf({ repository }: JobRepository): string {
  return repository.rootUri.fsPath;
}

/** Git hosts ignore case in paths; for folders it depends on the operating system. */
function isSame(one: RemoteAddress | undefined, other: RemoteAddress | undefined): boolean {
  if (one === undefined || other === undefined) {
    return false;
  }
  if ('folder' in one || 'folder' in other) {
    return 'folder' in one && 'folder' in other && isSameFolder(one.folder, other.folder);
  }
  return `${one.host}/${one.path}`.toLowerCase() === `${other.host}/${other.path}`.toLowerCase();
}

/** The name of a repository's folder, for a notification. */
export function shownName(repository: GitRepository): string {
  return toNotice(basename(repository.rootUri.path), 60);
}

/** A job's branch, as an open repository has it. */
export interface KnownBranch extends JobRepository {
  /** The commit that the branch started from, and its newest commit. */
  base: string;
  commit: string;
}

/**
 * Returns the first match, without prompts, messages or fetching. Undefined if there is none.
 *
 * @param reported the commit that the branch started from, if the service names one
 */
export async function knownBranch(
  job: TrackedJob,
  localAvailable: boolean,
  reported?: string | null,
): Promise<KnownBranch | undefined> {
  for (const found of await openJobRepositories(job, localAvailable)) {
    const { repository, ref, remote } = found;
    const own = [`refs/heads/${ref}`];
    const fetched = remote === undefined ? [] : [`refs/remotes/${remote}/${ref}`];
    // A local agent commits to the repository itself, so the local branch is the newest; otherwise the remote's is.
    const names = job.location.service === LOCAL_SERVICE ? [...own, ...fetched] : [...fetched, ...own];
    for (const name of names) {
      const commit = await resolveCommit(repository, name);
      const base = commit === undefined ? undefined : await findBranchBase(found, commit, reported);
      if (commit !== undefined && base !== undefined) {
        return { ...found, base, commit };
      }
    }
  }
  return undefined;
}

/** Returns the files that the branch changes, or which of the given paths. Throws GitError. */
export async function branchSummary(
  { repository, base, commit }: KnownBranch,
  repositories: Pick<Repositories, 'open'>,
  paths?: readonly string[],
): Promise<JobChanges> {
  const opened = await repositories.open(repository);
  return toJobChanges({ base, commit }, await diffSummary(opened, [base, commit], CHANGES_LIMITS, paths));
}

/** Other names of base branches, tried only if nothing else determines the base. */
const OTHER_BASES = ['main', 'master', 'develop', 'trunk'];

/**
 * Returns the commit that a branch started from. If the service names it, that commit; otherwise the newest merge base
 * with the checked-out branch and the main branches of its remotes, so that earlier commits of others are not
 * attributed to the job. Undefined if no commit is only on this branch.
 *
 * @param reported the commit that the service names
 */
export async function findBranchBase(
  { repository, ref, remote }: Pick<JobRepository, 'repository' | 'ref' | 'remote'>,
  commit: string,
  reported?: string | null,
): Promise<string | undefined> {
  if (reported != null && reported !== commit && (await mergeBase(repository, reported, commit)) === reported) {
    return reported;
  }
  const { HEAD, remotes } = repository.state;
  const asked = remotes.map(({ name }) => name).filter((name) => name === remote || name === 'upstream');
  const current = HEAD?.name === ref ? [] : ['HEAD'];
  const mains = await Promise.all(asked.map((name) => mainBase(repository, name, commit)));
  const likely = [...current, ...mains.filter((base) => base !== undefined)];
  const others = [...asked.map((name) => `refs/remotes/${name}`), 'refs/heads'];
  return (
    (await newestBase(repository, likely, commit)) ??
    newestBase(
      repository,
      others.flatMap((folder) => OTHER_BASES.map((name) => `${folder}/${name}`)),
      commit,
    )
  );
}

/**
 * Returns the merge base with a remote's main branch. If the name of that is not known, the older of the two that are
 * common: one of them may be a branch of the job's agent, and commits that the pull request has must not be left out.
 */
async function mainBase(repository: GitRepository, remote: string, commit: string): Promise<string | undefined> {
  const [head, main, master] = await Promise.all(
    ['HEAD', 'main', 'master'].map((name) => mergeBase(repository, `refs/remotes/${remote}/${name}`, commit)),
  );
  const oldest = main === undefined || master === undefined ? (main ?? master) : mergeBase(repository, main, master);
  return head ?? oldest;
}

async function newestBase(
  repository: GitRepository,
  others: readonly string[],
  commit: string,
): Promise<string | undefined> {
  let newest: string | undefined;
  for (const other of others) {
    const base = await mergeBase(repository, other, commit);
    if (base === undefined || base === commit || base === newest) {
      continue;
    }
    if (newest === undefined || (await mergeBase(repository, newest, base)) === newest) {
      newest = base;
    }
  }
  return newest;
}

async function mergeBase(repository: GitRepository, one: string, other: string): Promise<string | undefined> {
  return repository.getMergeBase(one, other).catch(() => undefined);
}

/**
 * Returns the commits that the agent made for the job's prompts, by the prompts' ids. The service also reports prompts
 * that were sent elsewhere, so they are recognized by their text.
 */
export function commitsByPrompt(
  prompts: readonly OutgoingPrompt[],
  rounds: JobChanges['rounds'] = [],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const left = [...rounds];
  for (const { id, text: prompt, state } of prompts.toReversed()) {
    const index = state === 'created' ? left.findLastIndex((round) => round.prompt === startOfPrompt(prompt)) : -1;
    const [round] = index < 0 ? [] : left.splice(index, 1);
    if (round?.commit != null) {
      found.set(id, round.commit);
    }
  }
  return found;
}
