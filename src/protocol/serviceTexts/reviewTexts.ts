/** Texts about the work of a job: what a merge would do, and why one is refused. */
export const REVIEW_TEXTS = {
  nothingToReview: 'There’s nothing to review yet. The job hasn’t changed any files.',
  nothingUnsaved: 'All of this job’s work is in its branch.',
  changesNotRead: 'Couldn’t read the changes. {words}',
  changesTookTooLong: 'Git took too long to list the changes. Open the branch instead.',

  agentAtWork: 'The agent is working. Wait until it finishes.',
  repositoryGone: 'This job’s repository is no longer registered. Open its folder in VS Code.',
  onCodeHost: 'This work has a pull request on the Git host. Merge it there.',
  reviewClosed: 'This job is closed. Reopen it first.',
  alreadyMerged: 'This work is already merged.',
  mergedNotReopened: 'This work is already merged. To request more changes, send a follow-up.',
  mergeNotRecorded:
    'The work was merged into “{branch}”, but the local service couldn’t record that: {words}. Free up disk space if the disk is full, then try again. Trying again won’t merge it twice.',
  newerChanges: 'The job’s work has changed in the meantime. Try again.',

  holdsAlready: 'Your branch “{branch}” already contains this work.',
  getsOneCommit: 'Merging adds one commit to your branch “{branch}”.',
  workNotInRepository: 'The job’s branch is no longer in your repository. Send a follow-up to restore it.',
  branchChanged: 'The branch to merge into, “{branch}”, has changed in the meantime. Try again.',
  notMerged: 'This can’t be merged here: {words}',
  notMergedCommand: 'This can’t be merged here: {words}. Run “git merge {branch}”.',
  conflictsIn: 'There are conflicts in {paths}. Run “git merge {branch}” and resolve them.',
  conflictsWithBase:
    'This job’s changes conflict with those on “{base}” in {paths}. Ask the agent to resolve that in a follow-up, or run “git merge {branch}”.',
  changesHidden:
    'Your “{path}” differs from the branch, but “git status” doesn’t show it. Run “{command}”, then commit, stash, or discard the changes, and try again.',
  notUndone: 'The merge can’t be undone here: {words}',
  undoLaterCommits: '“{branch}” has later commits. To undo the merge, revert commit {commit} with Git.',
  undoPushed: '“{branch}” was pushed after the merge. To undo the merge, revert commit {commit} with Git.',
  undoAmended: 'Commit {commit} on “{branch}” was changed after the merge. To undo the merge, revert it with Git.',
  undoElsewhere: 'Branch “{branch}” is checked out in “{folder}”. To undo the merge, revert its commit there with Git.',
  undoNotRecorded:
    'The merge was undone, but the local service couldn’t record that: {words}. Free up disk space if the disk is full, then try again.',
  submodulesReplaced: 'This would delete submodules ({paths}) with everything in them. Use Git on the command line.',
  foldersReplaced:
    'This would delete {paths}, which you have put in the place of tracked files. Move it, then try again.',
  filtered: 'A filter such as Git LFS manages {paths}. Use Git on the command line.',
  checkedOutElsewhere: 'Branch “{target}” is checked out in “{folder}”. Run “git merge {branch}” there.',
  branchRewritten:
    'Branch “{branch}” no longer contains what the agent committed, so merging here would leave out your own commits. Run “git merge {branch}” instead.',
  noBranchCheckedOut:
    'No branch is checked out in “{folder}”. Check out the branch that you want to merge into and try again, or run “git merge {branch}” in the worktree where that branch is checked out.',
  startNotContained:
    'Your branch “{target}” doesn’t contain commit {commit}, which this work is based on. Switch to a branch that contains it, or apply only this work: “git cherry-pick {commit}..{branch}”.',
  gitSaid: 'Git reported: {words}',
  operationUnfinished: 'A {operation} is in progress in your checkout. Finish or abort it, then try again.',
} as const;
