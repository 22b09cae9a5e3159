/** Every name that package.json and the code share; a test holds the two against each other. */

export const EXTENSION_ID = 'docs-agent.docs-agent-jobs';

const COMMAND_NAMES = [
  'createJob',
  'createJobFromSelection',
  'sendFollowUp',
  'sendFollowUpFromSelection',
  'composePrompt',
  'openDraft',
  'sendComposed',
  'previewPrompt',
  'documentChanges',
  'documentCommit',
  'insertTemplate',
  'createTemplate',
  'promptHistory',
  'addContext',
  'updatePage',
  'document',
  'sendAgain',
  'sendNow',
  'enterJobId',
  'editAndSend',
  'discardPrompt',
  'connect',
  'setApiKey',
  'clearApiKey',
  'checkConnection',
  'refreshJobs',
  'openPullRequest',
  'openPullRequestInEditor',
  'checkoutPullRequest',
  'leaveBranch',
  'openChanges',
  'addReviewComment',
  'editReviewComment',
  'saveReviewComment',
  'cancelReviewComment',
  'deleteReviewComment',
  'sendReviewComments',
  'copyPullRequestLink',
  'copyPullRequestMarkdown',
  'copyJobId',
  'copyJobLink',
  'exportJobs',
  'trackJob',
  'untrackJob',
  'restoreJob',
  'renameJob',
  'togglePin',
  'arrangeJobs',
  'filterJobs',
  'clearFilter',
  'toggleRemovedJobs',
  'toggleMergedJobs',
  'showMoreJobs',
  'markAllSeen',
  'cancelJob',
  'archiveJob',
  'showJobFolders',
  'showAgents',
  'connectCodeHost',
  'startLocalService',
  'stopLocalService',
  'showJob',
  'showLog',
] as const;

type CommandName = (typeof COMMAND_NAMES)[number];

/** The commands by name, as package.json has them. */
export const COMMANDS = Object.fromEntries(COMMAND_NAMES.map((name) => [name, `docsAgent.${name}`])) as {
  readonly [Name in CommandName]: `docsAgent.${Name}`;
};

export type CommandId = (typeof COMMANDS)[CommandName];

/** What chat agents of the editor can use; `contributes.languageModelTools` describes them. */
export const TOOLS = {
  createJob: 'docsAgent_createJob',
  sendFollowUp: 'docsAgent_sendFollowUp',
  getJob: 'docsAgent_getJob',
  listJobs: 'docsAgent_listJobs',
} as const;

export type ToolName = (typeof TOOLS)[keyof typeof TOOLS];

export const VIEWS = { jobs: 'docsAgent.jobs' } as const;

/** The colour of rows whose end has not been looked at; in high contrast it must not be that of a failure. */
export const UNSEEN_COLOR = 'docsAgent.unseenForeground';

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
  repositoryAgentSettings: 'local.repositoryAgentSettings',
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
  /** How far the chosen service is set up, a word of its own for each welcome text; not set until it is known. */
  setup: 'docsAgent.setup',
  /** The records were read, and the list as it is filtered has no job. */
  empty: 'docsAgent.listEmpty',
  /** A key is missing, or was refused, beside jobs in the list. */
  keyNeeded: 'docsAgent.keyNeeded',
  /** A filter hides some jobs. */
  filtered: 'docsAgent.listFiltered',
  /** The list shows the jobs that were removed from it. */
  removed: 'docsAgent.listRemoved',
  /** The local service can run where this extension host runs. */
  localService: 'docsAgent.localServiceAvailable',
  /** The local service was asked and has found no agent to work with. */
  agentMissing: 'docsAgent.agentMissing',
  /** A connection to a hosted service was checked once, or the service took a job. */
  hostedConnected: 'docsAgent.hostedConnected',
  /** The local service was found ready once, with a repository and an agent, or took a job. */
  localConnected: 'docsAgent.localConnected',
  /** A service has accepted a job once. */
  jobAccepted: 'docsAgent.jobAccepted',
  /** A pull request, or the page of a local job's changes, was opened once. */
  pullRequestOpened: 'docsAgent.pullRequestOpened',
  /** The branch of a job is checked out, or changes that were stashed for it wait. */
  jobBranch: 'docsAgent.jobBranch',
  /** The active editor shows a page of a documentation site. */
  docsPageOpen: 'docsAgent.docsPageOpen',
} as const;

export const WALKTHROUGH = 'docsAgent.start';

/** The steps of the walkthrough, by the context key of each. */
export const STEPS = {
  localConnected: 'docsAgent.local',
  hostedConnected: 'docsAgent.hosted',
  jobAccepted: 'docsAgent.firstJob',
  pullRequestOpened: 'docsAgent.firstReview',
} as const satisfies Partial<Record<keyof typeof CONTEXT_KEYS, string>>;
