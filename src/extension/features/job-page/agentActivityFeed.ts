import { systemClock as clock } from '../../../base/async';
import type { Disposable } from '../../../base/disposable';
import type { Logger } from '../../../base/logger';
import type { CheckedResult } from '../../../checks/process/checkResult';
import { ActivityFollower } from '../../../client/activityFollower';
import type { NetworkSettings } from '../../../base/network';
import { DEFAULT_TIMEOUTS, Transport } from '../../../client/transport';
import { type AgentActivity, EMPTY_ACTIVITY } from '../../../jobs/agentActivity';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { isRunning, type TrackedJob } from '../../../jobs/trackedJob';
import type { JobChanges } from '../../../protocol/changes';
import { DIFF_LIMITS } from '../../../protocol/diff';
import type { ApiKeys } from '../../platform/apiKeys';
import { type BranchToFetch, branchToFetch } from '../../platform/branchToFetch';
import { gitApi, onDidOpenRepository, openRepositories } from '../../platform/gitExtension';
import { branchSummary, commitsByPrompt, type KnownBranch, knownBranch } from '../../platform/jobRepository';
import type { LocalAccess } from '../../platform/localAccess';
import { serviceEnvironment } from '../../platform/localServiceProcess';
import type { Repositories } from '../../platform/repositories';
import type { ServiceAccess } from '../../platform/serviceAccess';
import { ActivitySubscription } from './activitySubscription';
import { branchDiff, type DiffSource, readJobDiff } from './jobDiff';
import type { Changes, Story } from './model';
import { openChangedFile } from './openChangedFile';
import type { ActivitySource, JobResult } from './pageContent';
import { pageStory, preparePageStory, shownPath, shownPaths } from './pageStory';
import { ResultChecks } from './resultChecks';

export interface AgentActivityFeedOptions {
  store: Pick<JobStore, 'get' | 'onDidChange'>;
  access: Pick<ServiceAccess, 'activityTarget'>;
  /** How hosted services are reached. */
  network: () => NetworkSettings;
  localAvailable: boolean;
  localAccess: Pick<LocalAccess, 'changes' | 'diff' | 'image'>;
  keys: Pick<ApiKeys, 'redactDeep'>;
  repositories: Pick<Repositories, 'open'>;
  /** The service's bundle, `dist/service.mjs`. */
  program: string;
  log: Logger;
}

/** The service accepts no more concurrent followers than this. */
const CONNECTIONS = 16;

/** Number of activity logs cached for when their pages become visible again. */
const MAX_REMEMBERED = 10;

/**
 * The agent's activity, if the job's service has an activity log, and the changes of jobs, from the service or from the
 * branch in an open repository. Never starts the service, and fetches only a branch that the user asks for.
 */
export class AgentActivityFeed implements ActivitySource, Disposable {
  private readonly transport: Transport;
  private readonly follower: ActivityFollower;
  private readonly checks: ResultChecks;
  private readonly remembered = new Map<string, AgentActivity>();

  constructor(private readonly options: AgentActivityFeedOptions) {
    // Followers get separate connections, so that requests need not wait for them.
    this.transport = new Transport(DEFAULT_TIMEOUTS, options.network, CONNECTIONS);
    this.checks = new ResultChecks({ ...options, environment: serviceEnvironment() });
    this.follower = new ActivityFollower({ transport: this.transport, clock, random: Math.random });
  }

  follow({ key, home, snapshot }: TrackedJob, onStory: (story: Story | undefined) => void): Disposable {
    const { store, keys, log } = this.options;
    if (snapshot === undefined) {
      return { dispose: () => undefined };
    }
    const runs = (): boolean => {
      const job = store.get(key);
      return job !== undefined && isRunning(job);
    };
    const following = new ActivitySubscription({
      story: this.remembered.get(key) ?? EMPTY_ACTIVITY,
      isRunning: runs,
      start: (more) =>
        this.follower.follow({
          ...more,
          jobId: snapshot.id,
          target: () => this.options.access.activityTarget(home),
          onEvents: (events) => more.onEvents(keys.redactDeep(events)),
        }),
      redact: (text) => keys.redactDeep(text),
      prepare: preparePageStory,
      onStory: (story) => {
        this.remember(key, story);
        onStory(pageStory(story, runs()));
      },
      onError: (error) => log.warn(`couldn’t read the activity log of job ${snapshot.id}`, error),
      clock,
    });
    const subscription = store.onDidChange(({ job }) => (job.key === key ? following.refresh() : undefined));
    return {
      dispose: () => {
        subscription.dispose();
        following.dispose();
      },
    };
  }

  async changes(job: TrackedJob): Promise<JobResult | undefined> {
    const { localAvailable, repositories, log } = this.options;
    const told = await this.told(job);
    const branch = await knownBranch(job, localAvailable, told?.base);
    const changes = told ?? (branch && (await branchSummary(branch, repositories)));
    if (changes === undefined || changes.files.length + changes.more === 0) {
      return undefined;
    }
    const source = told === undefined ? branch && (await this.branchSource(branch)) : this.localSource(job);
    const diff = source === undefined ? Promise.resolve([]) : readJobDiff(source, changes);
    return {
      changes: toPageChanges(changes, branch !== undefined),
      commit: changes.commit ?? undefined,
      reviewable: new Set(branch === undefined ? [] : commitsByPrompt(job.prompts, changes.rounds).keys()),
      diff: diff.catch((error: unknown) => {
        log.warn(`couldn’t read the changed text of job ${job.key}`, error);
        return [];
      }),
      check: branch && ((signal) => this.checkBranch(branch, signal)),
    };
  }

  async openFile(job: TrackedJob, path: string): Promise<void> {
    await openChangedFile(job, path, this.options, (await this.told(job))?.base);
  }

  branchToFetch(job: TrackedJob): Promise<BranchToFetch | undefined> {
    return branchToFetch(job, this.options.localAvailable);
  }

  onDidOpenRepository(listener: () => void): Disposable {
    return onDidOpenRepository(listener);
  }

  dispose(): void {
    void this.transport.dispose();
  }

  /** Asks the local service if it runs; undefined when only the branch can tell. */
  private async told({ home, snapshot }: TrackedJob): Promise<JobChanges | undefined> {
    const { localAccess, keys, log } = this.options;
    if (home.service !== LOCAL_SERVICE || snapshot === undefined) {
      return undefined;
    }
    try {
      return keys.redactDeep(await localAccess.changes(home, snapshot.id));
    } catch (error) {
      log.warn(`couldn’t read the changes of job ${snapshot.id} from the local service`, error);
      return undefined;
    }
  }

  private localSource({ home, snapshot }: TrackedJob): DiffSource {
    const { localAccess, keys } = this.options;
    const id = snapshot?.id ?? '';
    return {
      diff: async () => keys.redactDeep((await localAccess.diff(home, id)) ?? { files: [] }),
      image: (query) => localAccess.image(home, id, query),
    };
  }

  private async branchSource(branch: KnownBranch): Promise<DiffSource> {
    const { repositories, keys } = this.options;
    const opened = await repositories.open(branch.repository);
    const source = branchDiff(opened, branch);
    return { ...source, diff: async () => keys.redactDeep(await source.diff()) };
  }

  private async checkBranch(branch: KnownBranch, signal: AbortSignal): Promise<CheckedResult | undefined> {
    const { base, commit } = branch;
    const folder = branch.repository.rootUri.fsPath;
    // The documentation may be in another repository than the code.
    const open = (await openRepositories(await gitApi())).map(({ rootUri }) => rootUri.fsPath);
    const code = open.filter((each) => each !== folder);
    return this.options.keys.redactDeep(await this.checks.check({ folder, base, commit, code }, signal));
  }

  private remember(key: string, story: AgentActivity): void {
    this.remembered.delete(key);
    this.remembered.set(key, story);
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > MAX_REMEMBERED && oldest !== undefined) {
      this.remembered.delete(oldest);
    }
  }
}

function toPageChanges({ files, more, added, deleted }: JobChanges, canOpen: boolean): Changes {
  const listed = files.slice(0, DIFF_LIMITS.files);
  const names = shownPaths(listed.map(({ path }) => path));
  return {
    files: listed.map(({ from, kind, ...lines }, index) => ({
      path: names[index] ?? '',
      ...(from === undefined ? {} : { from: shownPath(from) }),
      kind,
      added: lines.added ?? undefined,
      deleted: lines.deleted ?? undefined,
    })),
    more: more + Math.max(0, files.length - DIFF_LIMITS.files),
    added,
    deleted,
    canOpen,
  };
}
