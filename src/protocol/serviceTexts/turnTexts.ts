/** Texts about the parts of a turn outside the agent: repository, commit, push, pull request, and archiving. */
export const TURN_TEXTS = {
  // The service itself.
  serviceFailed: 'The local service failed: {words}',
  stoppedByService: 'The local service was stopped while this job was running. Send a follow-up to go on.',
  stoppedByUser: 'This job was stopped by the user. Send a follow-up to go on.',
  goesOnLater: 'The local service was stopped. It goes on with this message when it is started again.',
  takenUpAgain: 'The local service ended while the agent worked. The message is taken up once more.',
  projectGone: 'The project of this job is not registered any more. Open its folder in the editor.',
  limitReached: 'The limit of {limit} requests per project and hour is reached.',

  // The folder.
  gitSilent:
    'git did not answer in “{folder}” within {seconds} seconds. Check that neither .git/config nor a file that it includes is a pipe, and that the disk answers.',
  noWorkTree: '“{folder}” is not in a git work tree. Open a folder of a git repository.',
  noCommitYet: 'The repository in “{folder}” has no commit yet. Make a first commit, then try again.',
  filesShared:
    'The job’s folder shares files with your repository, and could not be separated from it: {words}. Archive the job and start a new one.',
  branchInTheWay:
    'Your repository has a branch “{branch}”, and git can’t keep the branches “{branch}/…” of jobs beside it. Rename your branch “{branch}”, for example with “git branch -m {branch} my-{branch}”, then send a follow-up.',

  // The commit.
  notCommitted: 'The changes could not be committed: {words}',
  ignoredLeftOut:
    'git ignores files that the agent wrote, so they are not in the commit: {names}. They are in “{folder}” until you archive the job.',
  folderReplaced:
    'The agent removed or replaced the job’s folder. Nothing was committed. Send a follow-up, which starts from the last commit.',
  nestedRepository: 'The agent left a repository inside the repository at “{path}”. Nothing was committed.',
  linkLeadsOut: 'The agent made a link that leads out of the repository at “{path}”. Nothing was committed.',
  specialFile: 'The agent left a special file at “{path}”. Nothing was committed.',
  foldersTooDeep: 'The agent left folders that are nested too deep at “{path}”. Nothing was committed.',
  folderNotReadable: 'The agent left a folder that can’t be read at “{path}”. Nothing was committed.',
  workInSubmodule:
    'The agent worked in “{path}”, which is a submodule and can’t be changed from here. Nothing was committed. Ask it to leave that folder empty, or start a job in the submodule’s own repository.',

  // The branch. `repository` is one of the first two texts.
  yourRepository: 'your repository',
  theRemote: 'the remote “{folder}”',
  branchNotBrought: 'The branch {branch} could not be brought into {repository}. Send a follow-up to try again.',
  branchNotBroughtSaying: 'The branch {branch} could not be brought into {repository}: {words}',
  branchCheckedOut:
    'The branch {branch} is checked out in {repository}. Switch to another branch, then send a follow-up.',
  branchHasMore:
    'The branch {branch} in {repository} holds commits that the agent’s does not. Rename it, then send a follow-up.',
  remoteNoRepository: 'The remote “{folder}” is not a git repository. Correct the remote, then send a follow-up.',
  remoteNotRead: 'The remote could not be read: {words}',
  remoteElsewhere:
    'The remote “{name}” is at an address that is neither HTTPS nor ssh nor a folder. Correct it, then send a follow-up.',
  remoteProtocol:
    'The remote of this repository is at an address that is neither HTTPS nor ssh. Correct it, then send a follow-up.',

  // The push. `said` is what the host said, in one of these forms, or empty.
  colonSaid: ': {words}',
  inParentheses: ' ({words})',
  codeInParentheses: ' ({code}).',
  hostTooSlow:
    'The code host did not answer in time. The work is in the branch of your repository; send a follow-up to try again.',
  pushTimeOver: 'The push to {host} took too long and was stopped. Send a follow-up to try again.',
  hostHasMore:
    'The branch {branch} on {host} holds commits that the agent’s does not. Rename it there, then send a follow-up.',
  branchDeclined: '{host} refused the branch {branch}{said}',
  pushNotAllowed:
    '{host} did not let you push to {repository}. {connect} or sign in with git in a terminal, then send a follow-up.',
  hostKeyUnknown: 'ssh does not know the host key of {host}. Connect to it once in a terminal, then send a follow-up.',
  repositoryNotFound:
    '{host} has no repository {repository}, or does not show it to you. Check the remote, or: {connect}, then send a follow-up.',
  repositoryMoved:
    '{host} redirects {repository} to another address, as after a rename. Redirects are not followed, so that your credentials reach no other host. Set the new address of the remote “{remote}” with “git remote set-url”, then send a follow-up.',
  certificateNotVerified: 'The certificate of {host} could not be verified{said}',
  hostNotReached: '{host} could not be reached{said} Check the connection, then send a follow-up.',
  branchNotPushed: 'The branch {branch} could not be pushed to {host}{said}',

  // The pull request.
  connectCodeHost: 'Run “Docs Agent: Connect Code Host…”',
  pushedWithoutPullRequest: 'The branch {branch} is on {host}, but no pull request was opened. {why}',
  pullRequestNotSeen:
    'Whether the pull request of {branch} is still open could not be seen; its commits are on {host}. {why}',
  noToken: 'There is no token for it. {connect}, then send a follow-up.',
  openInUpstream: 'Open it in {repository}, whose branch the work started from.',
  hostKindUnknown: 'It is no kind of code host that is known here. Open it there yourself.',
  answerNotUnderstood: '{host} gave an answer that makes no sense. Send a follow-up to try again.',
  hostLimit: '{host} takes no more requests from you for a while{wait}. Send a follow-up later.',
  waitMinute: ' (a minute)',
  waitMinutes: ' ({count} minutes)',
  tokenNotAccepted: '{host} did not accept the token{said}. {connect} and enter a valid one, then send a follow-up.',
  tokenLacksRight:
    '{host} does not let this token do that in {repository}{said}. {connect} and enter a token that may open pull requests, then send a follow-up.',
  repositoryNotShown:
    '{host} shows no repository {repository} to this token. {connect} and enter one that may see it, then send a follow-up.',
  hostRedirects: '{host} leads elsewhere for {repository}. Correct the address of the remote, then send a follow-up.',
  hostFault: '{host} has a fault of its own at present (status {status}). Send a follow-up later.',
  pullRequestRefused:
    '{host} refused the pull request{said}. Look at its page there, or send a follow-up to try again.',
  onlyHttps: 'Only HTTPS leads to {host}.',
  proxyNotUsable:
    'The proxy setting (HTTPS_PROXY or HTTP_PROXY) is no address of an http or https proxy; SOCKS is not supported. So {host} could not be reached. Change that setting, start the local service again, then send a follow-up.',
  hostSilent: '{host} did not answer in time. Check the connection, then send a follow-up.',

  // The archive.
  jobActive: 'The job is active. Stop it, or wait for its end, then archive it.',
  jobInUse: 'Something else works on this job. Wait for its end, then archive it.',
  messageCame: 'A message for this job came meanwhile.',
  workNotCommitted:
    'The job’s folder holds work that is in no branch. Send a follow-up so that it is committed, or archive the job and discard it.',
  workIgnored:
    'The job’s folder holds files that git ignores, so they are in no branch: {names}. Copy them from “{folder}”, or archive the job and discard them.',
  workNotPublished:
    'The job’s commits are in no branch of “{folder}” and at no code host. Send a follow-up so that they are brought there.',
} as const;
