import type * as vscode from 'vscode';
import { once, systemClock } from '../base/async';
import type { DisposableStore } from '../base/disposable';
import { Redactor } from '../base/redact';
import { QuotaFiles } from '../jobs/store/quotaFiles';
import { isListed } from '../jobs/trackedJob';
import type { DocsAgentApi } from './api';
import { registerCodeActions } from './features/code-actions/registerCodeActions';
import { registerJobPages } from './features/job-page/registerJobPages';
import { registerJobsView } from './features/jobs-view/registerJobsView';
import { registerPromptFiles } from './features/prompt/composer/promptFiles';
import { restorePullRequests } from './features/pull-requests/restorePullRequests';
import { CommentCounts } from './platform/commentCounts';
import { FileVersions } from './platform/fileVersions';
import { newId, readHost } from './platform/host';
import { startKeyNotices } from './platform/keyNotices';
import { Log } from './platform/log';
import { Milestones } from './platform/milestones';
import { Previews } from './platform/previews';
import { askGitHub, endedPullRequests } from './platform/pullRequestLink';
import { PullRequestStates } from './platform/pullRequestStates';
import { SeenVersions } from './platform/seenVersions';
import { type Job, toApiJob } from './presentation/apiJob';
import { JobDescriber } from './presentation/describeJob';
import { FINDINGS_KEY } from './presentation/findingRows';
import { answerRequests, type Requests, waitForRecords } from './requests';
import { createDrafts } from './sending/drafts';
import { createEngine, startEngine } from './startEngine';
import { startServices } from './startServices';

/** The implementation behind the commands, the view and the exported API. */
export interface Application extends Requests, Pick<DocsAgentApi, 'jobs'> {
  /** Starts no new work. Resolves when drafts and the service's pending answers are on disk. Never rejects. */
  end(): Promise<void>;
}

/** Creates what runs for as long as the window is open. All of it is disposed with `owned`. */
function createCore(context: vscode.ExtensionContext, owned: DisposableStore) {
  const host = readHost(context);
  const { data, globalState } = host;
  const redactor = new Redactor();
  const log = owned.add(new Log(redactor));
  const services = owned.add(startServices(host, context.secrets, redactor, log));
  const budget = new QuotaFiles(`${data}/budget`);
  const engine = owned.add(createEngine({ host, services, budget, log }));
  const { store, outbox, poller } = engine;
  const { keys } = services;
  const pulls = owned.add(
    new PullRequestStates({
      file: `${data}/pull-requests.json`,
      ask: (link, etag, known) => askGitHub({ ...services, redactor }, link, etag, known),
      links: () => endedPullRequests(store.jobs),
      clock: systemClock,
      log,
    }),
  );
  const seen = new SeenVersions(`${data}/seen-versions.json`, log);
  const previews = new Previews(globalState, log);
  const counts = owned.add(new CommentCounts());
  const describer = new JobDescriber({ poller, pulls, previews, seen, counts });
  const keyNotices = owned.add(startKeyNotices({ store, poller, keys, folder: `${data}/rejected-keys`, log }));
  return {
    ...host,
    ...services,
    ...owned.add(registerJobsView({ ...host, store, poller, keys, pulls, describer, log })),
    start: (onOpened: () => void) => startEngine({ host, services, engine, onOpened, log }),
    milestones: owned.add(new Milestones(globalState, store)),
    drafts: createDrafts(`${data}/drafts`, newId(), log),
    versions: owned.add(new FileVersions()),
    ...{ log, budget, engine, store, outbox, poller, pulls, seen, previews, counts, describer, keyNotices, owned },
  };
}

/** What features use for as long as the window is open. */
export type Core = Omit<ReturnType<typeof createCore>, 'dispose'>;

export function startApplication(
  context: vscode.ExtensionContext,
  owned: DisposableStore,
  onDidChangeJob: (job: Job) => void,
): Application {
  const core = createCore(context, owned);
  const { engine, store, drafts, list, view, log } = core;
  const commands = once(async () => (await import('./app')).createCommands(core));
  const requests = answerRequests({ commands, read: waitForRecords(store, systemClock), log });

  owned.add(registerPromptFiles(async () => (await commands()).prompts));
  owned.add(registerJobPages(async () => (await commands()).pages.jobPages()));
  owned.add(registerCodeActions());
  const restore = (): void => {
    view.opened();
    restorePullRequests(core, async () => (await commands()).reviews);
    void (core.workspaceState.get(FINDINGS_KEY) === undefined || commands());
  };
  owned.add(core.start(restore));
  store.onDidChange(({ job }) => onDidChangeJob(toApiJob(job)));

  return {
    ...requests,
    get jobs() {
      return store.jobs.filter(isListed).map((job) => toApiJob(job));
    },
    end: async () => {
      // Drafts are saved first, so that they do not wait for a service.
      await drafts.flushAll();
      await Promise.all([engine.end(), list.saved]);
      // Deletes the drafts of prompts that have been saved since.
      await drafts.flushAll();
    },
  };
}
