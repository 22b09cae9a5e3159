/** Texts about the parts of a turn outside the agent: repository, commit, push, pull request, and archiving. */
export const TURN_TEXTS = {
  // The service itself.
  serviceFailed: 'Local service error: {words}',
  stoppedByService: 'The local service was stopped while this job was running. Send a follow-up to continue.',
  stoppedByUser: 'You stopped this job. Send a follow-up to continue.',
  goesOnLater: 'The local service was stopped. This run will resume when the service starts again.',
  continuesUnsavedFile: 'Continues with the file that an earlier run changed and didn’t commit.',
  continuesUnsavedFiles: 'Continues with the {count} files that an earlier run changed and didn’t commit.',
  takenUpAgain: 'The local service stopped during this run. The run is being retried.',
  // The same of a service for a team.
  workerFailed: 'Worker error: {words}',
  workersCrashed: 'The worker crashed or lost its connection twice during this run. Send a follow-up to continue.',
  workerStopped: 'The worker was stopped. It or another worker will resume this run.',
  workerCrashed: 'The worker crashed or lost its connection during this run. The run is being retried.',
  workerGone:
    'The worker that had this job’s folder isn’t available. Another worker is continuing from the last pushed commit, in a new session.',
  repositoryNotFetched: 'Couldn’t fetch the repository {repository}: {words}',
  projectGone: 'This job’s project no longer exists.',
  limitReached: 'Rate limit reached: {limit} requests of this kind per project per hour.',

  // The folder.
  gitSilent:
    'Git didn’t respond in “{folder}” within {seconds} seconds. Make sure that .git/config and the files it includes aren’t pipes, and that the disk responds.',
  noWorkTree: '“{folder}” isn’t in a Git repository. Open a repository folder.',
  repositoryOfNewerGit:
    'A newer Git has written the repository in “{folder}”: {words}. This Git can’t read it: {git}. Make sure that the newer one comes first on the PATH, then try again.',
  folderGone:
    'The repository isn’t in “{folder}” any longer. If you moved it, open its new folder in VS Code (or start the service with --repo) and send a prompt from there. Its jobs come along.',
  noCommitYet: 'The repository in “{folder}” has no commits. Create the first commit, then try again.',
  branchInTheWay:
    'Your repository has a branch “{branch}”, so Git can’t create “{branch}/…” branches for jobs. Rename your branch, for example with “git branch -m {branch} my-{branch}”, then send a follow-up.',

  // The commit.
  notCommitted: 'Couldn’t commit the changes: {words}',
  rulesIgnored:
    'The rules in “{file}” were ignored: the file isn’t valid JSON, or has something that can’t be used{where}.',
  notSigned: 'The commit isn’t signed: {words}',
  ignoredLeftOut:
    'Git ignores files that the agent wrote, so they aren’t in the commit: {names}. They stay in “{folder}” until you archive the job.',
  commitsLeftOut:
    'The agent left commits outside the job’s branch, so they aren’t part of the result: {names}. They stay in the clone “{folder}” until you archive the job.',
  folderReplaced:
    'The agent removed or replaced the job folder. Nothing was committed. Send a follow-up to continue from the last commit.',
  styleKept:
    'These files got back the line ends, byte order mark, or end that they had: {names}. To change those, say so in the prompt.',
  encodingLost:
    'The agent saved “{path}” as UTF-8, but the repository says that it is {encoding}. Nothing was committed. Ask it to keep the encoding.',
  nestedRepository: 'The agent left a nested repository at “{path}”. Nothing was committed.',
  linkLeadsOut: 'The agent created a link at “{path}” that points outside the repository. Nothing was committed.',
  folderNotReadable: 'The agent left an unreadable folder at “{path}”. Nothing was committed.',
  workInSubmodule:
    'The agent worked in “{path}”, a submodule that can’t be changed from here. Nothing was committed. Ask it to leave that folder empty, or start a job in the submodule’s own repository.',

  workBehindLink:
    '“{path}” leads to “{target}”, outside this repository, and the agent worked there. Nothing was committed. Start a job in the repository of that folder.',
  blobsMissing:
    'The repository is a partial clone, and files that the job starts from aren’t on this machine: {names}. Check out that commit with Git, or clone without --filter, then send a follow-up.',

  // The branch. `repository` is one of the first two texts.
  yourRepository: 'your repository',
  theRemote: 'the remote “{folder}”',
  branchNotBroughtSaying: 'Couldn’t add branch {branch} to {repository}: {words}',
  branchCheckedOut: 'Branch {branch} is checked out in {repository}. Switch to another branch, then send a follow-up.',
  branchHasMore: 'Branch {branch} in {repository} has new commits. Send a follow-up to include them.',
  remoteNoRepository: 'The remote “{folder}” isn’t a Git repository. Correct it, then send a follow-up.',
  remoteNotRead: 'Couldn’t read the remote: {words}',
  remoteElsewhere: 'The URL of the remote “{name}” isn’t HTTPS, SSH, or a folder. Correct it, then send a follow-up.',
  remoteProtocol: 'The URL of this repository’s remote isn’t HTTPS or SSH. Correct it, then send a follow-up.',

  // What others have done meanwhile.
  othersTakenIn: 'Others have added commits to {branch}. They’re in this job’s work now.',
  rewrittenTakenIn: 'Someone has rewritten {branch}. This job continues from their version.',
  baseTakenIn: 'The new commits of {base} are in this job’s work now.',
  startsAnew: '{link} was merged, so this run starts from {base}, on the new branch {branch}.',
  commitsReplaced: 'Nobody has the earlier commits of this job yet, so its next commit replaces them.',
  conflictStarted: 'What others changed conflicts with this job’s work in {names}. The agent was asked to resolve it.',
  markersLeft:
    'Conflict markers are left in {names}. Nothing was committed. Send a follow-up that asks the agent to resolve them.',
  conflictLeft:
    'Others changed {names} too, the two versions can’t be merged, and the agent decided nothing. Check which version this job’s branch has.',
  conflictsWithOthers:
    'Others changed {branch} while the agent worked, and that conflicts in {names}. The work wasn’t published. Send a follow-up, in which the agent resolves it.',
  updateConflicts:
    'The new commits of {base} conflict with this job’s work in {names}. Send a follow-up, in which the agent resolves it.',
  nothingToUpdate: 'This job’s branch already has the newest commits of its base branch.',

  // The push. `said` is what the host said, in one of these forms, or empty.
  colonSaid: ': {words}',
  inParentheses: ' ({words})',
  codeInParentheses: ' ({code}).',
  hostTooSlow:
    'The Git host didn’t respond in time. The work is saved in the job’s branch. Send a follow-up to try again.',
  pushTimeOver: 'The push to {host} took too long and was stopped. Send a follow-up to try again.',
  objectsMissing:
    'This partial clone lacks objects that a push to {host} needs. Run “git push {remote} {branch}” in your repository.',
  hostHasMore: 'Branch {branch} on {host} has new commits. Send a follow-up to include them.',
  branchDeclined: '{host} rejected branch {branch}{said}',
  pushNotAllowed:
    '{host} denied the push to {repository}{said} {connect} or sign in with Git in a terminal, then send a follow-up.',
  hostKeyUnknown: 'SSH doesn’t know the host key of {host}. Connect to it once in a terminal, then send a follow-up.',
  repositoryNotFound:
    '{host} has no repository {repository}, or you don’t have access to it{said} Check the remote’s URL. If the URL is correct: {connect}. Then send a follow-up.',
  repositoryMoved:
    '{host} redirects {repository} to another URL, for example because it was renamed. Redirects aren’t followed, so that your credentials don’t reach another host. Set the new URL of the remote “{remote}” with “git remote set-url”, then send a follow-up.',
  certificateNotVerified: 'Couldn’t verify the certificate of {host}{said}',
  privateAuthority:
    'If it’s from a private authority, add that to the system’s certificates, or name its file in NODE_EXTRA_CA_CERTS where the service runs. Then send a follow-up.',
  hostNotReached: 'Couldn’t reach {host}{said} Check the connection, then send a follow-up.',
  branchNotPushed: 'Couldn’t push branch {branch} to {host}{said}',

  // The pull request.
  connectWorkers: 'Update DOCS_AGENT_TOKENS on the workers',
  connectCodeHost: 'Sign in with “Docs Agent: Manage Local Service…”',
  commitNotPublished:
    'The branch wasn’t pushed because it’s based on one of your commits that isn’t on the remote “{remote}”. Push your branch there, then send a follow-up to open a pull request.',
  commitsNotPublished:
    'The branch wasn’t pushed because it’s based on {count} of your commits that aren’t on the remote “{remote}”. Push your branch there, then send a follow-up to open a pull request.',
  commitsGone:
    'The branch wasn’t pushed because your repository no longer has the agent’s last commit. Send a follow-up that changes a file to add the branch again.',
  ciChanged:
    'The branch wasn’t pushed because the agent changed CI configuration, which the host of “{remote}” might run before you review it: {names}. Ask the agent to undo that, or review the changes, push the branch yourself, and send a follow-up to open a pull request.',
  secretsAdded:
    'The branch wasn’t pushed because lines that the agent added seem to contain secrets: {places}. Ask the agent to replace them with placeholders. If they aren’t secrets, push the branch yourself (“git push {remote} {branch}”), then send a follow-up to open a pull request.',
  lfsNotUploaded:
    'The branch wasn’t pushed because Git LFS has to upload {names} with it. Run “git push {remote} {branch}”, then send a follow-up to open a pull request.',
  pushedWithoutPullRequest: 'Branch {branch} is on {host}, but no pull request was opened. {why}',
  pushedToFolder:
    'Branch {branch} was pushed, but no pull request was opened, because the repository is a local folder.',
  pullRequestNotSeen:
    'Couldn’t check whether the pull request for {branch} is still open. Its commits are on {host}. {why}',
  noToken: 'No access token was found. {connect}, then send a follow-up.',
  openInUpstream: 'Open it in {repository}, which has the base branch.',
  hostKindUnknown: 'This Git host isn’t supported. Open the pull request on its website.',
  hostKindNotFound: 'Couldn’t find out what kind of Git host this is. {why}',
  hostNamedPage: 'Open it on the page that the host has named.',
  answerNotUnderstood: '{host} sent a response that couldn’t be read. Send a follow-up to try again.',
  hostLimit: '{host} is rate limiting you{wait}. Send a follow-up later.',
  waitMinute: ' for another minute',
  waitMinutes: ' for another {count} minutes',
  tokenNotAccepted: '{host} didn’t accept the token{said}. {connect} and enter a valid one, then send a follow-up.',
  tokenLacksRight:
    '{host} doesn’t let this token access pull requests in {repository}{said}. {connect} and enter a token that can open pull requests, then send a follow-up.',
  repositoryNotShown:
    'This token can’t access {repository} on {host}. {connect} and enter one that can, then send a follow-up.',
  hostRedirects: '{host} redirects {repository}. Update the remote URL, then send a follow-up.',
  hostFault: '{host} is having problems (status {status}). Send a follow-up later.',
  pullRequestRefused:
    '{host} rejected the pull request{said}. Open the pull request on the Git host’s website, or send a follow-up to try again.',
  onlyHttps: '{host} can be reached only over HTTPS.',
  proxyNotUsable:
    'HTTPS_PROXY or HTTP_PROXY isn’t an HTTP or HTTPS proxy URL, so {host} couldn’t be reached. SOCKS isn’t supported. Change the variable, restart VS Code and the service, then send a follow-up.',
  hostSilent: '{host} didn’t respond in time. Check the connection, then send a follow-up.',

  // The archive.
  jobActive: 'This job is running. Stop it or wait until it finishes, then archive it.',
  jobInUse: 'This job is busy. Wait until it finishes, then archive it.',
  messageCame: 'Another prompt for this job just arrived.',
  workNotCommitted: 'The job folder has uncommitted work. Send a follow-up to commit it, or discard it.',
  workIgnored:
    'The job folder has files that Git ignores, so they aren’t in any branch: {names}. Copy them from “{folder}”, or discard them.',
  workElsewhere:
    'The job’s clone has commits that aren’t in any of your branches: {names}. Fetch them from “{folder}”, or discard them.',
  workNotPublished:
    'The job’s commits aren’t in any branch of “{folder}” or on a Git host. Send a follow-up to save them in a branch.',
} as const;
