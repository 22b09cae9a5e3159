import { join } from 'node:path';
import { branchOf, jobFolders } from '../git/jobClone';
import { type Git, GitError, type GitPlace } from '../git/git';
import type { Job, JobStore } from '../store/jobStore';
import { parseNumstat, type ChangedFile } from './numstat';
import { renderReviewPage, type ReviewPage } from './reviewPage';

/** What is shown at most: above this a page would take a browser seconds to lay out. */
export const MAX_DIFF_BYTES = 2 * 1024 * 1024;
export const MAX_FILES = 300;

/** Options by which `git diff` runs no program that a repository names, and prints what the parser expects. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', '--src-prefix=a/', '--dst-prefix=b/'];

/** Makes the review page of a job from what is committed. */
export class ReviewDesk {
  constructor(
    private readonly git: Git,
    private readonly store: Pick<JobStore, 'project' | 'turns'>,
    private readonly jobsFolder: string,
  ) {}

  /** Returns undefined for a job of which nothing was committed. */
  async page(job: Job): Promise<ReviewPage | undefined> {
    const { baseCommit, publishedCommit } = job;
    if (baseCommit === null || publishedCommit === null) {
      return undefined;
    }
    const { hostGit } = jobFolders(join(this.jobsFolder, job.id));
    const place = { folder: hostGit, gitDir: hostGit };
    const numstat = await this.git.run(place, ['diff', '--numstat', '-z', ...PLAIN, baseCommit, publishedCommit, '--']);
    const files = parseNumstat(numstat);
    return renderReviewPage({
      turns: this.store.turns(job.id),
      repository: job.repository,
      folder: this.store.project(job.projectId)?.folder ?? '',
      baseBranch: job.baseBranch,
      baseCommit,
      branch: branchOf(job.id),
      files,
      diff: await this.diff(place, files, baseCommit, publishedCommit),
    });
  }

  /** Returns undefined when there is too much to show. */
  private async diff(
    place: GitPlace,
    files: readonly ChangedFile[],
    base: string,
    commit: string,
  ): Promise<string | undefined> {
    if (files.length > MAX_FILES) {
      return undefined;
    }
    try {
      return await this.git.run(place, ['diff', ...PLAIN, base, commit, '--'], { maxBytes: MAX_DIFF_BYTES });
    } catch (error) {
      if (error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        return undefined;
      }
      throw error;
    }
  }
}
