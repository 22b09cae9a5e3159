import type { Logger } from '../../../base/logger';
import type { ActivityFollower } from '../../../client/events';
import { isRunning, type TrackedJob } from '../../../jobs/trackedJob';
import type { ApiKeys } from '../../platform/apiKeys';
import type { ServiceAccess } from '../../platform/serviceAccess';
import type { Activity } from './model';
import { addEvents, NO_ACTIVITY, pageActivity } from './pageActivity';

export interface ActivityFeedParts {
  follower: Pick<ActivityFollower, 'follow'>;
  access: Pick<ServiceAccess, 'activityTarget'>;
  keys: Pick<ApiKeys, 'redactDeep'>;
  log: Logger;
}

/** The agent's activity in one job, if the job's service has an activity log. Never starts the service. */
export class ActivityFeed {
  private activity = NO_ACTIVITY;
  private request: { end: AbortController; stays: boolean } | undefined;

  constructor(
    private readonly parts: ActivityFeedParts,
    private readonly onChange: () => void,
  ) {}

  /** Undefined while there is none. */
  model(job: TrackedJob): Activity | undefined {
    return this.activity.last === 0 ? undefined : pageActivity(this.activity, isRunning(job));
  }

  /** Stays connected while the job runs; otherwise reads the log once. Call this also when the job has changed. */
  follow(job: TrackedJob): void {
    const { follower, access, keys, log } = this.parts;
    const stays = isRunning(job);
    if (job.snapshot === undefined || this.request?.stays === stays) {
      return;
    }
    this.stop();
    const end = new AbortController();
    const { signal } = end;
    this.request = { end, stays };
    const following = follower.follow({
      jobId: job.snapshot.id,
      target: () => access.activityTarget(job.location),
      stays: () => stays,
      onEvents: (events) => {
        if (!signal.aborted) {
          this.activity = addEvents(this.activity, keys.redactDeep(events));
          this.onChange();
        }
      },
      signal,
      after: this.activity.last,
    });
    following.catch((error: unknown) => {
      if (!signal.aborted) {
        log.warn(`couldn’t read the activity log of job ${job.key}`, error);
      }
    });
  }

  stop(): void {
    this.request?.end.abort();
    this.request = undefined;
  }
}
