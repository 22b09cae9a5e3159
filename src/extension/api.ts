import type { Home } from '../jobs/events';
import type { JobStore } from '../jobs/jobStore';
import { isListed } from '../jobs/trackedJob';
import { Emitter, type Event } from '../shared/util/emitter';
import type { Logger } from '../shared/util/logger';
import { type Job, toApiJob } from './apiJob';
import type { Commands } from './commands';

/** What `activate` returns (contract: "The extension's exports"). */
export interface DocsAgentApi {
  readonly version: 1;
  readonly jobs: readonly Job[];
  readonly onDidChangeJob: Event<Job>;
  /** Resolves when the service has answered or the prompt stays in the list; rejects only when nothing was kept. */
  createJob(prompt: string, options?: { project?: string }): Promise<Job>;
  sendFollowUp(jobId: string, prompt: string): Promise<Job>;
}

export interface ApiOptions {
  store: JobStore;
  commands: () => Promise<Commands>;
  log: Logger;
}

export function createApi({ store, commands, log }: ApiOptions): DocsAgentApi {
  const changed = new Emitter<Job>((error) => log.error('another extension’s listener failed', error));
  store.onDidChange(({ job }) => changed.fire(toApiJob(job)));
  return {
    version: 1,
    get jobs() {
      return store.jobs.filter(isListed).map((job) => toApiJob(job));
    },
    onDidChangeJob: changed.event,
    createJob: async (prompt, options) => {
      const { projects, sender } = await commands();
      const home = await projects.choose(options?.project);
      return toApiJob(await sender.create(demand(home, prompt), prompt));
    },
    sendFollowUp: async (jobId, prompt) => {
      const job = store.get(jobId) ?? store.jobs.find((each) => each.snapshot?.id === jobId);
      if (job?.snapshot === undefined) {
        throw new Error(`There is no job ${jobId} in the list.`);
      }
      demand(job.home, prompt);
      const { sender } = await commands();
      return toApiJob(await sender.followUp(job, prompt));
    },
  };
}

function demand(home: Home | undefined, prompt: string): Home {
  if (home === undefined) {
    throw new Error('No project was chosen, so nothing was sent.');
  }
  if (prompt.trim() === '') {
    throw new Error('An empty prompt is not sent.');
  }
  return home;
}
