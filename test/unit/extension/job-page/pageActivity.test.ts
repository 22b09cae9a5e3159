import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Activity, ActivityStep } from '../../../../src/extension/features/job-page/model';
import { addEvents, NO_ACTIVITY, pageActivity } from '../../../../src/extension/features/job-page/pageActivity';
import type { ActivityEntry, ActivityEvent } from '../../../../src/protocol/activity';
import { setImmediate } from 'node:timers/promises';
import type { FollowOptions } from '../../../../src/client/events';
import { ActivityFeed } from '../../../../src/extension/features/job-page/activityFeed';
import { ServiceError } from '../../../../src/protocol/errors';
import { snapshot, trackedJob } from '../../../support/trackedJob';
import { getAnnouncement } from '../../../../src/extension/features/job-page/page/announcements';

type ToolState = Extract<ActivityEntry, { kind: 'tool' }>['state'];

const START = Date.UTC(2026, 4, 1, 12);

/** Events of one turn, one second apart. */
function events(entries: readonly ActivityEntry[], turn = 1, after = 0): ActivityEvent[] {
  return entries.map((entry, index) => {
    const id = after + index + 1;
    return { id, turn, at: new Date(START + id * 1000).toISOString(), entry };
  });
}

const tool = (call: string, state: ToolState, files: string[] = []): ActivityEntry => {
  return { kind: 'tool', call, title: `Edit ${call}`, tool: 'edit', state, files };
};
const message = (text: string): ActivityEntry => ({ kind: 'message', text });
const plan = (state: 'pending' | 'completed' | 'in_progress'): ActivityEntry => {
  return { kind: 'plan', steps: [{ text: 'Read\u202e the code', state }] };
};
const state = (name: Extract<ActivityEntry, { kind: 'state' }>['state']): ActivityEntry => {
  return { kind: 'state', state: name };
};

const shown = (entries: readonly ActivityEntry[], isRunning = true): Activity =>
  pageActivity(addEvents(NO_ACTIVITY, events(entries)), isRunning);
const lines = ({ turns }: Activity): unknown[] =>
  turns.flatMap(({ steps }) => steps.map(({ tone, text }) => `${tone}: ${text}`));

describe('the agent’s activity on a job’s page', () => {
  for (const [entry, expected] of [
    [{ kind: 'note', text: 'a note' }, 'plain: a note'],
    [tool('a', 'pending'), 'running: Edit a'],
    [tool('a\n b', 'in_progress'), 'running: Edit a b'],
    [tool('a', 'completed'), 'plain: Edit a'],
    [tool('a', 'failed'), 'warning: Edit a'],
    [{ ...tool('a', 'completed'), title: '' } as ActivityEntry, 'plain: Unnamed step'],
    [{ kind: 'permission', title: 'x', tool: 'edit', answer: 'allowed', why: 'y' }, 'plain: Allowed: x'],
    [
      { kind: 'permission', title: 'rm -r', tool: 'execute', answer: 'refused', why: 'Commands are off' },
      'warning: Permission denied: rm -r (Commands are off)',
    ],
    [{ kind: 'permission', title: 'x', tool: 'edit', answer: 'refused', why: '' }, 'warning: Permission denied: x'],
    [
      { kind: 'permission', title: 'x', tool: 'edit', answer: 'cancelled', why: '' },
      'plain: Permission request canceled: x',
    ],
  ] satisfies [ActivityEntry, string][]) {
    it(`reads “${expected}”`, () => deepStrictEqual(lines(shown([entry])), [expected]));
  }

  it('leaves out what the rest of the page says: the last message, and how the run began and ended', () => {
    const activity = shown([
      ...[state('queued'), state('running'), message('Hello.'), message(' First line\n\nSecond\u202E line ')],
      ...[state('publishing'), state('failed')],
    ]);
    deepStrictEqual([lines(activity), activity.summary?.text], [['plain: Hello.'], 'First line\n\nSecond line']);
  });

  it('has the newest plan, and each tool call’s last state at its first position', () => {
    const activity = shown([
      plan('pending'),
      tool('a', 'pending'),
      message('Hello.'),
      tool('a', 'completed'),
      plan('in_progress'),
    ]);
    deepStrictEqual(activity.plan, [{ text: 'Read the code', state: 'in_progress' }]);
    deepStrictEqual(lines(activity), ['plain: Edit a']);
    strictEqual(activity.turns[0]?.steps[0]?.at, START + 2000);
  });

  it('keeps calls with the same ID in two turns apart, and starts each turn without a plan', () => {
    const log = addEvents(NO_ACTIVITY, [
      ...events([state('running'), plan('pending'), tool('a', 'pending'), message('First.'), state('done')]),
      ...events([tool('a', 'pending')], 2, 5),
    ]);
    const { plan: steps, turns, run, summary, isLive } = pageActivity(log, true);
    deepStrictEqual([steps, run, summary, isLive], [[], 2, undefined, true]);
    deepStrictEqual(
      turns.map(({ turn, steps: all }) => [turn, all.map(({ text, tone }) => `${tone}: ${text}`)]),
      [
        [1, ['plain: Edit a', 'plain: First.']],
        [2, ['running: Edit a']],
      ],
    );
  });

  for (const [what, last, isRunning, isLive] of [
    ['the job runs', message('x'), true, true],
    ['the run ends', state('failed'), true, false],
    ['the record says that it has ended', message('x'), false, false],
  ] as const) {
    it(`is ${isLive ? '' : 'no longer '}live when ${what}`, () => {
      const activity = shown([plan('in_progress'), tool('a', 'pending'), last], isRunning);
      strictEqual(activity.isLive, isLive);
      strictEqual(activity.plan[0]?.state, isLive ? 'in_progress' : 'pending');
      strictEqual(activity.turns[0]?.steps[0]?.tone, isLive ? 'running' : 'plain');
    });
  }

  it('has the newest 200 steps, and is the same when it comes in two parts', () => {
    const notes = (count: number): ActivityEntry[] =>
      Array.from({ length: count }, (_, index) => ({ kind: 'note', text: `${index}` }));
    const all = events([...notes(250), tool('a', 'pending'), ...notes(10), tool('a', 'completed')]);
    const whole = addEvents(NO_ACTIVITY, all);
    const { earlier, turns } = pageActivity(whole, true);
    deepStrictEqual([earlier, turns[0]?.steps.length, turns[0]?.steps.at(-11)?.tone], [61, 200, 'plain']);
    for (const cut of [1, 100, 255, 261]) {
      deepStrictEqual(addEvents(addEvents(NO_ACTIVITY, all.slice(0, cut)), all.slice(cut)), whole);
    }
  });

  it('offers only files inside the repository', () => {
    const files = ['a.md', '/etc/x', '../y', 'b/../../c', 'C:\\x', '~/z', '', 'a\u200bb.md', 'a.md', 'b/c.md'];
    deepStrictEqual(shown([tool('a', 'completed', files)]).turns[0]?.steps[0]?.files, ['a.md', 'b/c.md']);
  });
});

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

const step = (id: number, kind: ActivityStep['kind'], text = `${kind} ${id}`): ActivityStep => ({
  ...{ id, at: id, kind, tone: 'plain', text, files: [] },
});
describe('screen reader announcements of agent activity', () => {
  it('contain only the newest message, not every file that is read', () => {
    strictEqual(getAnnouncement([step(1, 'message'), step(2, 'tool')], 1), undefined);
    const steps = [step(1, 'message'), step(2, 'message'), step(3, 'note'), step(4, 'tool')];
    strictEqual(getAnnouncement(steps, 1), 'note 3');
  });

  it('are one line of limited length', () => {
    const long = getAnnouncement([step(1, 'message', 'word\n'.repeat(10_000))], 0) ?? '';
    strictEqual(long.length, 241);
    strictEqual(long.includes('\n'), false);
  });
});
