import type { Home } from './events';
import type { JobStore } from './jobStore';
import type { PollPlan } from './pollSchedule';
import { pastRuns } from './usualRun';

/** When to poll the jobs of each project. A plan is made when a poll first asks for it, and again after a run has ended. */
export class PollPlans {
  private readonly plans = new Map<string, PollPlan | undefined>();

  constructor(private readonly store: Pick<JobStore, 'jobs' | 'isLoaded'>) {}

  /** Undefined while it is being made, there are too few runs to learn from, or not all of them have been read. */
  of(home: Home | undefined): PollPlan | undefined {
    if (home === undefined || !this.store.isLoaded) {
      return undefined;
    }
    const name = nameOf(home);
    if (!this.plans.has(name)) {
      this.plans.set(name, undefined);
      // Without a plan the rule for all goes on.
      this.make(name, pastRuns(this.store.jobs, home)).catch(() => undefined);
    }
    return this.plans.get(name);
  }

  /** A run of this project has ended. */
  forget(home: Home): void {
    this.plans.delete(nameOf(home));
  }

  /** What makes plans is loaded by then: most windows follow no job. */
  private async make(name: string, runs: readonly number[]): Promise<void> {
    const { planAfter } = await import('./pollPlan');
    this.plans.set(name, planAfter(runs));
  }
}

function nameOf({ service, projectId }: Home): string {
  return JSON.stringify([service, projectId]);
}
