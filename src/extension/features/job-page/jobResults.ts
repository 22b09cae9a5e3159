import type { Logger } from '../../../base/logger';
import { type CheckedResult, checkResult } from '../../../checks/process/runCheck';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { DIFF_LIMITS, type JobChanges } from '../../../protocol/changes';
import type { ApiKeys } from '../../platform/apiKeys';
import { type BranchToFetch, branchToFetch } from '../../platform/branchToFetch';
import { gitApi, onDidOpenRepository, openRepositories } from '../../platform/gitExtension';
import {
  branchSummary,
  commitsByPrompt,
  type KnownBranch,
  knownBranch,
  showWarning,
} from '../../platform/jobRepository';
import type { LocalAccess } from '../../platform/localAccess';
import { serviceEnvironment } from '../../../client/localServiceProcess';
import type { Repositories } from '../../platform/repositories';
import { branchDiff, type DiffSource, readJobDiff } from './jobDiff';
import type { Changes, FileDiff } from './model';
import { shownPath, shownPaths } from './shownPaths';
import * as vscode from 'vscode';
import { GitError } from '../../../git/git';
import { showFileChange } from '../../platform/fileVersions';
import { toLabel, toNotice } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';

export interface JobResultsOptions {
  localAvailable: boolean;
  localAccess: Pick<LocalAccess, 'changes' | 'diff' | 'image'>;
  keys: Pick<ApiKeys, 'redactDeep'>;
  repositories: Pick<Repositories, 'open'>;
  /** The service's bundle, `dist/service.mjs`. */
  program: string;
  log: Logger;
}

/** What a job has changed: which files and, a little later, the text in them. */
export interface JobResult {
  changes: Changes;
  /** The newest commit. */
  commit: string | undefined;
  /** The ids of the prompts whose own changes can be shown. */
  reviewable: ReadonlySet<string>;
  /** Empty if it can't be read. */
  diff: Promise<readonly FileDiff[]>;
  /** Checks the added lines. Undefined if their commits are in no open repository, or the workspace is not trusted. */
  check: ((signal: AbortSignal) => Promise<CheckedResult | undefined>) | undefined;
}

/**
 * The changes of jobs, from the service or from the branch in an open repository. Never starts the service, and fetches
 * only a branch that the user asks for.
 */
export class JobResults {
  /** The results of checks, which take seconds. */
  private readonly checked = new Map<string, CheckedResult>();

  constructor(private readonly options: JobResultsOptions) {}

  /** Undefined when unknown. */
  async changes(job: TrackedJob): Promise<JobResult | undefined> {
    const { localAvailable, repositories, log } = this.options;
    const reported = await this.reported(job);
    const branch = await knownBranch(job, localAvailable, reported?.base);
    const changes = reported ?? (branch && (await branchSummary(branch, repositories)));
    if (changes === undefined || changes.files.length + changes.more === 0) {
      return undefined;
    }
    const source = reported === undefined ? branch && (await this.branchSource(branch)) : this.localSource(job);
    const diff = source === undefined ? Promise.resolve([]) : readJobDiff(source, changes);
    return {
      changes: toPageChanges(changes, branch !== undefined),
      commit: changes.commit ?? undefined,
      reviewable: new Set(branch === undefined ? [] : commitsByPrompt(job.prompts, changes.rounds).keys()),
      diff: diff.catch((error: unknown) => {
        log.warn(`couldn’t read the changed text of job ${job.key}`, error);
        return [];
      }),
      check: branch && ((signal) => this.checkBranch(branch, signal)),
    };
  }

  /** Shows the job's changes to one file. @param path as on the page */
  async openFile(job: TrackedJob, path: string): Promise<void> {
    await openChangedFile(job, path, this.options, (await this.reported(job))?.base);
  }

  /** The branch that can be fetched for the job's newest changes; undefined if there is none. */
  branchToFetch(job: TrackedJob): Promise<BranchToFetch | undefined> {
    return branchToFetch(job, this.options.localAvailable);
  }

  /** A job's branch may be in a repository that is opened later. */
  readonly onDidOpenRepository = onDidOpenRepository;

  /** Asks the local service if it runs; undefined when only the branch can tell. */
  private async reported({ location, snapshot }: TrackedJob): Promise<JobChanges | undefined> {
    const { localAccess, keys, log } = this.options;
    if (location.service !== LOCAL_SERVICE || snapshot === undefined) {
      return undefined;
    }
    try {
      return keys.redactDeep(await localAccess.changes(location, snapshot.id));
    } catch (error) {
      log.warn(`couldn’t read the changes of job ${snapshot.id} from the local service`, error);
      return undefined;
    }
  }

  private localSource({ location, snapshot }: TrackedJob): DiffSource {
    const { localAccess, keys } = this.options;
    const id = snapshot?.id ?? '';
    return {
      diff: async () => keys.redactDeep((await localAccess.diff(location, id)) ?? { files: [] }),
      image: (query) => localAccess.image(location, id, query),
    };
  }

  private async branchSource(branch: KnownBranch): Promise<DiffSource> {
    const { repositories, keys } = this.options;
    const opened = await repositories.open(branch.repository);
    const source = branchDiff(opened, branch);
    return { ...source, diff: async () => keys.redactDeep(await source.diff()) };
  }

  private async checkBranch(branch: KnownBranch, signal: AbortSignal): Promise<CheckedResult | undefined> {
    const { base, commit } = branch;
    const folder = branch.repository.rootUri.fsPath;
    // The documentation may be in another repository than the code.
    const open = (await openRepositories(await gitApi())).map(({ rootUri }) => rootUri.fsPath);
    const code = open.filter((each) => each !== folder);
    const range = { folder, base, commit, code };
    const key = JSON.stringify(range);
    const options = { ...this.options, environment: serviceEnvironment() };
    const result = this.checked.get(key) ?? (await checkResult(options, range, signal));
    if (result !== undefined) {
      this.checked.set(key, result);
    }
    return this.options.keys.redactDeep(result);
  }
}

function toPageChanges({ files, more, added, deleted }: JobChanges, canOpen: boolean): Changes {
  const listed = files.slice(0, DIFF_LIMITS.files);
  const names = shownPaths(listed.map(({ path }) => path));
  return {
    files: listed.map(({ from, kind, ...lines }, index) => ({
      path: names[index] ?? '',
      ...(from === undefined ? {} : { from: shownPath(from) }),
      kind,
      added: lines.added ?? undefined,
      deleted: lines.deleted ?? undefined,
    })),
    more: more + Math.max(0, files.length - DIFF_LIMITS.files),
    added,
    deleted,
    canOpen,
  };
}

/**
 * Shows a job's changes to one file, from its branch in an open repository. Reports problems to the user.
 *
 * @param path as shown on the page
 * @param reportedBase the commit the branch started from, if the service reports it
 */
export async function openChangedFile(
  job: TrackedJob,
  path: string,
  { localAvailable, repositories }: { localAvailable: boolean; repositories: Pick<Repositories, 'open'> },
  reportedBase?: string | null,
): Promise<void> {
  const branch = await knownBranch(job, localAvailable, reportedBase);
  if (branch === undefined) {
    showWarning(
      vscode.l10n.t(
        'Can’t show {0}: the job’s branch isn’t in any repository that’s open here. Open its folder, or wait until the job finishes.',
        toNotice(path, 100),
      ),
    );
    return;
  }
  const findFile = async (name: string): Promise<JobChanges['files'][number] | undefined> => {
    try {
      return (await branchSummary(branch, repositories, [name])).files.find((each) => each.path === name);
    } catch (error) {
      // Git refuses a path outside of the repository, which the log may name.
      if (error instanceof GitError) {
        return undefined;
      }
      throw error;
    }
  };
  const { files } = await branchSummary(branch, repositories);
  // The service lists the same files in the same order. The log can name others.
  const names = shownPaths(files.map((each) => each.path));
  const found = files[names.indexOf(path)] ?? (await findFile(path));
  if (found === undefined) {
    showWarning(
      vscode.l10n.t('No changes to {0} on the job’s branch. Fetch the branch, then try again.', toNotice(path, 100)),
    );
    return;
  }
  const title = `${toLabel(path, 80)} (${toLabel(jobTitle(job), 60)})`;
  const status = found.kind === 'added' ? 'A' : found.kind === 'deleted' ? 'D' : 'M';
  await showFileChange(branch.repository, { ...found, status }, { ...branch, jobKey: job.key }, title);
}
