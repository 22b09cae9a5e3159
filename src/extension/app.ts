import type { Uri } from 'vscode';
import { once } from '../base/async';
import type { TrackedJob } from '../jobs/trackedJob';
import type { Core } from './application';
import { type ExportedActions, exportedActions } from './exportedActions';
import type { Tools } from './features/chat-tools/registerTools';
import { register as registerChecks } from './features/checks/register';
import type { ConnectStart } from './features/connect/connect';
import { register as registerConnect } from './features/connect/register';
import { type JobPagesPorts, register as registerJobPages } from './features/job-page/register';
import { JobLinkHandler } from './features/jobs-view/jobLinkHandler';
import { jobOfFocus } from './features/jobs-view/focusedRow';
import { register as registerJobsView } from './features/jobs-view/register';
import { register as registerLocalService } from './features/local-service/register';
import { type PromptPorts, register as registerPrompts } from './features/prompt/register';
import { register as registerPullRequests, type ReviewPorts } from './features/pull-requests/register';
import type { CommandHandlers, CommandId } from './ids';
import { jobOfActiveDiff } from './platform/fileVersions';
import { Repositories } from './platform/repositories';
import { JobPicker } from './presentation/jobPicker';
import { Projects } from './sending/projects';
import { SecretFinder, SendGuard } from './sending/sendPrompt';
import { Sender } from './sending/sender';

/**
 * What features take their collaborators from, by name. They import nothing of each other: what one offers another is
 * here, too.
 */
export interface App extends Core, PromptPorts {
  picker: JobPicker;
  repositories: Repositories;
  projects: Projects;
  sender: Sender;
  finder: SecretFinder;
  guard: SendGuard;
  /** Runs the setup. Returns whether it was completed. */
  connect: (start?: ConnectStart) => Promise<boolean>;
  /** Returns the unsent comments on a job's changes as a prompt; empty if there are none. */
  takeComments: (job: TrackedJob) => Promise<string>;
  /** Counts the review comments of a job that are unsent, or that the agent has not addressed. */
  openComments: (jobKey: string) => Promise<number>;
}

/** The commands and what they share; loaded as one chunk when the first of them runs. */
export interface Commands extends ExportedActions {
  run(id: CommandId, argument: unknown): unknown;
  /** Opens a link to a job; the link is untrusted. */
  openLink(uri: Uri): Promise<void>;
  pages: JobPagesPorts;
  prompts: PromptPorts;
  reviews: ReviewPorts;
  /** Returns the language model tools, loaded on first use. */
  tools(): Promise<Tools>;
}

export function createCommands(core: Core): Commands {
  const { log, keys, localAccess, localAvailable } = core;
  const activeJob = (): string | undefined => pages.jobOfPage() ?? reviews.opened.activeJob ?? jobOfActiveDiff();
  const finder = new SecretFinder(core);
  const connect: App['connect'] = async (start) => (await import('./features/connect/connect')).connect(app, start);
  const shared = {
    ...core,
    picker: new JobPicker({ ...core, activeJob }),
    repositories: new Repositories(),
    projects: new Projects(localAccess, localAvailable, keys, (folder) =>
      connect({ folder: folder?.toString(), goesOn: true }),
    ),
    sender: new Sender(core.outbox, keys, core.keyNotices),
    finder,
    guard: new SendGuard(finder, log),
    connect,
    takeComments: async (job: TrackedJob) =>
      (await import('./features/pull-requests/commentCommands')).takeReviewComments(await reviews.review(), job),
    openComments: async (key: string) => (await (await reviews.review()).get(key, 'open')).length,
  };
  const prompts = registerPrompts(shared);
  const app: App = { ...shared, ...prompts };
  const reviews = registerPullRequests(app);
  const pages = registerJobPages(app);
  const handlers: CommandHandlers = {
    ...registerJobsView(app),
    ...pages.commands,
    ...prompts.commands,
    ...reviews.commands,
    ...registerChecks(app),
    ...registerConnect(app),
    ...registerLocalService(app),
    'docsAgent.showLog': () => log.show(),
  };
  const links = new JobLinkHandler(app);
  return {
    run: async (id, argument) => {
      const job = await jobOfFocus(app, id, argument);
      return job === null ? undefined : handlers[id]?.(job ?? argument);
    },
    openLink: (uri) => links.open(uri),
    pages,
    prompts,
    reviews,
    tools: once(async () => new (await import('./features/chat-tools/chatTools')).ChatTools(app)),
    ...exportedActions(app),
  };
}
