import type { DocsTool } from '../protocol/docsTools';

/** The identifiers that package.json and the code share; a test compares the two. */

export const EXTENSION_ID = 'docs-agent.docs-agent-jobs';

/** A command of the manifest, which is the only list of them. */
export type CommandId = `docsAgent.${string}`;

/** What a feature's commands do with their argument. The error boundary is in `registerCommands`. */
export type CommandHandlers = Record<CommandId, (argument: unknown) => unknown>;

/** The language model tools; described in `DOCS_TOOLS`. */
export const TOOLS = {
  createJob: 'docsAgent_createJob',
  sendFollowUp: 'docsAgent_sendFollowUp',
  getJob: 'docsAgent_getJob',
  listJobs: 'docsAgent_listJobs',
  checkDocs: 'docsAgent_checkDocs',
} as const satisfies Record<string, DocsTool>;

export type ToolName = (typeof TOOLS)[keyof typeof TOOLS];

export const VIEWS = { jobs: 'docsAgent.jobs' } as const;

/** The source of the findings of documentation checks in the Problems view. */
export const CHECK_SOURCE = 'Docs Agent';

/** The view type of job pages, by which the editor restores them after a reload. */
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
  allowedHosts: 'local.allowedHosts',
  writableFolders: 'local.writableFolders',
  publish: 'local.publish',
  checkInPullRequest: 'local.checkInPullRequest',
  concurrency: 'local.concurrency',
  timeLimit: 'local.timeLimitMinutes',
  keepDays: 'local.keepDays',
  notifications: 'notifications',
  instructions: 'instructions',
  whileRunning: 'followUps.whileRunning',
  codeActions: 'codeActions',
} as const;

/** Context keys used in `when` clauses. */
export const CONTEXT_KEYS = {
  /** Setup progress of the chosen service, one value per welcome text; not set until it is known. */
  setup: 'docsAgent.setup',
  /** The records have been read, and the filtered list is empty. */
  empty: 'docsAgent.listEmpty',
  /** The list has jobs, and a key is missing or was rejected. */
  keyNeeded: 'docsAgent.keyNeeded',
  /** The list has jobs, whether or not a filter hides them. */
  hasJobs: 'docsAgent.hasJobs',
  /** One of these jobs is in the local service, whichever service gets new ones. */
  hasLocalJobs: 'docsAgent.hasLocalJobs',
  /** One of these jobs has a pull request. */
  hasPullRequest: 'docsAgent.hasPullRequests',
  /** One of these jobs has a pull request on GitHub, whose comments can be read. */
  hasGithub: 'docsAgent.hasGithubPullRequests',
  /** A filter hides some jobs. */
  filtered: 'docsAgent.listFiltered',
  /** The list shows the removed jobs. */
  removed: 'docsAgent.listRemoved',
  /** The local service can run on the machine of this extension host. */
  localService: 'docsAgent.localServiceAvailable',
  /** The local service has answered that it found no usable agent. */
  agentMissing: 'docsAgent.agentMissing',
  /** A hosted connection has passed a check once, or a hosted service has accepted a job. */
  hostedConnected: 'docsAgent.hostedConnected',
  /** The local service was once found ready, with a repository and an agent, or has accepted a job. */
  localConnected: 'docsAgent.localConnected',
  /** A service has accepted a job at least once. */
  jobAccepted: 'docsAgent.jobAccepted',
  /** A pull request, or the page of a local job's changes, has been opened at least once. */
  pullRequestOpened: 'docsAgent.pullRequestOpened',
  /** A job's changes are in front: `local` or `hosted`; `mergedHere` if that can be undone, or `merged` elsewhere. */
  changesInFront: 'docsAgent.changesInFront',
  /** The other changes that those in front lead to: `new` ones, or back to `all` of the job. */
  otherChanges: 'docsAgent.otherChanges',
  /** There are comments on a job's changes that were not sent. */
  unsentComments: 'docsAgent.unsentComments',
} as const;

export const WALKTHROUGH = 'docsAgent.start';

/** The walkthrough steps, by the context key that completes each. */
export const STEPS = {
  localConnected: 'docsAgent.local',
  hostedConnected: 'docsAgent.hosted',
  jobAccepted: 'docsAgent.firstJob',
  pullRequestOpened: 'docsAgent.firstReview',
} as const satisfies Partial<Record<keyof typeof CONTEXT_KEYS, string>>;
