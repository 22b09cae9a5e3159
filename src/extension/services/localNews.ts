import type { Home } from '../../jobs/events';
import type { JobNews } from '../../jobs/ports';
import type { WireJob } from '../../shared/protocol/job';
import type { ApiKeys } from './apiKeys';
import type { LazyClients } from './lazyClients';
import type { LocalService } from './localService';

/** What the local service says of its jobs while it runs; none of this starts it. */
export class LocalNews implements JobNews {
  constructor(
    private readonly local: Pick<LocalService, 'find'>,
    private readonly clients: Pick<LazyClients, 'load'>,
    private readonly keys: Pick<ApiKeys, 'blotAll'>,
  ) {}

  async listen(on: Parameters<JobNews['listen']>[0], signal: AbortSignal): Promise<boolean> {
    const target = await this.local.find();
    if (target === undefined) {
      return false;
    }
    const { events } = await this.clients.load();
    await events.listen(target, { ...on, signal });
    return true;
  }

  async *list(projectId: string): AsyncIterable<WireJob> {
    const target = await this.local.find();
    if (target !== undefined) {
      const { local } = await this.clients.load();
      for await (const job of local.jobs(target, projectId)) {
        yield this.keys.blotAll(job);
      }
    }
  }

  async look({ projectId }: Home, jobId: string, signal: AbortSignal): Promise<WireJob | undefined> {
    const target = await this.local.find();
    if (target === undefined) {
      return undefined;
    }
    const { agent } = await this.clients.load();
    return agent.retrieveJob({ ...target, projectId }, jobId, { signal, attempts: 1 });
  }
}
