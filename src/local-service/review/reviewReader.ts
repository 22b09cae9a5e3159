import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createYielder } from '../../base/async';
import { diffSummary, outsideWorkTree, PLAIN_DIFF, type SummarizedFile } from '../../git/diff';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type ChangeRepository, type Git, GitError, type GitPlace } from '../../git/git';
import { readBlob } from '../../git/blobs';
import { readPatches } from '../../git/patch';
import {
  CHANGES_LIMITS,
  DIFF_LIMITS,
  type ImageQuery,
  imageType,
  type JobChanges,
  type JobDiff,
  MAX_IMAGE_BYTES,
  toJobChanges,
  toRounds,
} from '../../protocol/changes';
import { joinTexts } from '../codedText';
import { jobFolders } from '../git/jobClone';
import { pointerId, readLfsObject } from '../git/lfs';
import { jobStatus } from '../jobs/jobStatus';
import type { ActivityLogStore, Job, JobStore } from '../store/jobStore';
import { type ChangedFile, toChangedFiles, WORD_DIFF } from './changedWords';
import type { HtmlPage } from './html';
import { renderReviewPage } from './reviewPage';
import { findShownBase } from './mergeTarget';

/** Limits on what is shown. Above them, a browser would take many seconds to lay out the page. */
export const MAX_DIFF_BYTES = 1024 * 1024;
export const MAX_FILES = 300;
const FILE_LIMITS = { files: MAX_FILES, characters: 100_000 };

/** How long git may take to list the changed files, in milliseconds. */
const SUMMARY_MS = 120_000;

/** How many rows of the activity log are read at once. Few, because a row may be long. */
const ACTIVITY_ROWS = 20;

interface Compared {
  base: string;
  commit: string;
}

/** Builds the review page of a job from its published commits. */
export class ReviewReader {
  constructor(
    private readonly parts: {
      git: Git;
      store: Pick<JobStore, 'project' | 'turns'> & Pick<ActivityLogStore, 'activity'>;
      /** The folder with one subfolder per job. */
      jobsFolder: string;
    },
  ) {}

  /** Returns undefined for a job that has published no commit. */
  async page(job: Job): Promise<HtmlPage | undefined> {
    const compared = await this.compared(job);
    if (compared === undefined) {
      return undefined;
    }
    const { git, store } = this.parts;
    const place = await this.findGitPlace(job);
    const folder = (await store.project(job.projectId))?.folder ?? '';
    const where = { git, place, signal: AbortSignal.timeout(SUMMARY_MS) };
    const { files, more } = await diffSummary(where, [compared.base, compared.commit], FILE_LIMITS);
    const turns = await store.turns(job.id);
    const hasSummary = turns.some(({ summary }) => summary?.trim());
    return renderReviewPage({
      ...{ job, ...jobStatus(turns), turns, folder, ...compared, files, more },
      lastMessage: hasSummary ? undefined : await this.lastMessage(job.id),
      note: joinTexts(job.leftOut, job.note),
      isBranchGone: job.review === 'merged' && (await this.isBranchGone(folder, job.branch)),
      changes: more.files > 0 ? undefined : await this.changedWords(place, compared, files),
    });
  }

  /**
   * Returns the files that a job has changed. Throws GitError.
   *
   * @param signal aborts the read, which then rejects with the signal's reason
   */
  async changes(job: Job, signal: AbortSignal): Promise<JobChanges> {
    const compared = await this.compared(job);
    if (compared === undefined) {
      return { base: null, commit: null, files: [], more: 0, added: 0, deleted: 0 };
    }
    const { base, commit } = compared;
    const summary = await diffSummary(await this.where(job, signal), [base, commit], CHANGES_LIMITS);
    return { ...toJobChanges(compared, summary), rounds: toRounds(await this.parts.store.turns(job.id)) };
  }

  /** Returns the text that a job has changed. Throws GitError, or the signal's reason. */
  async diff(job: Job, signal: AbortSignal): Promise<JobDiff> {
    const compared = await this.compared(job);
    return compared === undefined
      ? { files: [] }
      : {
          files: await readPatches(await this.where(job, signal), [compared.base, compared.commit], DIFF_LIMITS),
        };
  }

  /** Returns a picture before or after a job's changes, in Base64; null if it can't be shown. */
  async image(job: Job, { path, of }: ImageQuery, signal: AbortSignal): Promise<string | null> {
    const commit = (await this.compared(job))?.[of];
    if (commit === undefined || imageType(path) === undefined) {
      return null;
    }
    const bytes = await readBlob(await this.where(job, signal), { commit, path }, MAX_IMAGE_BYTES);
    const lfs = pointerId(bytes);
    const folder = (await this.parts.store.project(job.projectId))?.folder;
    const content =
      lfs === undefined || folder === undefined
        ? bytes
        : await readLfsObject(this.parts.git, folder, lfs, MAX_IMAGE_BYTES);
    return content?.toString('base64') ?? null;
  }

  /** Returns the commits whose difference is shown; undefined while nothing is published. */
  private async compared(job: Job): Promise<Compared | undefined> {
    const { id, branch, baseBranch, baseCommit: base, publishedCommit: commit } = job;
    if (base === null || commit === null) {
      return undefined;
    }
    const { git, store } = this.parts;
    const folder = (await store.project(job.projectId))?.folder;
    // The work of a single turn can only be merged as a whole.
    const isLater = folder !== undefined && (await store.turns(id)).length > 1;
    return {
      base: isLater
        ? await findShownBase(git, folder, { jobId: id, branch, base: { commit: base, branch: baseBranch }, commit })
        : base,
      commit,
    };
  }

  private async where(job: Job, signal: AbortSignal): Promise<ChangeRepository> {
    return { git: this.parts.git, place: await this.findGitPlace(job), signal };
  }

  /** Returns the job's own git directory, or the user's repository once that directory has been removed. */
  private async findGitPlace(job: Job): Promise<GitPlace> {
    const { git, store, jobsFolder } = this.parts;
    const { hostGit } = jobFolders(join(jobsFolder, job.id));
    const isThere = (await stat(hostGit).catch(() => undefined)) !== undefined;
    const folder = (await store.project(job.projectId))?.folder;
    if (isThere || folder === undefined) {
      return { folder: hostGit, gitDir: hostGit };
    }
    return outsideWorkTree(git, await disableRepositoryPrograms(git, { folder }));
  }

  /** Returns what the agent wrote last, as the job's page in the editor shows it. */
  private async lastMessage(jobId: string): Promise<string | undefined> {
    let last: string | undefined;
    let after = 0;
    const pause = createYielder();
    for (;;) {
      await pause();
      const events = await this.parts.store.activity(jobId, after, ACTIVITY_ROWS);
      for (const { id, entry } of events) {
        after = id;
        last = entry.kind === 'message' ? entry.text : last;
      }
      if (events.length < ACTIVITY_ROWS) {
        return last;
      }
    }
  }

  private isBranchGone(folder: string, branch: string): Promise<boolean> {
    const { git } = this.parts;
    return git.run({ folder }, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]).then(
      () => false,
      () => true,
    );
  }

  /** Returns the changes of these files; undefined when there is too much to show. */
  private async changedWords(
    place: GitPlace,
    { base, commit }: Compared,
    files: readonly SummarizedFile[],
  ): Promise<ChangedFile[] | undefined> {
    try {
      const diff = await this.parts.git.run(place, [...PLAIN_DIFF, ...WORD_DIFF, base, commit, '--'], {
        maxBytes: MAX_DIFF_BYTES,
      });
      return toChangedFiles(diff, files);
    } catch (error) {
      if (error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        return undefined;
      }
      throw error;
    }
  }
}
