import type { Uri, WebviewPanel } from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { Outbox } from '../../jobs/outbox';
import type { Poller } from '../../jobs/poller';
import type { UncheckedLog } from '../../jobs/uncheckedLog';
import type { DisposableStore } from '../../shared/util/disposable';
import type { BudgetFiles } from '../../storage/budgetFiles';
import { once } from '../../shared/util/once';
import { toApiJob } from '../apiJob';
import { COMMANDS, type CommandId } from '../ids';
import { JobPicker } from '../jobPicker';
import type { Log } from '../log';
import { Composer } from '../prompt/composer/composer';
import { ComposerLens } from '../prompt/composer/composerLens';
import { ContextCompletion } from '../prompt/context/contextCompletion';
import { LastEditor } from '../prompt/context/lastEditor';
import { PromptStatus } from '../prompt/composer/promptStatus';
import { PromptRefresh } from '../prompt/composer/promptRefresh';
import { TargetFacts } from '../prompt/composer/targetFacts';
import type { Drafts } from '../prompt/drafts';
import { SecretDiagnostics } from '../prompt/guard/secretDiagnostics';
import { SecretFinder } from '../prompt/guard/secretFinder';
import { SendGuard } from '../prompt/guard/sendGuard';
import { PreviewLens } from '../prompt/preview/previewLens';
import { previewPrompt } from '../prompt/preview/previewPrompt';
import { requestAddress } from '../prompt/preview/requestAddress';
import { PromptBox } from '../prompt/promptBox';
import { PromptDesk } from '../prompt/promptDesk';
import { notesByGit } from '../prompt/visibility/notesOf';
import { Sender } from '../sender';
import type { Milestones } from '../milestones';
import type { ApiKeys } from '../services/apiKeys';
import type { CodeHostTokens } from '../services/codeHostTokens';
import type { KeyNotices } from '../services/keyNotices';
import type { LocalAccess } from '../services/localAccess';
import type { LocalService } from '../services/localService';
import { Projects } from '../services/projects';
import type { ReviewComments } from '../review/comments/reviewComments';
import { OpenedChanges } from '../review/openedChanges';
import type { PullRequestStates } from '../review/pullRequestStates';
import { Repositories } from '../services/repositories';
import type { ServiceAccess } from '../services/serviceAccess';
import type { CommentCounts } from '../views/commentCounts';
import type { Tools } from '../tools/registerTools';
import type { JobsTree } from '../views/jobsTree';
import { readConnect, readTemplate } from './arguments';
import type { JobPages } from '../views/jobPage/jobPages';
import type { JobsView } from '../views/jobsView';
import type { ListState } from '../views/listState';
import { checkConnection, clearApiKey, setApiKey } from './apiKey';
import { connectCodeHost } from './codeHost';
import { composePrompt, sendComposed } from './composePrompt';
import { copyJobLink } from './copyJobLink';
import { createJob } from './createJob';
import { createJobFromSelection } from './createJobFromSelection';
import { enterJobId } from './enterJobId';
import { type ExportedActions, exportedActions } from './exportedActions';
import { copyJobId, copyPullRequestLink, copyPullRequestMarkdown, openJobPullRequest, untrackJob } from './jobActions';
import { startLocalService, stopLocalService } from './localService';
import { archiveJob, cancelJob, showJobFolders } from './localJobs';
import {
  clearFilter,
  filterJobs,
  arrangeJobs,
  toggleMergedJobs,
  markAllSeen,
  showMoreJobs,
  toggleRemovedJobs,
} from './listActions';
import { refreshJobs } from './refreshJobs';
import { togglePin, renameJob, restoreJob } from './rowActions';
import { showAgents } from './showAgents';
import { sendFollowUp } from './sendFollowUp';
import { sendFollowUpFromSelection } from './sendFollowUpFromSelection';
import { showJob } from './showJob';
import { LinkDesk } from './openJobLink';
import { trackJob } from './trackJob';
import { discardPrompt, editAndSend, sendAgain } from './unsentPrompt';

/** What activation has built and commands work with. */
export interface SharedParts {
  store: JobStore;
  outbox: Outbox;
  poller: Poller;
  unchecked: UncheckedLog;
  /** Asks for what may have changed at the services. */
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
  /** The folder of the comments on changes, and how many there are. */
  reviewFolder: string;
  /** The folder of what is kept to go back from the branches of jobs. */
  checkoutFolder: string;
  counts: CommentCounts;
  pulls: Pick<PullRequestStates, 'look' | 'of' | 'onDidChange'>;
  newId: () => string;
  /** Ends with the extension. */
  owned: DisposableStore;
  log: Log;
}

/** The commands, and what other extensions call; loaded as one late chunk at the first of them. */
export interface Commands extends ExportedActions {
  run: Record<CommandId, (argument: unknown) => unknown>;
  /** Takes over the page of a job that the editor kept over a reload. */
  restoreJobPage(panel: WebviewPanel, state: unknown): Promise<void>;
  /** Opens a link to a job, which can come from anywhere. */
  openLink(uri: Uri): Promise<void>;
  /** Shows the comments on changes that were written before. */
  restoreComments: () => Promise<void>;
  /** Shows the way back from the branch of a job. */
  restoreBranch: () => Promise<void>;
  /** What chat agents can do, loaded at the first of it. */
  tools(): Promise<Tools>;
}

export function buildCommands(shared: SharedParts): Commands {
  const setUp = (): Promise<typeof import('../connect/connect')> => import('../connect/connect');
  const projects = new Projects(shared.localAccess, shared.localAvailable, shared.keys, async (folder) =>
    (await setUp()).connect(shared, { folder: folder?.toString(), goesOn: true }),
  );
  const sender = new Sender(shared.outbox, shared.keys, shared.keyNotices);
  const repositories = new Repositories();
  const context = (): Promise<typeof import('./addContext')> => import('./addContext');
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
    (reviewing ??= import('../review/comments/reviewComments')
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
        const telling = import('./openChanges').then(({ tellOldChanges }) => tellOldChanges(parts, job));
        telling.catch((error: unknown) => log.error('the new changes of a job could not be shown', error));
      }),
    ),
    branches: once(async () => (await import('./checkoutPullRequest')).startBranches(shared)),
    prompts: new PromptBox(shared.drafts, guard, log),
  };
  shared.owned.add(new ContextCompletion(async () => (await context()).completionSource(parts)));
  const commenting = (): Promise<typeof import('./reviewComments')> => import('./reviewComments');
  const pages = (): Promise<typeof import('./documentationPage')> => import('./documentationPage');
  let opened: Promise<JobPages> | undefined;
  const jobPages = (): Promise<JobPages> =>
    (opened ??= import('../views/jobPage/agentStories').then(async ({ AgentStories }) => {
      const { JobPages } = await import('../views/jobPage/jobPages');
      return owned.add(new JobPages({ ...parts, story: owned.add(new AgentStories(parts)) }));
    }));
  const run: Commands['run'] = {
    [COMMANDS.createJob]: async (argument) => toApiJob(await createJob(parts, argument)),
    [COMMANDS.createJobFromSelection]: async (argument) => toApiJob(await createJobFromSelection(parts, argument)),
    [COMMANDS.sendFollowUp]: async (argument) => toApiJob(await sendFollowUp(parts, argument)),
    [COMMANDS.sendFollowUpFromSelection]: async (argument) =>
      toApiJob(await sendFollowUpFromSelection(parts, argument)),
    [COMMANDS.composePrompt]: (argument) => composePrompt(parts, argument),
    [COMMANDS.openDraft]: async () => (await import('./openDraft')).openDraft(parts),
    [COMMANDS.sendComposed]: async (argument) => toApiJob(await sendComposed(parts, argument)),
    [COMMANDS.previewPrompt]: (argument) => previewPrompt(parts, argument),
    [COMMANDS.documentChanges]: async (argument) => (await import('./addChanges')).documentChanges(parts, argument),
    [COMMANDS.documentCommit]: async (argument) => (await import('./addChanges')).documentCommit(parts, argument),
    [COMMANDS.insertTemplate]: async (argument) => {
      const { insertTemplate } = await import('../prompt/templates/insertTemplate');
      return insertTemplate(parts, readTemplate(argument)?.name);
    },
    [COMMANDS.createTemplate]: async () =>
      (await import('../prompt/templates/createTemplate')).createTemplate(parts.composer),
    [COMMANDS.promptHistory]: async () => (await import('../prompt/history/promptHistory')).promptHistory(parts),
    [COMMANDS.addContext]: async (argument) => (await context()).addContext(parts, argument),
    [COMMANDS.updatePage]: async (argument) => (await pages()).updatePage(parts, argument),
    [COMMANDS.document]: async (argument) => (await import('./documentThis')).documentThis(parts, argument),
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
      (await import('./openPullRequestInEditor')).openPullRequestInEditor(parts, argument),
    [COMMANDS.checkoutPullRequest]: async (argument) =>
      (await import('./checkoutPullRequest')).checkoutPullRequest(parts, argument),
    [COMMANDS.leaveBranch]: async () => (await parts.branches()).leave(),
    [COMMANDS.openChanges]: async (argument) => (await import('./openChanges')).openChanges(parts, argument),
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
    [COMMANDS.exportJobs]: async (argument) => (await import('../export/exportJobs')).exportJobs(parts, argument),
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
    tools: () => (tools ??= import('../tools/toolDesk').then(({ ToolDesk }) => new ToolDesk(parts))),
    ...exportedActions(parts),
  };
}
