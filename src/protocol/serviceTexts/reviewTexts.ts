/** Texts of the review page about its job: what a merge would do, and why one is refused. */
export const REVIEW_TEXTS = {
  pathsAndMore: '{paths} and {count} more',
  nothingToReview: 'There is nothing to review yet: the job has changed no file.',
  noSuchPage: 'There is no such page.',
  pageOnly: 'Only the review page itself may do this.',
  pageIsOld: 'The local service was started again since this page was opened. Open the page again from the editor.',
  pageSentWrong: 'The page sent what it may not. Reload it; if the follow-up is long, send a shorter one.',
  changesNotRead: 'The changes can’t be read. {words}',
  changesTookTooLong: 'git took too long to tell the changes. Open the branch instead.',

  agentAtWork: 'The agent is at work. Wait until it has ended, then reload the page and look again.',
  repositoryGone: 'The repository of this job is not registered any more. Open its folder in the editor.',
  mergedNoFollowUp: 'This work is merged already. To have more done, send a follow-up from the editor.',
  closedNoFollowUp: 'This work is closed already. To have more done, send a follow-up from the editor.',
  onCodeHost: 'This work has a pull request on the code host. Reload the page, and merge it there.',
  reviewClosed: 'This review is closed. Reload the page.',
  alreadyMerged: 'This work is merged already. Reload the page.',
  newerChanges: 'There are newer changes than this page shows. Reload the page and look again.',

  holdsAlready: 'Your branch “{branch}” holds this work already.',
  movesForward: 'Your branch “{branch}” moves forward to this work; no merge commit is needed.',
  getsMergeCommit: 'Your branch “{branch}” has moved on meanwhile: it gets a merge commit, if there are no conflicts.',
  workNotInRepository: 'The work is not in your repository any more. Send a follow-up, which brings it again.',
  otherBranch: 'This would be merged into “{branch}” now. Reload the page and look again.',
  branchChanged: 'Your branch “{branch}” has changed since this page was opened. Reload the page and look again.',
  notMerged: 'This can’t be merged here: {words}',
  notMergedCommand: 'This can’t be merged here: {words}. Run “git merge {branch}”.',
  gitTooOld: 'Your git is too old for this (2.38 is needed). Run “git merge {branch}”.',
  mergeDriver: 'A merge driver keeps {paths}. Merge on the command line.',
  conflicts:
    'There are conflicts. Run “git merge {branch}” and resolve them, or ask the agent to bring its work up to date.',
  conflictsIn:
    'There are conflicts in {paths}. Run “git merge {branch}” and resolve them, or ask the agent to bring its work up to date.',
  submodulesChanged:
    'This work changes submodules ({paths}). Save what is not pushed there, then merge on the command line.',
  uncommittedChanges:
    'You have uncommitted changes in {paths}, which this merge changes too. Commit or stash them, then try again.',
  wouldBeOverwritten: '{paths} would be overwritten, and git does not track it. Move or delete it, then try again.',
  filtered: 'A filter such as Git LFS keeps {paths}. Merge on the command line.',
  checkedOutElsewhere: 'The branch “{target}” is checked out in “{folder}”. Run “git merge {branch}” there.',
  noBranchCheckedOut: 'Your checkout is not on a branch. Switch to the branch to merge into, then try again.',
  startNotContained:
    'Your branch “{target}” does not contain the commit {commit} that this work was made from. Switch to a branch that contains it and reload the page, or bring this work alone: “git cherry-pick {commit}..{branch}”.',
  gitSaid: 'git said: {words}',
  workTreeElsewhere: 'The work tree of the repository in “{folder}” is elsewhere now. Merge on the command line.',
  operationUnfinished: 'A {operation} is not finished in your checkout. Finish or abort it, then try again.',
  otherGitCommand:
    'Another git command is working in your repository. Try again when it has ended; if there is none, delete “{file}”.',
  rebaseUnfinished:
    'The branch “{branch}” is being rebased in another work tree. Finish or abort the rebase, then try again.',
} as const;
