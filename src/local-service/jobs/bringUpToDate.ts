import type { Git, RunGit } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { Destination, Publisher } from '../forges/publisher';
import { commitMessage, makeCommit } from '../git/jobBranch';
import { readCommitRules } from '../git/houseRules';
import { type JobFolders, hostPlace } from '../git/jobClone';
import { type Start, takeIn, type TakenIn } from '../git/takeIn';
import type { UserRepository } from '../git/userRepository';
import type { Job, JobRecord, Project } from '../store/jobStore';
import { shownPath, shownPaths } from '../text';
import { TurnFailure } from '../turnFailure';
import { chooseStart, foundPullRequest, incomingOf, lookAround, nextBranch, type Seen, summarize } from './lookAround';

export interface JobAt {
  job: Job;
  project: Project;
  folders: JobFolders;
  signal: AbortSignal;
}

export interface UpToDateParts {
  git: Git;
  repository: UserRepository;
  publisher: Publisher;
}

/** A job's work with what others have done. */
export interface UpToDate {
  /** What is to be stored. */
  found: JobRecord;
  /** What to tell the user. */
  notes: CodedText[];
  /** The same for the agent; empty if there is nothing to tell. */
  notice: string;
  /** The files that have conflict markers now, or would have. */
  conflicts: string[];
  /** The tip of the branch, and whether it was moved. */
  head: string;
  isMoved: boolean;
}

/** Where the job's work is pushed; undefined if it stays in the user's repository. Throws TurnFailure. */
export async function findDestination(
  { publisher }: Pick<UpToDateParts, 'publisher'>,
  { job, project, signal }: JobAt,
): Promise<Destination | undefined> {
  return project.settings.publish ? publisher.destination(project.folder, job.baseBranch, signal) : undefined;
}

/** Throws TurnFailure, GitError, or the signal's reason. */
export async function look(parts: Omit<UpToDateParts, 'repository'>, at: JobAt): Promise<Seen> {
  const { job, project, folders, signal } = at;
  const destination = await findDestination(parts, at);
  return lookAround(parts.git, { hostGit: folders.hostGit, repository: project.folder, destination, signal }, job);
}

/**
 * Looks around, and brings what others have done into the job's branch and its work folder. Throws TurnFailure, GitError,
 * or the signal's reason.
 *
 * @param isUpdate whether no run follows: then others' commits are merged, or if they conflict, nothing is changed
 */
export async function bringUpToDate(parts: UpToDateParts, at: JobAt, isUpdate = false): Promise<UpToDate> {
  const { git, repository } = parts;
  const { job, project, folders, signal } = at;
  const seen = await look(parts, at);
  signal.throwIfAborted();
  if (seen.isCheckedOut) {
    throw new TurnFailure(coded('branchCheckedOut', { branch: job.branch, repository: coded('yourRepository') }));
  }
  const chosen = isUpdate ? { branch: job.branch, incoming: incomingOf(seen, job.branch) } : chooseStart(seen, job);
  const isNew = chosen.branch !== job.branch;
  const start = isNew ? { ...chosen, branch: await freeBranch(repository, project.folder, job.branch) } : chosen;
  const author = await repository.identity(project.folder);
  const clone = {
    git,
    folders,
    repository: project.folder,
    branch: job.branch,
    commitMerge: async (run: RunGit, { subject, ...merge }: { tree: string; parents: string[]; subject: string }) => {
      const { rules } = await readCommitRules(run, seen.base?.commit ?? job.baseCommit);
      const message = commitMessage(subject, job.id, '', { ...rules, signOff: rules.signOff ? author : undefined });
      const sign = () => git.signing(project.folder, rules.sign);
      return (await makeCommit(run, { ...merge, message, author }, sign)).id;
    },
  };
  const taken = await takeIn(clone, start, !isUpdate);
  const conflicts = taken.conflict?.paths ?? [];
  const notes = notesOn({ seen, start, taken, job });
  const found = await describeFound(git, folders, { seen, start, taken, job });
  return {
    found,
    notes,
    notice: await noticeOf(git, folders, { isNew, taken, seen, before: seen.tip }),
    conflicts,
    head: taken.head,
    isMoved: taken.head !== seen.tip,
  };
}

async function freeBranch(repository: UserRepository, folder: string, branch: string): Promise<string> {
  const taken = await repository.jobBranches(folder);
  let next = nextBranch(branch);
  while (taken.has(next)) {
    next = nextBranch(next);
  }
  return next;
}

interface Outcome {
  seen: Seen;
  start: Start;
  taken: TakenIn;
  job: Job;
}

async function describeFound(git: Git, folders: JobFolders, { seen, start, taken, job }: Outcome): Promise<JobRecord> {
  const place = { folder: folders.hostGit, gitDir: folders.hostGit };
  const { base, pullRequest } = seen;
  const isNew = start.branch !== job.branch;
  const shared = base && (await git.run(place, ['merge-base', taken.head, base.commit]).catch(() => '')).trim();
  const isOver = isNew || pullRequest?.state === 'closed';
  return {
    surroundings: isNew ? null : await summarize(git, folders.hostGit, { tip: taken.head, base, pullRequest }),
    ...(shared && { baseCommit: shared }),
    ...foundPullRequest(job, seen),
    ...(isOver && { continues: pullRequest?.url ?? job.prLink }),
    ...(isNew && {
      branch: start.branch,
      publishedCommit: null,
      pushedCommit: null,
      changes: null,
      note: null,
    }),
  };
}

function notesOn({ seen, start, taken, job }: Outcome): CodedText[] {
  const { base, host, pullRequest } = seen;
  const { conflict, merged } = taken;
  const { branch, move } = start;
  const names = shownPaths(conflict?.paths ?? []) ?? '';
  const moved = (): CodedText[] => {
    if (move === undefined) {
      return [];
    }
    if (branch !== job.branch) {
      return [coded('startsAnew', { link: pullRequest?.url ?? job.branch, base: base?.branch ?? '', branch })];
    }
    if (move.onto === host?.commit ? host.state === 'rewritten' : move.onto === seen.own.commit) {
      return [coded('rewrittenTakenIn', { branch })];
    }
    return [
      ...(job.publishedCommit === null ? [] : [coded('commitsReplaced')]),
      ...(move.onto === base?.commit && move.from !== move.onto ? [coded('baseTakenIn', { base: base.branch })] : []),
    ];
  };
  return [
    ...moved(),
    ...merged.map(({ from, name }) =>
      from === 'base' ? coded('baseTakenIn', { base: name }) : coded('othersTakenIn', { branch: name }),
    ),
    ...(conflict === undefined ? [] : [coded('conflictStarted', { names })]),
  ];
}

/** The maximum number of commits, and of files, in the notice for the agent. */
const MAX_TOLD = 20;

async function noticeOf(
  git: Git,
  folders: JobFolders,
  { isNew, taken, seen, before }: Pick<Outcome, 'taken' | 'seen'> & { isNew: boolean; before: string },
): Promise<string> {
  const place = hostPlace(folders);
  const { head, conflict } = taken;
  const log = (range: string[]) =>
    git
      .run(place, ['log', '--no-merges', `--max-count=${MAX_TOLD}`, '--format=- %an: %s', ...range, '--'])
      .then((text) => text.trim())
      .catch(() => '');
  const listed = head === before ? '' : await log([head, `^${before}`]);
  const paths = (conflict?.paths ?? []).map(shownPath);
  const base = seen.base?.branch ?? 'the base branch';
  return [
    isNew
      ? `The pull request with your earlier work was merged. You now start from the present state of ${base}, on a new branch.`
      : '',
    listed === ''
      ? ''
      : `Others have changed the repository since your last message. Your folder has their commits; read the files again before you edit them, and keep their changes:\n${listed}`,
    paths.length === 0
      ? ''
      : `Some of these changes conflict with yours. The conflicts are marked with <<<<<<<, =======, and >>>>>>> in the files below. Resolve each so that both intentions are kept, and remove all markers; you don’t need git for that. A file without markers isn’t text, or one side has deleted it: decide what stays.\n${paths
          .slice(0, MAX_TOLD)
          .map((path) => `- ${path}`)
          .join('\n')}`,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}
