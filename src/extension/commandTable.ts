import type { Uri } from 'vscode';
import { once, systemClock } from '../base/async';
import type { DisposableStore } from '../base/disposable';
import type { JobEngine } from '../jobs/jobEngine';
import type { QuotaFiles } from '../jobs/store/quotaFiles';
import { type ExportedActions, exportedActions } from './exportedActions';
import type { Tools } from './features/chat-tools/registerTools';
import { checksCommands, startChecks } from './features/checks/commands';
import { connectCommands, startConnect } from './features/connect/commands';
import { jobPageCommands, startJobPages } from './features/job-page/commands';
import type { JobPages } from './features/job-page/jobPages';
import { jobsViewCommands } from './features/jobs-view/commands';
import { JobLinkHandler } from './features/jobs-view/jobLinkHandler';
import type { JobsList } from './features/jobs-view/registerJobsView';
import { localServiceCommands } from './features/local-service/commands';
import { promptCommands, sendFollowUpText, startPrompts } from './features/prompt/commands';
import { type PullRequests, pullRequestCommands, startPullRequests } from './features/pull-requests/commands';
import type { CommandHandlers, CommandId } from './ids';
import type { CommentCounts } from './platform/commentCounts';
import { type FileVersions, jobOfActiveDiff } from './platform/fileVersions';
import type { Host } from './platform/host';
import type { KeyNotices } from './platform/keyNotices';
import type { Log } from './platform/log';
import type { Milestones } from './platform/milestones';
import type { Previews } from './platform/previews';
import type { SeenVersions } from './platform/seenVersions';
import type { PullRequestStates } from './platform/pullRequestStates';
import { Repositories } from './platform/repositories';
import type { JobDescriber } from './presentation/describeJob';
import { JobPicker } from './presentation/jobPicker';
import type { Drafts } from './sending/drafts';
import { Projects } from './sending/projects';
import { SecretFinder, SendGuard } from './sending/sendGuard';
import { Sender } from './sending/sender';
import type { Services } from './startServices';

/** The commands and what they share; loaded as one chunk when the first of them runs. */
export interface Commands extends ExportedActions {
  run(id: CommandId, argument: unknown): unknown;
  /** Opens a link to a job; the link is untrusted. */
  openLink(uri: Uri): Promise<void>;
  jobPages(): Promise<JobPages>;
  /** Returns what would be sent for the prompt with this address. */
  previewPrompt: (uri: Uri) => Promise<string>;
  pullRequests: PullRequests;
  /** Returns the language model tools, loaded on first use. */
  tools(): Promise<Tools>;
}

/** What runs for as long as the window is open, and commands act on. */
export interface CommandParts {
  host: Host;
  log: Log;
  services: Services;
  engine: JobEngine;
  budget: QuotaFiles;
  pulls: PullRequestStates;
  milestones: Milestones;
  counts: CommentCounts;
  seen: SeenVersions;
  previews: Previews;
  describer: JobDescriber;
  versions: FileVersions;
  drafts: Drafts;
  keyNotices: KeyNotices;
  jobsView: JobsList;
  /** Disposed with the extension. */
  owned: DisposableStore;
}

export function buildCommands(parts: CommandParts): Commands {
  const { host, log, services, engine, pulls, milestones, previews, describer, drafts, jobsView, owned } = parts;
  const { store, outbox, poller } = engine;
  const { keys, local, localAccess } = services;
  const { localAvailable } = host;

  const activeJob = (): string | undefined => pages.activeJob() ?? pullRequests.opened.activeJob ?? jobOfActiveDiff();
  const picker = new JobPicker({ store, describer, activeJob });
  const repositories = new Repositories();
  const job = { store, picker, describer, localAvailable, milestones, seen: parts.seen, log };

  const connect = startConnect({ ...services, ...job });
  const projects = new Projects(localAccess, localAvailable, keys, (folder) =>
    connect({ folder: folder?.toString(), goesOn: true }),
  );
  const sender = new Sender(outbox, keys, parts.keyNotices);
  const finder = new SecretFinder({ ...services, log });
  const guard = new SendGuard(finder, log);
  const sending = {
    ...job,
    data: host.data,
    extensionUri: host.extensionUri,
    counts: parts.counts,
    outbox,
    projects,
    sender,
    finder,
    guard,
    drafts,
    repositories,
  };

  const prompts = owned.add(startPrompts({ ...sending, budget: parts.budget, local }));
  const { composer } = prompts;
  const pullRequests = owned.add(
    startPullRequests({
      ...job,
      host,
      pulls,
      repositories,
      localAccess,
      versions: parts.versions,
      counts: parts.counts,
    }),
  );
  const pages = owned.add(
    startJobPages({
      ...services,
      ...sending,
      poller,
      pulls,
      composer,
      program: host.program,
      extensionUri: host.extensionUri,
    }),
  );
  const checks = owned.add(startChecks({ program: host.program, repositories, projects, composer, log }));
  const jobs = { ...services, ...job, ...jobsView, engine, outbox, pulls, projects, finder };

  const handlers: CommandHandlers = {
    ...jobsViewCommands(jobs),
    ...jobPageCommands({ picker, pages }),
    ...promptCommands({ ...sending, ...prompts, takeComments: pullRequests.takeComments }),
    ...pullRequestCommands({
      ...services,
      ...job,
      ...pullRequests,
      composer,
      sendFollowUpText: (to, text) => sendFollowUpText({ ...sending, ...prompts }, to, text),
      repositories,
      previews,
      versions: parts.versions,
      clock: systemClock,
    }),
    ...checksCommands({ checks }),
    ...connectCommands({ ...services, ...job, poller, projects, connect }),
    ...localServiceCommands({
      ...services,
      ...job,
      openComments: async (key) => (await (await pullRequests.review()).get(key, 'open')).length,
    }),
    'docsAgent.showLog': () => log.show(),
  };
  const links = new JobLinkHandler(jobs);
  return {
    run: (id, argument) => handlers[id]?.(argument),
    openLink: (uri) => links.open(uri),
    jobPages: () => pages.load(),
    previewPrompt: prompts.preview,
    pullRequests,
    tools: once(async () => new (await import('./features/chat-tools/chatTools')).ChatTools(sending)),
    ...exportedActions(sending),
  };
}
