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
import { registerPrompts } from './features/prompt/registerPrompts';
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
export function startApplication(
  context: vscode.ExtensionContext,
  owned: DisposableStore,
  onDidChangeJob: (job: Job) => void,
): Application {
  const host = readHost(context);
  const redactor = new Redactor();
  const log = owned.add(new Log(redactor));

  const services = owned.add(startServices(host, context.secrets, redactor, log));
  const budget = new QuotaFiles(`${host.data}/budget`);
  const engine = owned.add(createEngine({ host, services, budget, log }));
  const { store, poller } = engine;
  const { keys } = services;

  const pulls = owned.add(
    new PullRequestStates({
      file: `${host.data}/pull-requests.json`,
      ask: (link, etag, known) => askGitHub({ ...services, redactor }, link, etag, known),
      links: () => endedPullRequests(store.jobs),
      clock: systemClock,
      log,
    }),
  );
  const milestones = owned.add(new Milestones(host.globalState, store));
  const counts = owned.add(new CommentCounts());
  const seen = new SeenVersions(`${host.data}/seen-versions.json`, log);
  const previews = new Previews(host.globalState, log);
  const describer = new JobDescriber({ poller, pulls, previews, seen, counts });
  const drafts = createDrafts(`${host.data}/drafts`, newId(), log);
  const versions = owned.add(new FileVersions());
  const keyNotices = owned.add(startKeyNotices({ store, poller, keys, folder: `${host.data}/rejected-keys`, log }));
  const jobsView = owned.add(registerJobsView({ host, engine, keys, pulls, describer, log }));

  const core = {
    host,
    log,
    services,
    engine,
    budget,
    pulls,
    milestones,
    counts,
    seen,
    previews,
    describer,
    versions,
    drafts,
    keyNotices,
  };
  const commands = once(async () => (await import('./commandTable')).buildCommands({ ...core, jobsView, owned }));
  const requests = answerRequests({ commands, read: waitForRecords(store, systemClock), log });

  owned.add(registerPrompts(async () => (await commands()).previewPrompt));
  owned.add(registerJobPages(async () => (await commands()).jobPages()));
  owned.add(registerCodeActions());

  const restore = (): void => {
    jobsView.view.opened();
    restorePullRequests({ host, store, load: async () => (await commands()).pullRequests, log });
  };
  owned.add(startEngine({ host, services, engine, onOpened: restore, log }));
  store.onDidChange(({ job }) => onDidChangeJob(toApiJob(job)));

  return {
    ...requests,
    get jobs() {
      return store.jobs.filter(isListed).map((job) => toApiJob(job));
    },
    end: async () => {
      // Drafts are saved first, so that they do not wait for a service.
      await drafts.flushAll();
      await Promise.all([engine.end(), jobsView.list.saved]);
      // Deletes the drafts of prompts that have been saved since.
      await drafts.flushAll();
    },
  };
}
