import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { LocalServiceClient } from '../client';
import { LOCAL_SERVICE } from '../jobs/events';
import { JobEngine } from '../jobs/jobEngine';
import { isListed } from '../jobs/trackedJob';
import { systemClock as clock } from '../shared/util/clock';
import type { DisposableStore } from '../shared/util/disposable';
import { Redactor } from '../shared/util/redact';
import { BudgetFiles } from '../storage/budgetFiles';
import { DraftFiles } from '../storage/draftFiles';
import { JobFiles } from '../storage/jobFiles';
import { PresenceFiles } from '../storage/presenceFiles';
import { readReviewName } from '../storage/reviewFiles';
import type { DocsAgentApi } from './api';
import { type Job, toApiJob } from './apiJob';
import type { Commands } from './commands';
import { untilRead } from './commands/untilRead';
import { registerCodeActions } from './codeActions/registerCodeActions';
import { reachUserInterface, setContextKey } from './contextKeys';
import { follow } from './follow';
import { CONTEXT_KEYS, type CommandId, JOB_PAGE } from './ids';
import { Log } from './log';
import { Milestones } from './milestones';
import { Notifications } from './notifications';
import { offerLog } from './offerLog';
import { ComposerFiles } from './prompt/composer/composerFiles';
import { COMPOSER_SCHEME } from './prompt/composer/composerTarget';
import { DocsPageKey } from './prompt/docsPage/docsPageKey';
import { PreviewFiles } from './prompt/preview/previewFiles';
import { PREVIEW_SCHEME } from './prompt/preview/previewUri';
import { Drafts } from './prompt/drafts';
import { registerTemplateCompletion } from './prompt/templates/templateCompletion';
import { isJobCheckedOut } from './review/comments/isJobCheckedOut';
import { endedPullRequests } from './review/githubPullRequest';
import { askLocalWork } from './review/localWork';
import { PullRequestStates } from './review/pullRequestStates';
import { ApiKeys } from './services/apiKeys';
import { CodeHostTokens } from './services/codeHostTokens';
import { KeyNotices } from './services/keyNotices';
import { LazyClients } from './services/lazyClients';
import { LocalAccess } from './services/localAccess';
import { LocalNews } from './services/localNews';
import { LocalService } from './services/localService';
import { proxySettings } from './services/proxySettings';
import { ServiceAccess } from './services/serviceAccess';
import { settings } from './settings';
import { showKeyNotice } from './showKeyNotice';
import { tellSetAside } from './tellSetAside';
import { toNotice } from './text';
import { CommentCounts } from './views/commentCounts';
import type { Tools } from './tools/registerTools';
import { JobsStatusBar } from './views/jobsStatusBar';
import { JobsTree } from './views/jobsTree';
import { JobsView } from './views/jobsView';
import { ListState } from './views/listState';
import { UnseenMarks } from './views/unseenMarks';

/** What stands behind the commands, the view and the exports. */
export interface Application extends Pick<DocsAgentApi, 'jobs' | 'createJob' | 'sendFollowUp'> {
  /** Runs a command; what it throws is in the log already. */
  run(id: CommandId, argument: unknown): Promise<unknown>;
  /** Opens a link to a job, which can come from anywhere; its parts stay out of the log. */
  openLink(uri: vscode.Uri): Promise<void>;
  /** What chat agents of the editor can do. */
  tools(): Promise<Tools>;
  /** Begins nothing more, and resolves when what was typed and what a service answers is written down. Never rejects. */
  end(): Promise<void>;
}

/** Builds the parts and joins them: views, records, outbox, poller, notices. All of them end with `owned`. */
export function startApplication(
  context: vscode.ExtensionContext,
  owned: DisposableStore,
  onDidChangeJob: (job: Job) => void,
): Application {
  const newId = (): string => randomBytes(8).toString('hex');
  const redactor = new Redactor();
  const log = owned.add(new Log(redactor));
  const keys = new ApiKeys(context.secrets, redactor);
  const localAvailable = !(
    vscode.env.remoteName !== undefined && context.extension.extensionKind === vscode.ExtensionKind.UI
  );
  const data = context.globalStorageUri.fsPath;
  const program = context.asAbsolutePath('dist/service.mjs');
  const mayStart = (): boolean => localAvailable && vscode.workspace.isTrusted;
  const clients = owned.add(new LazyClients(keys, () => proxySettings(redactor)));
  const client = async (): Promise<LocalServiceClient> => (await clients.load()).local;
  const local = new LocalService({
    program,
    folder: `${data}/local-service`,
    keys,
    log,
    mayStart,
    release: (context.extension.packageJSON as { version: string }).version,
    limits: () => ({ concurrency: settings.concurrency(), turnMs: settings.turnLimitMs() }),
    onDidStart: (target) => {
      const running = engine.store.jobs.filter(
        ({ home, endedAt }) => home.service === LOCAL_SERVICE && endedAt === undefined,
      );
      void localAccess.greet(target, [...new Set(running.map(({ home }) => home.projectId))]);
    },
    onSetAside: tellSetAside,
    retire: async (target) => (await client()).shutdown(target, 'idle'),
  });
  const tokens = new CodeHostTokens(context.secrets, redactor, log);
  const agentFound = (found: boolean): void => setContextKey(CONTEXT_KEYS.agentMissing, !found);
  const localAccess = new LocalAccess({ service: local, tokens, client, log, agentFound });
  const access = new ServiceAccess(keys, local, clients, localAccess);
  const budget = new BudgetFiles(`${data}/budget`);
  const engine = owned.add(
    new JobEngine({
      files: new JobFiles(`${data}/jobs`, log),
      budget,
      presence: new PresenceFiles(`${data}/windows`),
      api: access,
      news: new LocalNews(local, clients, keys),
      uiProbe: { ping: reachUserInterface },
      notifier: new Notifications(log),
      random: Math.random,
      clock,
      newId,
      log,
    }),
  );
  const { store, outbox, poller } = engine;
  const milestones = owned.add(new Milestones(`${data}/milestones`, store, log));
  const list = owned.add(new ListState(`${(context.storageUri ?? context.globalStorageUri).fsPath}/list.json`, log));
  const counts = owned.add(new CommentCounts());
  const pulls: PullRequestStates = owned.add(
    new PullRequestStates({
      file: `${data}/pull-requests.json`,
      ask: async (link, etag) => (await import('./review/askGitHub')).askGitHub({ clients, redactor }, link, etag),
      links: () => endedPullRequests(store.jobs),
      near: (failed) => askLocalWork(store.jobs, pulls, localAccess, failed),
      clock,
      log,
    }),
  );
  // What was merged or closed on a review page.
  owned.add(engine.listener.onDidHear(() => pulls.look()));
  const tree = owned.add(new JobsTree(store, poller, list, counts, pulls));
  const view = owned.add(new JobsView({ tree, state: list, store, poller, keys, pulls, localAvailable, log }));
  owned.add(new UnseenMarks(store));
  owned.add(new JobsStatusBar(store));
  const draftFiles = new DraftFiles({ root: `${data}/drafts`, writer: newId(), clock, log });
  const drafts = new Drafts({
    files: draftFiles,
    clock,
    log,
    tell: (error) => void import('./prompt/notKept').then(({ tellUnsaved }) => tellUnsaved(error)),
  });
  const keyNotices = owned.add(
    new KeyNotices({
      store,
      poller,
      keys,
      folder: `${data}/rejected-keys`,
      reached: reachUserInterface,
      isInFront: () => vscode.window.state.focused,
      onDidComeToFront: (listener) => vscode.window.onDidChangeWindowState(({ focused }) => focused && listener()),
      show: showKeyNotice,
      clock,
      log,
    }),
  );
  const parts = {
    store,
    outbox,
    poller,
    tree,
    view,
    list,
    access,
    local,
    localAccess,
    pulls,
    unchecked: engine.unchecked,
    lookNow: () => engine.lookNow(),
    localAvailable,
    milestones,
    tokens,
    keys,
    keyNotices,
    drafts,
    budget,
    extensionUri: context.extensionUri,
    reviewFolder: `${data}/review`,
    checkoutFolder: `${data}/checkouts`,
    counts,
    newId,
    log,
    owned,
  };
  let loaded: Promise<Commands> | undefined;
  const commands = (): Promise<Commands> =>
    (loaded ??= import('./commands').then(({ buildCommands }) => buildCommands(parts)));
  const read = untilRead(store, clock);
  const ready = async (id?: CommandId): Promise<Commands> => {
    const [built] = await Promise.all([commands(), read(id)]);
    return built;
  };
  const composed = new ComposerFiles(drafts, () => void commands());
  owned.add(vscode.workspace.registerFileSystemProvider(COMPOSER_SCHEME, composed));
  owned.add(registerTemplateCompletion());
  owned.add(vscode.workspace.onDidOpenTextDocument((document) => composed.hold(document)));
  vscode.workspace.textDocuments.forEach((document) => composed.hold(document));
  owned.add(vscode.window.tabGroups.onDidChangeTabs(({ closed }) => composed.forget(closed)));
  owned.add(
    vscode.window.registerWebviewPanelSerializer(JOB_PAGE, {
      deserializeWebviewPanel: async (panel, state) => (await commands()).restoreJobPage(panel, state),
    }),
  );
  const previews = new PreviewFiles(drafts, () => void commands());
  owned.add(vscode.workspace.registerFileSystemProvider(PREVIEW_SCHEME, previews, { isReadonly: true }));
  owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => previews.refresh(document.uri)));
  store.onDidChange(({ job }) => onDidChangeJob(toApiJob(job)));
  owned.add(registerCodeActions());
  owned.add(new DocsPageKey());
  setContextKey(CONTEXT_KEYS.localService, localAvailable);
  const restoreComments = async (): Promise<void> => {
    const files = await readdir(parts.reviewFolder).catch(() => []);
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const isKept = files.some((file) => readReviewName(file)?.isComposed === false);
    if (isKept || (await isJobCheckedOut(store.jobs, folders))) {
      await (await commands()).restoreComments();
    }
  };
  const restoreBranch = async (): Promise<void> => {
    const records = await readdir(parts.checkoutFolder).catch(() => []);
    if (records.length > 0) {
      await (await commands()).restoreBranch();
    }
  };
  const opened = (): void => {
    view.opened();
    restoreBranch().catch((error: unknown) => log.error('the way back from a branch could not be shown', error));
    restoreComments().catch((error: unknown) => log.error('comments on changes could not be shown', error));
  };
  owned.add(follow({ engine, records: `${data}/jobs`, list, view: { opened }, keys, log }));
  return {
    get jobs() {
      return store.jobs.filter(isListed).map((job) => toApiJob(job));
    },
    run: async (id, argument) => {
      try {
        return await (await ready(id)).run[id](argument);
      } catch (error) {
        log.error(`${id} failed`, error);
        // Here and not where it is shown: each start of the editor waits for that file.
        throw new Error(toNotice(error instanceof Error ? error.message : String(error), 300), { cause: error });
      }
    },
    openLink: async (uri) => {
      try {
        await (await ready()).openLink(uri);
      } catch (error) {
        log.error('a link to a job could not be opened', error);
        void offerLog(
          vscode.l10n.t('The link to a job could not be opened. Look into the log (“Show Log”), and open it again.'),
        );
      }
    },
    tools: async () => (await ready()).tools(),
    end: async () => {
      // What is being typed does not wait for a service.
      await drafts.flushAll();
      await Promise.all([engine.end(), list.settle()]);
      // What was kept since then needs its draft no more.
      await drafts.flushAll();
    },
    createJob: async (prompt, options) => (await ready()).createJob(prompt, options?.project),
    sendFollowUp: async (jobId, prompt, options) => (await ready()).sendFollowUp(jobId, prompt, options?.when),
  };
}
