/** Every name that package.json and the code share; a test holds the two against each other. */

export const EXTENSION_ID = 'docs-agent.docs-agent-jobs';

export const COMMANDS = {
  createJob: 'docsAgent.createJob',
  createJobFromSelection: 'docsAgent.createJobFromSelection',
  sendFollowUp: 'docsAgent.sendFollowUp',
  sendFollowUpFromSelection: 'docsAgent.sendFollowUpFromSelection',
  composePrompt: 'docsAgent.composePrompt',
  sendComposed: 'docsAgent.sendComposed',
  previewPrompt: 'docsAgent.previewPrompt',
  addChanges: 'docsAgent.addChanges',
  documentChanges: 'docsAgent.documentChanges',
  documentCommit: 'docsAgent.documentCommit',
  insertTemplate: 'docsAgent.insertTemplate',
  createTemplate: 'docsAgent.createTemplate',
  promptHistory: 'docsAgent.promptHistory',
  addContext: 'docsAgent.addContext',
  addSelection: 'docsAgent.addSelection',
  addFiles: 'docsAgent.addFiles',
  addSymbol: 'docsAgent.addSymbol',
  addProblems: 'docsAgent.addProblems',
  addTerminalSelection: 'docsAgent.addTerminalSelection',
  addPage: 'docsAgent.addPage',
  updatePage: 'docsAgent.updatePage',
  documentSymbol: 'docsAgent.documentSymbol',
  updateDocs: 'docsAgent.updateDocs',
  updateDocsForFiles: 'docsAgent.updateDocsForFiles',
  documentComment: 'docsAgent.documentComment',
  documentProblem: 'docsAgent.documentProblem',
  sendAgain: 'docsAgent.sendAgain',
  sendNow: 'docsAgent.sendNow',
  enterJobId: 'docsAgent.enterJobId',
  editAndSend: 'docsAgent.editAndSend',
  discardPrompt: 'docsAgent.discardPrompt',
  connect: 'docsAgent.connect',
  setApiKey: 'docsAgent.setApiKey',
  clearApiKey: 'docsAgent.clearApiKey',
  checkConnection: 'docsAgent.checkConnection',
  refreshJobs: 'docsAgent.refreshJobs',
  openPullRequest: 'docsAgent.openPullRequest',
  openPullRequestInEditor: 'docsAgent.openPullRequestInEditor',
  checkoutPullRequest: 'docsAgent.checkoutPullRequest',
  openChanges: 'docsAgent.openChanges',
  addReviewComment: 'docsAgent.addReviewComment',
  editReviewComment: 'docsAgent.editReviewComment',
  saveReviewComment: 'docsAgent.saveReviewComment',
  cancelReviewComment: 'docsAgent.cancelReviewComment',
  deleteReviewComment: 'docsAgent.deleteReviewComment',
  sendReviewComments: 'docsAgent.sendReviewComments',
  copyPullRequestLink: 'docsAgent.copyPullRequestLink',
  copyPullRequestMarkdown: 'docsAgent.copyPullRequestMarkdown',
  copyJobId: 'docsAgent.copyJobId',
  copyJobLink: 'docsAgent.copyJobLink',
  exportJobs: 'docsAgent.exportJobs',
  trackJob: 'docsAgent.trackJob',
  untrackJob: 'docsAgent.untrackJob',
  restoreJob: 'docsAgent.restoreJob',
  renameJob: 'docsAgent.renameJob',
  pinJob: 'docsAgent.pinJob',
  unpinJob: 'docsAgent.unpinJob',
  groupJobs: 'docsAgent.groupJobs',
  sortJobs: 'docsAgent.sortJobs',
  filterJobs: 'docsAgent.filterJobs',
  clearFilter: 'docsAgent.clearFilter',
  showRemovedJobs: 'docsAgent.showRemovedJobs',
  hideRemovedJobs: 'docsAgent.hideRemovedJobs',
  hideMergedJobs: 'docsAgent.hideMergedJobs',
  showMergedJobs: 'docsAgent.showMergedJobs',
  showMoreJobs: 'docsAgent.showMoreJobs',
  markAllSeen: 'docsAgent.markAllSeen',
  cancelJob: 'docsAgent.cancelJob',
  archiveJob: 'docsAgent.archiveJob',
  showJobFolders: 'docsAgent.showJobFolders',
  showAgents: 'docsAgent.showAgents',
  connectCodeHost: 'docsAgent.connectCodeHost',
  startLocalService: 'docsAgent.startLocalService',
  stopLocalService: 'docsAgent.stopLocalService',
  showJob: 'docsAgent.showJob',
  showLog: 'docsAgent.showLog',
} as const;

export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** What chat agents of the editor can use; `contributes.languageModelTools` describes them. */
export const TOOLS = {
  createJob: 'docsAgent_createJob',
  sendFollowUp: 'docsAgent_sendFollowUp',
  getJob: 'docsAgent_getJob',
  listJobs: 'docsAgent_listJobs',
} as const;

export type ToolName = (typeof TOOLS)[keyof typeof TOOLS];

export const VIEWS = { jobs: 'docsAgent.jobs' } as const;

/** Names the pages of jobs to the editor, which keeps them over a reload. */
export const JOB_PAGE = 'docsAgent.job';

export const SETTINGS_SECTION = 'docsAgent';

export const SETTINGS = {
  service: 'service',
  baseUrl: 'baseUrl',
  projectId: 'projectId',
  agent: 'local.agent',
  agentCommand: 'local.agentCommand',
  agentProtocol: 'local.agentProtocol',
  permissions: 'local.permissions',
  environment: 'local.environment',
  confine: 'local.confine',
  publish: 'local.publish',
  concurrency: 'local.concurrency',
  timeLimit: 'local.timeLimitMinutes',
  notifications: 'notifications',
  codeActionTriggers: 'codeActionTriggers',
  promptTemplates: 'promptTemplates',
} as const;

/** Context keys that `when` clauses ask for. */
export const CONTEXT_KEYS = {
  /** Which welcome text fits: `nothing`, `keyMissing` or `ready`. */
  setup: 'docsAgent.setup',
  /** A key is missing, or was refused, beside jobs in the list. */
  keyNeeded: 'docsAgent.keyNeeded',
  /** A filter hides some jobs. */
  filtered: 'docsAgent.listFiltered',
  /** The list leaves out jobs whose pull request is merged or closed. */
  mergedHidden: 'docsAgent.mergedHidden',
  /** The list shows the jobs that were removed from it. */
  removed: 'docsAgent.listRemoved',
  /** The local service can run where this extension host runs. */
  localService: 'docsAgent.localServiceAvailable',
  /** The local service was asked and has found no agent to work with. */
  agentMissing: 'docsAgent.agentMissing',
  /** A connection to a hosted service was checked once. */
  hostedConnected: 'docsAgent.hostedConnected',
  /** The local service was found ready once: a repository and an agent. */
  localConnected: 'docsAgent.localConnected',
  /** A service has accepted a job once. */
  jobAccepted: 'docsAgent.jobAccepted',
  /** A pull request, or the page of a local job's changes, was opened once. */
  pullRequestOpened: 'docsAgent.pullRequestOpened',
  /** The active editor shows a page of a documentation site. */
  docsPageOpen: 'docsAgent.docsPageOpen',
} as const;
