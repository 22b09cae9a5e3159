import type { Logger } from '../../base/logger';
import type { Git } from '../../git/git';
import { diffSummary } from '../../git/diff';
import { CHANGES_LIMITS, type ChangeCounts, type JobChanges, toJobChanges } from '../../protocol/changes';
import { coded } from '../../protocol/codedText';
import type { checkResult } from '../../checks/process/checkResult';
import { describeCheck } from '../forges/checkInDescription';
import type { Publisher } from '../forges/publisher';
import { pullRequestBody, pullRequestTitle } from '../forges/pullRequestText';
import { joinTexts } from '../codedText';
import { commitsElsewhere } from '../git/commitsElsewhere';
import { hostPlace, type JobFolders, removeStaleLocks } from '../git/jobClone';
import { ignoredWork } from '../git/ignoredWork';
import { commitMessage } from '../git/commitMessage';
import { commitTree, publishBranch } from '../git/publishBranch';
import { pullRequestTemplate } from '../git/repositoryTexts';
import { stageWork } from '../git/stageWork';
import type { UserRepository } from '../git/userRepository';
import { redactDetectedSecrets } from '../../prompt/secrets/redactDetectedSecrets';
import { findShownBase } from '../review/mergeTarget';
import type { Job, JobStore, Project, Turn } from '../store/jobStore';
import { settleAfterAbort } from '../../base/async';
import { TurnFailure } from '../turnFailure';
import type { TurnActivityLog } from './turnActivityLog';
import { whyNotPushed } from './whyNotPushed';

/** Timeout for the push and the opening of a pull request together, in milliseconds. */
const PUSH_MS = 5 * 60_000;

/** How long git may take to count what a job has changed, in milliseconds. */
const COUNT_MS = 10_000;

/** How long a pull request waits for the check of its lines, in milliseconds. */
const CHECK_MS = 30_000;

/** How long a stopped publisher may take to finish, in milliseconds. */
const STOP_MS = 2_000;

export type ResultCheck = (
  ...[range, signal]: [Parameters<typeof checkResult>[1], AbortSignal]
) => ReturnType<typeof checkResult>;

interface PublishParts {
  store: Pick<JobStore, 'job' | 'turns' | 'record' | 'recordCommit'>;
  git: Git;
  repository: UserRepository;
  publisher: Publisher;
  /** Checks what a job has added. Undefined if that failed or was aborted. */
  check: ResultCheck;
  log: Logger;
}

interface ToPublish {
  turn: Turn;
  project: Project;
  folders: JobFolders;
  activity: TurnActivityLog;
  signal: AbortSignal;
}

/**
 * Commits the work folder and publishes the branch to the user's repository and, if the project's settings say so, to
 * the Git host. Idempotent: skips steps that are already done. Includes a commit that an earlier turn made but could
 * not publish. Throws TurnFailure, or the signal's reason.
 */
export async function publishTurn(parts: PublishParts, { turn, project, folders, activity, signal }: ToPublish) {
  const { git, store } = parts;
  const branch = (await store.job(turn.jobId))?.branch;
  if (branch === undefined) {
    return;
  }
  // The previous turn may belong to a run of the service that was killed together with its git processes.
  await removeStaleLocks(folders.hostGit, branch);
  const commit = await commitWork(parts, turn, branch, project, folders);
  await noteLeftOut(parts, turn, project, folders, activity);
  const job = await store.job(turn.jobId);
  if (job === undefined) {
    return;
  }
  if (commit === (job.publishedCommit ?? job.baseCommit)) {
    if (job.publishedCommit === null) {
      return;
    }
  } else {
    await publishBranch(git, project.folder, folders.hostGit, branch);
    await store.recordCommit(turn, commit, await countChanges(git, folders, project, job, commit));
  }
  // A note means that something is left to do on the Git host, such as a pull request that could not be opened.
  if (project.settings.publish && (commit !== job.pushedCommit || job.note !== null)) {
    await push(parts, job, commit, { turn, project, folders, activity, signal });
  }
}

/** Returns the newest commit of the job's branch in the service's git directory. */
async function commitWork(
  { git, store, repository }: PublishParts,
  turn: Turn,
  branch: string,
  project: Project,
  folders: JobFolders,
): Promise<string> {
  const parent = (await git.run(hostPlace(folders), ['rev-parse', '--verify', `refs/heads/${branch}`])).trim();
  const tree = await stageWork(git, folders, project.folder, parent);
  const summary = (await store.turns(turn.jobId)).find(({ id }) => id === turn.id)?.summary ?? '';
  const message = commitMessage(
    await redactDetectedSecrets(turn.prompt),
    turn.jobId,
    await redactDetectedSecrets(summary),
  );
  const author = await repository.identity(project.folder);
  return (await commitTree(git, folders, { branch, parent, tree, message, author })) ?? parent;
}

/** Null if git can't tell; that must not block publishing. */
async function countChanges(
  git: Git,
  { hostGit }: JobFolders,
  { folder }: Project,
  { id, branch, baseCommit, baseBranch }: Job,
  commit: string,
): Promise<ChangeCounts | null> {
  if (baseCommit === null) {
    return null;
  }
  const where = { git, place: { folder: hostGit, gitDir: hostGit }, signal: AbortSignal.timeout(COUNT_MS) };
  const work = { jobId: id, branch, base: { commit: baseCommit, branch: baseBranch }, commit };
  const count = async (): Promise<JobChanges> => {
    const base = await findShownBase(git, folder, work);
    return toJobChanges({ base, commit }, await diffSummary(where, [base, commit], CHANGES_LIMITS));
  };
  const changes = await count().catch(() => undefined);
  return changes === undefined
    ? null
    : { files: changes.files.length + changes.more, added: changes.added, deleted: changes.deleted };
}

/** Nothing else would tell the user why work that the agent says it did is not in the result. */
async function noteLeftOut(
  { git, store }: PublishParts,
  turn: Turn,
  project: Project,
  folders: JobFolders,
  activity: TurnActivityLog,
) {
  const { work: folder } = folders;
  const [ignored, commits] = [await ignoredWork(git, folders, project.folder), await commitsElsewhere(git, folders)];
  const note =
    joinTexts(
      ignored === undefined ? undefined : coded('ignoredLeftOut', { names: ignored, folder }),
      commits === undefined ? undefined : coded('commitsLeftOut', { names: commits, folder }),
    ) ?? null;
  if (JSON.stringify(note) !== JSON.stringify((await store.job(turn.jobId))?.leftOut ?? null)) {
    await store.record(turn, { leftOut: note });
    if (note !== null) {
      activity.note(note);
    }
  }
}

/** Undefined if the setting is off; empty if there is nothing to say, or if the check failed or took too long. */
async function describedCheck(
  { check, log }: PublishParts,
  { id: jobId, baseCommit: base }: Job,
  commit: string,
  { folder, settings }: Project,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!settings.checkInPullRequest || base === null) {
    return undefined;
  }
  const late = AbortSignal.timeout(CHECK_MS);
  const result = await check({ folder, base, commit, code: [] }, AbortSignal.any([signal, late]));
  if (result === undefined && late.aborted) {
    log.warn(`Job ${jobId}: the check of ${commit} takes too long for the pull request`);
  }
  return result === undefined ? '' : redactDetectedSecrets(describeCheck(result, commit));
}

async function push(parts: PublishParts, job: Job, commit: string, to: ToPublish): Promise<void> {
  const { store, publisher } = parts;
  const limit = AbortSignal.timeout(PUSH_MS);
  const signal = AbortSignal.any([to.signal, limit]);
  signal.throwIfAborted();
  const { folder } = to.project;
  const destination = await publisher.destination(folder, job.baseBranch, signal);
  const note = destination && (await whyNotPushed(parts, { job, commit, folder }, destination));
  if (note !== undefined) {
    await store.record(to.turn, { note });
    to.activity.note(note);
    return;
  }
  const turns = await store.turns(job.id);
  const prompt = await redactDetectedSecrets(turns[0]?.prompt ?? '');
  const summary = await redactDetectedSecrets(turns.findLast((turn) => (turn.summary ?? '') !== '')?.summary ?? '');
  const place = { folder: to.folders.hostGit, gitDir: to.folders.hostGit };
  const template = job.baseCommit === null ? '' : await pullRequestTemplate(parts.git, place, job.baseCommit);
  const check = destination && (await describedCheck(parts, job, commit, to.project, signal));
  signal.throwIfAborted();
  const publication = {
    jobId: job.id,
    folder,
    hostGit: to.folders.hostGit,
    branch: job.branch,
    commit,
    baseBranch: job.baseBranch,
    title: pullRequestTitle(prompt),
    body: pullRequestBody(prompt, summary, job.id, template, check),
    check,
    prLink: job.prLink,
    signal,
  };
  try {
    const { prLink, note } = await settleAfterAbort(publisher.publish(publication), signal, STOP_MS);
    const pushed = { pushedCommit: prLink === null ? null : commit, pushedTo: destination?.url ?? null };
    await store.record(to.turn, { prLink, note: note ?? null, ...pushed });
    if (note !== undefined) {
      to.activity.note(note);
    }
  } catch (error) {
    throw error === limit.reason ? new TurnFailure(coded('hostTooSlow')) : error;
  }
}
