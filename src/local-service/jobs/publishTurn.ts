import type { checkResult } from '../../checks/process/runCheck';
import { settleAfterAbort } from '../../base/async';
import { READ_MS } from '../../base/limits';
import type { Logger } from '../../base/logger';
import { diffSummary } from '../../git/diff';
import type { Git, RunGit } from '../../git/git';
import { redactDetectedSecrets } from '../../prompt/secrets/findSecrets';
import { CHANGES_LIMITS, type ChangeCounts, toCounts } from '../../protocol/changes';
import { coded, type CodedText } from '../../protocol/codedText';
import { joinTexts } from '../codedText';
import { describeCheck, pullRequestBody, pullRequestTitle } from '../forges/pullRequestText';
import type { Publisher, PushedBranch } from '../forges/publisher';
import { commitMessage, commitTree, publishBranch } from '../git/jobBranch';
import { readCommitRules } from '../git/houseRules';
import { commitsElsewhere, ignoredWork } from '../git/leftOutWork';
import { hostPlace, type JobFolders, removeStaleLocks, whenAllEnded } from '../git/jobClone';
import { pullRequestTemplate } from './repositoryTexts';
import { isAboutStyle } from '../git/keptStyle';
import { stageWork } from '../git/stageWork';
import { endMerges, findMarkers, findUndecided, isAncestor, startedMerges } from '../git/takeIn';
import type { UserRepository } from '../git/userRepository';
import { findShownBase } from '../review/mergeTarget';
import type { Job, JobRecord, JobStore, Project, Turn } from '../store/jobStore';
import { shownPaths } from '../text';
import { HostHasMore, TurnFailure } from '../turnFailure';
import { bringUpToDate } from './bringUpToDate';
import { currentLink } from './lookAround';
import type { TurnActivityLog } from './turnActivityLog';
import { whyNotPushed } from '../git/whyNotPushed';

/** Timeout for the push and the opening of a pull request together, in milliseconds. */
const PUSH_MS = 5 * 60_000;

/** How long a pull request waits for the check of its lines, in milliseconds. */
const CHECK_MS = 30_000;

/** How long a stopped publisher may take to finish, in milliseconds. */
const STOP_MS = 2_000;

export type ResultCheck = (
  ...[range, signal]: [Parameters<typeof checkResult>[1], AbortSignal]
) => ReturnType<typeof checkResult>;

export interface PublishParts {
  store: Pick<JobStore, 'job' | 'turns' | 'record' | 'recordCommit'>;
  git: Git;
  repository: UserRepository;
  publisher: Publisher;
  /** Checks what a job has added. Undefined if that failed or was aborted. */
  check: ResultCheck;
  log: Logger;
}

interface TurnToPublish {
  turn: Turn;
  project: Project;
  folders: JobFolders;
  activity: TurnActivityLog;
  /** What else to say of the result. */
  said?: CodedText | undefined;
  signal: AbortSignal;
}

/** One publication: what is published, and with what. */
type Publication = PublishParts & TurnToPublish & { job: Job; turns: readonly Turn[] };

/** What is known of the job's result. Each step adds to it, and is recorded before the next one. */
interface Facts extends Pick<
  Job,
  | 'baseCommit'
  | 'publishedCommit'
  | 'unsaved'
  | 'leftOut'
  | 'pushedCommit'
  | 'pushedTo'
  | 'prLink'
  | 'note'
  | 'surroundings'
  | 'continues'
> {
  /** The pushed branch, whose pull request is still to be opened. */
  pushed?: PushedBranch;
}

/**
 * Commits the work folder and publishes the branch to the user's repository and, if the project's settings say so, to
 * the Git host. Idempotent: skips steps that are already done. Includes a commit that an earlier turn made but could
 * not publish. Returns what is to be stored with the end of the turn: once the pull request is open, no step may fail,
 * because a failed turn would hide it. Throws TurnFailure, or the signal's reason.
 */
export async function publishTurn(parts: PublishParts, { signal, ...work }: TurnToPublish): Promise<JobRecord> {
  try {
    return await publishOnce(parts, { signal, ...work });
  } catch (error) {
    if (!(error instanceof HostHasMore)) {
      throw error;
    }
    await takeInOthers(parts, { signal, ...work });
    return await publishOnce(parts, { signal, ...work });
  }
}

async function publishOnce(parts: PublishParts, { signal, ...work }: TurnToPublish): Promise<JobRecord> {
  const { jobId } = work.turn;
  const [job, turns] = await Promise.all([parts.store.job(jobId), parts.store.turns(jobId)]);
  if (job === undefined) {
    return {};
  }
  const committed = await commit({ ...parts, ...work, signal, job, turns }, job);
  const limit = AbortSignal.timeout(PUSH_MS);
  const publication = { ...parts, ...work, job, turns, signal: AbortSignal.any([signal, limit]) };
  try {
    return await openPullRequest(publication, await push(publication, committed));
  } catch (error) {
    throw error === limit.reason ? new TurnFailure(coded('hostTooSlow')) : error;
  }
}

/** Merges what others have added to the branch while the agent worked. Throws TurnFailure for a conflict. */
async function takeInOthers(parts: PublishParts, { turn, project, folders, activity, signal }: TurnToPublish) {
  const job = await parts.store.job(turn.jobId);
  if (job === undefined) {
    return;
  }
  const { found, notes, conflicts } = await bringUpToDate(parts, { job, project, folders, signal });
  await parts.store.record(turn, found);
  if (conflicts.length > 0) {
    const names = shownPaths(conflicts) ?? '';
    throw new TurnFailure(coded('conflictsWithOthers', { branch: job.branch, names }));
  }
  notes.forEach((note) => activity.note(note));
}

/** Commits what the agent has changed, and brings the branch into the user's repository. */
async function commit(publication: Publication, facts: Facts): Promise<Facts> {
  const { git, store, turn, job, project, folders } = publication;
  // The previous turn may belong to a run of the service that was killed together with its git processes.
  await removeStaleLocks(folders.hostGit, job.branch);
  const { made, baseCommit, surroundings, note, kept } = await commitWork(publication);
  if (kept !== undefined) {
    publication.activity.note(kept);
  }
  const isNew = made !== (facts.publishedCommit ?? job.baseCommit);
  const left = findLeftOut(publication);
  try {
    if (isNew) {
      const isReplaced = await isReplacing(publication, made);
      const [, changes] = await whenAllEnded([
        publishBranch(git, project.folder, folders.hostGit, job.branch, { isReplaced }),
        countChanges({ ...publication, job: { ...job, baseCommit } }, made),
      ]);
      await store.recordCommit(turn, made, changes);
    }
  } finally {
    // Nothing may still be reading when the turn ends.
    await Promise.allSettled([left]);
  }
  const leftOut = joinTexts(publication.said, note, await left) ?? null;
  const found = { leftOut, unsaved: null, baseCommit, surroundings };
  return record(publication, facts, found, isNew ? { publishedCommit: made } : {});
}

/** Pushes the branch to the Git host, unless the user has to do something before. */
async function push(publication: Publication, facts: Facts): Promise<Facts> {
  const { publisher, job, project, folders, signal } = publication;
  const { publishedCommit: made, pushedCommit, note } = facts;
  const prLink = currentLink({ prLink: facts.prLink, continues: job.continues }) ?? null;
  // A note means that something is left to do on the Git host, such as a pull request that could not be opened.
  const isDone = made === pushedCommit && prLink !== null && note === null;
  // Nothing is left of the work if its newest commit is the base.
  if (made === null || made === facts.baseCommit || isDone || !project.settings.publish) {
    return facts;
  }
  signal.throwIfAborted();
  const destination = await publisher.destination(project.folder, job.baseBranch, signal);
  if (destination === undefined) {
    return facts;
  }
  const where = { folder: project.folder, hostGit: folders.hostGit };
  const why = await whyNotPushed(publication, { job: { ...job, ...facts }, commit: made, ...where }, destination);
  if (why !== undefined) {
    return record(publication, facts, { note: why });
  }
  const title = pullRequestTitle(await redactDetectedSecrets(promptOf(publication)));
  signal.throwIfAborted();
  const { id: jobId, branch } = job;
  const work = { jobId, hostGit: folders.hostGit, branch, commit: made, title, prLink, signal };
  const pushed = await settleAfterAbort(destination.push(work), signal, STOP_MS);
  const opened = pushed.prLink === undefined ? {} : { prLink: pushed.prLink };
  return record(publication, facts, { pushedCommit: made, pushedTo: destination.url, ...opened }, { pushed });
}

/** Opens the pull request of the branch that was just pushed. Returns what is to be stored of it. */
async function openPullRequest(publication: Publication, facts: Facts): Promise<JobRecord> {
  const { git, job, turns, folders, signal } = publication;
  const { pushed, publishedCommit: made } = facts;
  if (pushed === undefined || made === null) {
    return {};
  }
  const said = turns.findLast(({ summary }) => (summary ?? '') !== '')?.summary ?? '';
  const [prompt, summary] = await Promise.all([promptOf(publication), said].map(redactDetectedSecrets));
  const place = { folder: folders.hostGit, gitDir: folders.hostGit };
  const template = job.baseCommit === null ? '' : await pullRequestTemplate(git, place, job.baseCommit);
  const check = await describedCheck(publication, made);
  signal.throwIfAborted();
  const text = { body: pullRequestBody(prompt ?? '', summary ?? '', job.id, template, check, job.continues), check };
  const { prLink, note = null } = await settleAfterAbort(pushed.openPullRequest(text), signal, STOP_MS);
  const { surroundings } = facts;
  // What was seen of an earlier pull request isn't about this one.
  const isOther = prLink !== null && surroundings?.pullRequest !== undefined && surroundings.pullRequest.url !== prLink;
  const { base } = surroundings ?? {};
  sayChanged(publication, facts, { note });
  return {
    ...{ prLink, note },
    ...(isOther && { surroundings: base ? { base } : null }),
    // It was closed, and someone has opened it again.
    ...(prLink !== null && prLink === job.continues && { continues: null }),
  };
}

/** What the pull request is about: the first prompt, or the one with which a job continues after a merge. */
function promptOf({ job, turn, turns }: Publication): string {
  const first = job.continues === null ? turns[0] : turn;
  return first?.prompt ?? '';
}

/** Whether the commit takes the place of the one that the user's repository has, and that nobody has built upon. */
export async function isReplacing(
  { git, repository, job, project, folders }: Pick<Publication, 'git' | 'repository' | 'job' | 'project' | 'folders'>,
  made: string,
): Promise<boolean> {
  const { publishedCommit, branch } = job;
  const run: RunGit = (args) => git.run({ folder: folders.hostGit, gitDir: folders.hostGit }, args);
  return (
    publishedCommit !== null &&
    !(await isAncestor(run, publishedCommit, made)) &&
    (await repository.commitOf(project.folder, `refs/heads/${branch}`)) === publishedCommit
  );
}

/**
 * Stores what a step has found out, and says in the activity log what the user should know.
 *
 * @param more what is already stored, or not to be
 */
async function record(
  publication: Publication,
  before: Facts,
  found: Partial<Omit<Facts, 'pushed' | 'publishedCommit'>>,
  more: Partial<Facts> = {},
): Promise<Facts> {
  const changed = (Object.keys(found) as (keyof typeof found)[]).filter((name) => !isSame(before[name], found[name]));
  if (changed.length > 0) {
    const { store, turn } = publication;
    await store.record(turn, Object.fromEntries(changed.map((name) => [name, found[name]])));
  }
  sayChanged(publication, before, found);
  return { ...before, ...found, ...more };
}

function sayChanged({ activity }: Publication, before: Facts, found: Pick<JobRecord, 'leftOut' | 'note'>): void {
  for (const name of ['leftOut', 'note'] as const) {
    const text = found[name] ?? null;
    if (text !== null && !isSame(before[name], text)) {
      activity.note(text);
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the newest commit of the job's branch in the service's git directory, and what the work is based on then.
 * Throws TurnFailure.
 */
export async function commitWork({
  git,
  repository,
  turn,
  turns,
  job,
  project,
  folders,
}: Pick<Publication, 'git' | 'repository' | 'turn' | 'turns' | 'job' | 'project' | 'folders'>): Promise<{
  made: string;
  baseCommit: string | null;
  surroundings: Job['surroundings'];
  note?: CodedText | undefined;
  kept?: CodedText | undefined;
}> {
  const { branch } = job;
  const place = hostPlace(folders);
  const ref = `refs/heads/${branch}`;
  const [branchIds, merges, author, { rules, note }] = await Promise.all([
    git.run(place, ['rev-parse', ref, `${ref}^{tree}`]),
    startedMerges(git, place),
    repository.identity(project.folder),
    readCommitRules((...run) => git.run(place, ...run), job.baseCommit),
  ]);
  const [parent = '', parentTree] = branchIds.split('\n');
  let kept: CodedText | undefined;
  const keep = (names: string): void => void (kept = coded('styleKept', { names }));
  // What others have changed came with the merge.
  const mayChange = merges.length > 0 || turns.some(({ prompt }) => isAboutStyle(prompt));
  const tree = await stageWork(git, folders, project.folder, parent, mayChange ? undefined : keep);
  const merged = merges.map(({ commit }) => commit).filter((commit) => commit !== parent);
  const marked = merges.length === 0 ? [] : await findMarkers(git, place, tree, [parent, ...merged]);
  if (marked.length > 0) {
    throw new TurnFailure(coded('markersLeft', { names: shownPaths(marked) ?? '' }));
  }
  const summary = turns.find(({ id }) => id === turn.id)?.summary ?? '';
  const [asked, said] = await Promise.all([turn.prompt, summary].map(redactDetectedSecrets));
  const { subjectPrefix, signOff } = rules;
  const style = { subjectPrefix, signOff: signOff === true ? author : undefined };
  const message = commitMessage(asked ?? '', turn.jobId, said, style);
  const made = await commitTree(git, folders, { branch, parent, parentTree, merged, tree, message, author }, () =>
    git.signing(project.folder, rules.sign),
  );
  await endMerges(git, place, merges);
  const base = merges.find(({ from }) => from === 'base')?.commit;
  const { pullRequest } = job.surroundings ?? {};
  // What was seen of the base was before the merge.
  const surroundings = merges.length === 0 ? job.surroundings : pullRequest ? { pullRequest } : null;
  const undecided = shownPaths(await findUndecided(git, place, { tree, parent, merged }));
  const left = undecided === undefined ? undefined : coded('conflictLeft', { names: undecided });
  return {
    made: made?.id ?? parent,
    baseCommit: base ?? job.baseCommit,
    surroundings,
    note: joinTexts(note, made?.note, left),
    kept,
  };
}

/** Null if git can't tell; that must not block publishing. */
export async function countChanges(
  { git, job, project, folders }: Pick<Publication, 'git' | 'job' | 'project' | 'folders'>,
  made: string,
): Promise<ChangeCounts | null> {
  const { id: jobId, branch, baseCommit, baseBranch } = job;
  if (baseCommit === null) {
    return null;
  }
  const { hostGit } = folders;
  const where = { git, place: { folder: hostGit, gitDir: hostGit }, signal: AbortSignal.timeout(READ_MS) };
  const work = { jobId, branch, base: { commit: baseCommit, branch: baseBranch }, commit: made };
  try {
    const base = await findShownBase(git, project.folder, work);
    return toCounts(await diffSummary(where, [base, made], CHANGES_LIMITS));
  } catch {
    return null;
  }
}

/** Nothing else would tell the user why work that the agent says it did is not in the result. */
async function findLeftOut({ git, folders, project }: Publication): Promise<CodedText | null> {
  const { work: folder } = folders;
  const [ignored, commits] = [await ignoredWork(git, folders, project.folder), await commitsElsewhere(git, folders)];
  const texts = [
    ignored === undefined ? undefined : coded('ignoredLeftOut', { names: ignored, folder }),
    commits === undefined ? undefined : coded('commitsLeftOut', { names: commits, folder }),
  ];
  return joinTexts(...texts) ?? null;
}

/** Undefined if the setting is off; empty if there is nothing to say, or if the check failed or took too long. */
async function describedCheck(
  { check, log, job, project: { folder, settings }, signal }: Publication,
  made: string,
): Promise<string | undefined> {
  const { id: jobId, baseCommit: base } = job;
  if (!settings.checkInPullRequest || base === null) {
    return undefined;
  }
  const late = AbortSignal.timeout(CHECK_MS);
  const result = await check({ folder, base, commit: made, code: [] }, AbortSignal.any([signal, late]));
  if (result === undefined && late.aborted) {
    log.warn(`Job ${jobId}: the check of ${made} takes too long for the pull request`);
  }
  return result === undefined ? '' : redactDetectedSecrets(describeCheck(result, made));
}
