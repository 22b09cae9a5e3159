import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { FollowOptions } from '../../../../src/client/events';
import { ActivityFeed } from '../../../../src/extension/features/job-page/activityFeed';
import { ServiceError } from '../../../../src/protocol/errors';
import type { ActivityEvent } from '../../../../src/protocol/activity';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const note = (id: number): ActivityEvent => {
  return { id, turn: 1, at: '2026-05-01T12:00:00.000Z', entry: { kind: 'note', text: `event ${id} secret` } };
};
const RUNNING = trackedJob({ snapshot: snapshot('active') });
const ENDED = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });

describe('the activity feed of a job’s page', () => {
  let requests: FollowOptions[];
  let warnings: unknown[];
  let changes: number;
  let failure: Error | undefined;

  function open(): ActivityFeed {
    [requests, warnings, changes, failure] = [[], [], 0, undefined];
    const nothing = (): undefined => undefined;
    const follow = async (options: FollowOptions): Promise<void> => {
      requests.push(options);
      if (failure !== undefined) {
        throw failure;
      }
    };
    const parts = {
      follower: { follow },
      access: { activityTarget: async () => undefined },
      keys: { redactDeep: <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(' secret', '')) as T },
      log: { info: nothing, warn: (_: string, error: unknown) => void warnings.push(error), error: nothing },
    };
    return new ActivityFeed(parts, () => (changes += 1));
  }
  const texts = (feed: ActivityFeed): (string | undefined)[] | undefined =>
    feed.model(RUNNING)?.turns.flatMap(({ steps }) => steps.map(({ text }) => text));

  it('stays connected while the job runs, reads the rest when it ends, and follows again after a follow-up', () => {
    const feed = open();
    strictEqual(feed.model(RUNNING), undefined);
    feed.follow(RUNNING);
    feed.follow(RUNNING);
    strictEqual(requests.length, 1);
    requests[0]?.onEvents([note(1)]);
    deepStrictEqual([texts(feed), changes], [['event 1'], 1]);
    feed.follow(ENDED);
    feed.follow(RUNNING);
    deepStrictEqual(
      requests.map(({ stays, after, signal }) => [stays(), after, signal.aborted]),
      [
        [true, 0, true],
        [false, 1, true],
        [true, 1, false],
      ],
    );
  });

  it('resumes after the last known event when the page is shown again, and ignores what comes in between', () => {
    const feed = open();
    feed.follow(RUNNING);
    requests[0]?.onEvents([note(1), note(2)]);
    feed.stop();
    requests[0]?.onEvents([note(3)]);
    strictEqual(changes, 1);
    feed.follow(RUNNING);
    deepStrictEqual([requests[1]?.after, texts(feed)], [2, ['event 1', 'event 2']]);
  });

  it('requests nothing for a prompt that has no job, and logs why the activity is not available', async () => {
    const feed = open();
    feed.follow(trackedJob({ snapshot: undefined }));
    strictEqual(requests.length, 0);
    failure = new ServiceError('notFound', { effect: 'refused' });
    feed.follow(ENDED);
    await setImmediate();
    deepStrictEqual(warnings, [failure]);
  });
});
