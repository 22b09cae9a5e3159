import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock as clock } from '../base/async';
import type { DisposableStore } from '../base/disposable';
import { Redactor } from '../base/redact';
import type { LocalServiceClient } from '../client';
import { LOCAL_SERVICE } from '../jobs/events';
import { JobEngine } from '../jobs/jobEngine';
import { DraftFiles } from '../jobs/store/drafts';
import { JobFiles } from '../jobs/store/jobFiles';
import { PresenceFiles } from '../jobs/store/presenceFiles';
import { BudgetFiles } from '../jobs/store/quota';
import { readReviewName } from '../jobs/store/reviewComments';
import { isListed } from '../jobs/trackedJob';
import type { DocsAgentApi } from './api';
import type { Commands } from './commandTable';
import type { Tools } from './features/chat-tools/registerTools';
import { registerCodeActions } from './features/code-actions/registerCodeActions';
import { UnseenMarks } from './features/jobs-view/jobItem';
import { JobsStatusBar } from './features/jobs-view/jobsStatusBar';
import { JobsTree } from './features/jobs-view/jobsTree';
import { JobsView } from './features/jobs-view/jobsView';
import { ListState } from './features/jobs-view/listState';
import { ComposerFiles } from './features/prompt/composer/composerFiles';
import { COMPOSER_SCHEME } from './features/prompt/composer/composerTarget';
import { PREVIEW_SCHEME, PreviewFiles } from './features/prompt/composer/previewFiles';
import { DocsPageKey } from './features/prompt/context/docsPageKey';
import { registerTemplateCompletion } from './features/prompt/templates/templateCompletion';
import { isJobCheckedOut } from './features/pull-requests/sentComments';
import { type CommandId, CONTEXT_KEYS, JOB_PAGE } from './ids';
import { ApiKeys } from './platform/apiKeys';
import { LazyClients } from './platform/clients';
import { CodeHostTokens } from './platform/codeHostTokens';
import { CommentCounts } from './platform/commentCounts';
import { reachUserInterface, setContextKey } from './platform/contextKeys';
import { KeyNotices, showKeyNotice } from './platform/keyNotices';
import { LocalAccess, LocalNews } from './platform/localAccess';
import { LocalService } from './platform/localService';
import { askLocalWork } from './platform/localWork';
import { Log, offerLog } from './platform/log';
import { Milestones } from './platform/milestones';
import { endedPullRequests } from './platform/pullRequestLink';
import { PullRequestStates } from './platform/pullRequestStates';
import { toNotice } from './platform/sanitize';
import { proxySettings, ServiceAccess } from './platform/serviceAccess';
import { type Job, toApiJob } from './presentation/apiJob';
import { Notifications, tellSetAside } from './presentation/notifications';
import { Drafts } from './sending/drafts';
import { settings } from './settings';
import { follow } from './startEngine';
import { untilRead } from './untilRead';

/** The implementation behind the commands, the view and the exported API. */
export interface Application extends Pick<DocsAgentApi, 'jobs' | 'createJob' | 'sendFollowUp'> {
  /** Runs a command. Errors are already logged when it rejects. */
  run(id: CommandId, argument: unknown): Promise<unknown>;
  /** Opens a link to a job. The link is untrusted, so its parts are not logged. */
  openLink(uri: vscode.Uri): Promise<void>;
  /** Returns the language model tools. */
  tools(): Promise<Tools>;
  /** Starts no new work. Resolves when drafts and the service's pending answers are on disk. Never rejects. */
  end(): Promise<void>;
}

/** Creates and connects views, records, outbox, poller and notifications. All of them are disposed with `owned`. */
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
      ask: async (link, etag) =>
        (await import('./platform/pullRequestLink')).askGitHub({ clients, redactor }, link, etag),
      links: () => endedPullRequests(store.jobs),
      near: (failed) => askLocalWork(store.jobs, pulls, localAccess, failed),
      clock,
      log,
    }),
  );
  // Picks up merges and closes made on a review page.
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
    tell: (error) => void import('./sending/promptLimits').then(({ tellUnsaved }) => tellUnsaved(error)),
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
    (loaded ??= import('./commandTable').then(({ buildCommands }) => buildCommands(parts)));
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
        // Sanitized here, because the file that shows the message is loaded whenever the editor starts and must stay
        // small.
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
      // Drafts are saved first, so that they do not wait for a service.
      await drafts.flushAll();
      await Promise.all([engine.end(), list.settle()]);
      // Deletes the drafts of prompts that have been saved since.
      await drafts.flushAll();
    },
    createJob: async (prompt, options) => (await ready()).createJob(prompt, options?.project),
    sendFollowUp: async (jobId, prompt, options) => (await ready()).sendFollowUp(jobId, prompt, options?.when),
  };
}
