import type { Uri, WebviewPanel } from 'vscode';
import { once } from '../base/async';
import type { DisposableStore } from '../base/disposable';
import type { JobStore } from '../jobs/jobStore';
import type { Outbox } from '../jobs/outbox';
import type { Poller } from '../jobs/poller';
import type { BudgetFiles } from '../jobs/store/quota';
import type { UncheckedLog } from '../jobs/uncheckedLog';
import { type ExportedActions, exportedActions } from './exportedActions';
import type { Tools } from './features/chat-tools/registerTools';
import { checkConnection, clearApiKey, setApiKey } from './features/connect/apiKey';
import { connectCodeHost } from './features/connect/codeHost';
import { type JobPages, showJob } from './features/job-page/jobPages';
import {
  copyJobId,
  copyJobLink,
  copyPullRequestLink,
  copyPullRequestMarkdown,
  openJobPullRequest,
  renameJob,
  restoreJob,
  togglePin,
  untrackJob,
} from './features/jobs-view/jobCommands';
import type { JobsTree } from './features/jobs-view/jobsTree';
import type { JobsView } from './features/jobs-view/jobsView';
import {
  arrangeJobs,
  clearFilter,
  filterJobs,
  markAllSeen,
  refreshJobs,
  showMoreJobs,
  toggleMergedJobs,
  toggleRemovedJobs,
} from './features/jobs-view/listCommands';
import type { ListState } from './features/jobs-view/listState';
import { LinkDesk } from './features/jobs-view/openJobLink';
import { enterJobId, trackJob } from './features/jobs-view/trackJob';
import {
  archiveJob,
  cancelJob,
  showJobFolders,
  startLocalService,
  stopLocalService,
} from './features/local-service/localServiceCommands';
import { showAgents } from './features/local-service/showAgents';
import { PromptBox } from './features/prompt/box/promptBox';
import { composePrompt, createJob, sendComposed, sendFollowUp } from './features/prompt/box/promptCommands';
import { PromptDesk } from './features/prompt/box/promptDesk';
import { createJobFromSelection, sendFollowUpFromSelection } from './features/prompt/box/selectionPrompts';
import { discardPrompt, editAndSend, sendAgain } from './features/prompt/box/unsentPrompt';
import { Composer } from './features/prompt/composer/composer';
import { TargetFacts } from './features/prompt/composer/composerTarget';
import { PreviewLens, previewPrompt, requestAddress } from './features/prompt/composer/previewPrompt';
import { PromptRefresh } from './features/prompt/composer/promptDocuments';
import { ComposerLens, PromptStatus } from './features/prompt/composer/promptStatus';
import { SecretDiagnostics } from './features/prompt/composer/secretDiagnostics';
import { ContextCompletion } from './features/prompt/context/contextCompletion';
import { LastEditor } from './features/prompt/context/contextKinds';
import { notesByGit } from './features/prompt/context/notesOf';
import { OpenedChanges } from './features/pull-requests/openedChanges';
import type { ReviewComments } from './features/pull-requests/reviewComments';
import { type CommandId, COMMANDS } from './ids';
import type { ApiKeys } from './platform/apiKeys';
import type { CodeHostTokens } from './platform/codeHostTokens';
import { readConnect, readTemplate } from './platform/commandArguments';
import type { CommentCounts } from './platform/commentCounts';
import type { KeyNotices } from './platform/keyNotices';
import type { LocalAccess } from './platform/localAccess';
import type { LocalService } from './platform/localService';
import type { Log } from './platform/log';
import type { Milestones } from './platform/milestones';
import type { PullRequestStates } from './platform/pullRequestStates';
import { Repositories } from './platform/repositories';
import type { ServiceAccess } from './platform/serviceAccess';
import { toApiJob } from './presentation/apiJob';
import { JobPicker } from './presentation/jobPicker';
import type { Drafts } from './sending/drafts';
import { Projects } from './sending/projects';
import { SecretFinder, SendGuard } from './sending/sendGuard';
import { Sender } from './sending/sender';

/** Everything that activation has created and commands use. */
export interface SharedParts {
  store: JobStore;
  outbox: Outbox;
  poller: Poller;
  unchecked: UncheckedLog;
  /** Polls the services for changes. */
  lookNow: () => Promise<void>;
  tree: JobsTree;
  view: JobsView;
  list: ListState;
  access: ServiceAccess;
  local: LocalService;
  localAccess: LocalAccess;
  tokens: CodeHostTokens;
  localAvailable: boolean;
  milestones: Milestones;
  keys: ApiKeys;
  keyNotices: KeyNotices;
  drafts: Drafts;
  budget: BudgetFiles;
  extensionUri: Uri;
  /** The folder of the comments on changes. */
  reviewFolder: string;
  /** The folder of the records needed to return from job branches. */
  checkoutFolder: string;
  counts: CommentCounts;
  pulls: Pick<PullRequestStates, 'look' | 'of' | 'onDidChange'>;
  newId: () => string;
  /** Disposed with the extension. */
  owned: DisposableStore;
  log: Log;
}

/** The commands and the exported actions; loaded as one chunk when the first of them runs. */
export interface Commands extends ExportedActions {
  run: Record<CommandId, (argument: unknown) => unknown>;
  /** Restores a job page that the editor kept across a reload. */
  restoreJobPage(panel: WebviewPanel, state: unknown): Promise<void>;
  /** Opens a link to a job; the link is untrusted. */
  openLink(uri: Uri): Promise<void>;
  /** Shows the comments on changes that were saved earlier. */
  restoreComments: () => Promise<void>;
  /** Shows the action that returns from a job's branch. */
  restoreBranch: () => Promise<void>;
  /** Returns the language model tools, loaded on first use. */
  tools(): Promise<Tools>;
}

export function buildCommands(shared: SharedParts): Commands {
  const setUp = (): Promise<typeof import('./features/connect/connect')> => import('./features/connect/connect');
  const projects = new Projects(shared.localAccess, shared.localAvailable, shared.keys, async (folder) =>
    (await setUp()).connect(shared, { folder: folder?.toString(), goesOn: true }),
  );
  const sender = new Sender(shared.outbox, shared.keys, shared.keyNotices);
  const repositories = new Repositories();
  const context = (): Promise<typeof import('./features/prompt/context/addContext')> =>
    import('./features/prompt/context/addContext');
  const { owned, store, log } = shared;
  const facts = new TargetFacts({ ...shared, projects });
  const finder = new SecretFinder(shared);
  const guard = new SendGuard(finder, log);
  const composer = owned.add(new Composer({ ...shared, facts, guard, sender }));
  const refresh = owned.add(new PromptRefresh(store));
  owned.add(new ComposerLens(facts, refresh));
  owned.add(new PromptStatus(facts, refresh, log));
  owned.add(new SecretDiagnostics(finder, log));
  owned.add(new PreviewLens({ facts, drafts: shared.drafts, addressOf: requestAddress(facts, shared.local) }));
  let reviewing: Promise<ReviewComments> | undefined;
  const review = (): Promise<ReviewComments> =>
    (reviewing ??= import('./features/pull-requests/reviewComments')
      .then(({ startReview }) => owned.add(startReview(shared)))
      .catch((error: unknown) => {
        reviewing = undefined;
        throw error;
      }));
  const parts = {
    ...shared,
    review,
    lastEditor: shared.owned.add(new LastEditor()),
    projects,
    sender,
    composer,
    facts,
    guard,
    finder,
    desk: new PromptDesk(composer, projects, log),
    repositories,
    notesOf: notesByGit(repositories, shared.log),
    picker: new JobPicker(shared.store),
    opened: owned.add(
      new OpenedChanges(store, (job) => {
        const telling = import('./features/pull-requests/openChanges').then(({ tellOldChanges }) =>
          tellOldChanges(parts, job),
        );
        telling.catch((error: unknown) => log.error('the new changes of a job could not be shown', error));
      }),
    ),
    branches: once(async () => (await import('./features/pull-requests/checkoutPullRequest')).startBranches(shared)),
    prompts: new PromptBox(shared.drafts, guard, log),
  };
  shared.owned.add(new ContextCompletion(async () => (await context()).completionSource(parts)));
  const commenting = (): Promise<typeof import('./features/pull-requests/commentCommands')> =>
    import('./features/pull-requests/commentCommands');
  const pages = (): Promise<typeof import('./features/prompt/context/docsPage')> =>
    import('./features/prompt/context/docsPage');
  let opened: Promise<JobPages> | undefined;
  const jobPages = (): Promise<JobPages> =>
    (opened ??= import('./features/job-page/agentStories').then(async ({ AgentStories }) => {
      const { JobPages } = await import('./features/job-page/jobPages');
      return owned.add(new JobPages({ ...parts, story: owned.add(new AgentStories(parts)) }));
    }));
  const run: Commands['run'] = {
    [COMMANDS.createJob]: async (argument) => toApiJob(await createJob(parts, argument)),
    [COMMANDS.createJobFromSelection]: async (argument) => toApiJob(await createJobFromSelection(parts, argument)),
    [COMMANDS.sendFollowUp]: async (argument) => toApiJob(await sendFollowUp(parts, argument)),
    [COMMANDS.sendFollowUpFromSelection]: async (argument) =>
      toApiJob(await sendFollowUpFromSelection(parts, argument)),
    [COMMANDS.composePrompt]: (argument) => composePrompt(parts, argument),
    [COMMANDS.openDraft]: async () => (await import('./features/prompt/box/promptCommands')).openDraft(parts),
    [COMMANDS.sendComposed]: async (argument) => toApiJob(await sendComposed(parts, argument)),
    [COMMANDS.previewPrompt]: (argument) => previewPrompt(parts, argument),
    [COMMANDS.documentChanges]: async (argument) =>
      (await import('./features/prompt/changes/documentThis')).documentChanges(parts, argument),
    [COMMANDS.documentCommit]: async (argument) =>
      (await import('./features/prompt/changes/documentThis')).documentCommit(parts, argument),
    [COMMANDS.insertTemplate]: async (argument) => {
      const { insertTemplate } = await import('./features/prompt/templates/insertTemplate');
      return insertTemplate(parts, readTemplate(argument)?.name);
    },
    [COMMANDS.createTemplate]: async () =>
      (await import('./features/prompt/templates/createTemplate')).createTemplate(parts.composer),
    [COMMANDS.promptHistory]: async () => (await import('./features/prompt/box/promptHistory')).promptHistory(parts),
    [COMMANDS.addContext]: async (argument) => (await context()).addContext(parts, argument),
    [COMMANDS.updatePage]: async (argument) => (await pages()).updatePage(parts, argument),
    [COMMANDS.document]: async (argument) =>
      (await import('./features/prompt/changes/documentThis')).documentThis(parts, argument),
    [COMMANDS.sendAgain]: async (argument) => toApiJob(await sendAgain(parts, argument)),
    [COMMANDS.sendNow]: async (argument) => toApiJob(await sendAgain(parts, argument)),
    [COMMANDS.enterJobId]: async (argument) => toApiJob(await enterJobId(parts, argument)),
    [COMMANDS.editAndSend]: async (argument) => toApiJob(await editAndSend(parts, argument)),
    [COMMANDS.discardPrompt]: (argument) => discardPrompt(parts, argument),
    [COMMANDS.connect]: async (argument) => (await setUp()).connect(parts, readConnect(argument)),
    [COMMANDS.setApiKey]: () => setApiKey(parts),
    [COMMANDS.clearApiKey]: () => clearApiKey(parts),
    [COMMANDS.checkConnection]: () => checkConnection(parts),
    [COMMANDS.refreshJobs]: () => refreshJobs(parts),
    [COMMANDS.openPullRequest]: (argument) => openJobPullRequest(parts, argument),
    [COMMANDS.openPullRequestInEditor]: async (argument) =>
      (await import('./features/pull-requests/openPullRequest')).openPullRequestInEditor(parts, argument),
    [COMMANDS.checkoutPullRequest]: async (argument) =>
      (await import('./features/pull-requests/checkoutPullRequest')).checkoutPullRequest(parts, argument),
    [COMMANDS.leaveBranch]: async () => (await parts.branches()).leave(),
    [COMMANDS.openChanges]: async (argument) =>
      (await import('./features/pull-requests/openChanges')).openChanges(parts, argument),
    [COMMANDS.addReviewComment]: async (argument) => (await commenting()).addReviewComment(await review(), argument),
    [COMMANDS.editReviewComment]: async (argument) =>
      (await commenting()).editReviewComment(await review(), argument, true),
    [COMMANDS.saveReviewComment]: async (argument) => (await commenting()).saveReviewComment(await review(), argument),
    [COMMANDS.cancelReviewComment]: async (argument) =>
      (await commenting()).editReviewComment(await review(), argument, false),
    [COMMANDS.deleteReviewComment]: async (argument) =>
      (await commenting()).deleteReviewComment(await review(), argument),
    [COMMANDS.sendReviewComments]: async (argument) =>
      (await commenting()).sendReviewComments({ ...parts, review: await review() }, argument),
    [COMMANDS.copyPullRequestLink]: (argument) => copyPullRequestLink(parts, argument),
    [COMMANDS.copyPullRequestMarkdown]: (argument) => copyPullRequestMarkdown(parts, argument),
    [COMMANDS.copyJobId]: (argument) => copyJobId(parts, argument),
    [COMMANDS.copyJobLink]: (argument) => copyJobLink(parts, argument),
    [COMMANDS.exportJobs]: async (argument) =>
      (await import('./features/jobs-view/exportJobs')).exportJobs(parts, argument),
    [COMMANDS.trackJob]: async (argument) => toApiJob(await trackJob(parts, argument)),
    [COMMANDS.untrackJob]: (argument) => untrackJob(parts, argument),
    [COMMANDS.restoreJob]: (argument) => restoreJob(parts, argument),
    [COMMANDS.renameJob]: (argument) => renameJob(parts, argument),
    [COMMANDS.togglePin]: (argument) => togglePin(parts, argument),
    [COMMANDS.arrangeJobs]: (argument) => arrangeJobs(parts, argument),
    [COMMANDS.filterJobs]: (argument) => filterJobs(parts, argument),
    [COMMANDS.clearFilter]: () => clearFilter(parts),
    [COMMANDS.toggleRemovedJobs]: () => toggleRemovedJobs(parts),
    [COMMANDS.toggleMergedJobs]: () => toggleMergedJobs(parts),
    [COMMANDS.showMoreJobs]: (argument) => showMoreJobs(parts, argument),
    [COMMANDS.markAllSeen]: () => markAllSeen(parts),
    [COMMANDS.cancelJob]: (argument) => cancelJob(parts, argument),
    [COMMANDS.archiveJob]: (argument) => archiveJob(parts, argument),
    [COMMANDS.showJobFolders]: () => showJobFolders(parts),
    [COMMANDS.showAgents]: () => showAgents(parts.localAccess),
    [COMMANDS.connectCodeHost]: () => connectCodeHost(parts),
    [COMMANDS.startLocalService]: () => startLocalService(parts.local),
    [COMMANDS.stopLocalService]: () => stopLocalService(parts.localAccess),
    [COMMANDS.showJob]: (argument) => showJob(parts.picker, jobPages, argument),
    [COMMANDS.showLog]: () => parts.log.show(),
  };
  const restoreJobPage: Commands['restoreJobPage'] = async (panel, state) => (await jobPages()).restore(panel, state);
  const links = new LinkDesk(parts);
  const restoreComments: Commands['restoreComments'] = async () => (await review()).load();
  let tools: Promise<Tools> | undefined;
  return {
    run,
    restoreJobPage,
    restoreComments,
    restoreBranch: async () => (await parts.branches()).restore(),
    openLink: (uri) => links.open(uri),
    tools: () => (tools ??= import('./features/chat-tools/toolDesk').then(({ ToolDesk }) => new ToolDesk(parts))),
    ...exportedActions(parts),
  };
}
