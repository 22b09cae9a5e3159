import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import {
  EACH_MS,
  LOCAL_MS,
  PAUSE_MS,
  type PullRequestState,
  PullRequestStates,
} from '../../../../src/extension/platform/pullRequestStates';
import { ServiceError } from '../../../../src/protocol/errors';
import { ManualClock } from '../../../support/manualClock';
import { temporaryFolder } from '../../../support/temporaryRepository';

const LINK = 'https://github.com/acme/docs/pull/1';

describe('PullRequestStates for local jobs', () => {
  let file: string;
  let clock: ManualClock;
  let local: (failed: (error: unknown) => void) => Promise<ReadonlyMap<string, PullRequestState>>;
  let localAsked: number;
  let warnings: string[];
  let links: string[];
  let changes: number;
  let opened: PullRequestStates;

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'states', 'pull-requests.json');
    clock = new ManualClock();
    local = () => Promise.resolve(new Map());
    localAsked = 0;
    warnings = [];
    links = [];
    changes = 0;
  });

  function open(): PullRequestStates {
    opened = new PullRequestStates({
      file,
      ask: () => Promise.resolve({ is: 'known', state: 'open' }),
      links: () => links,
      local: (failed) => {
        localAsked += 1;
        return local(failed);
      },
      clock,
      log: { info: () => undefined, warn: (text) => void warnings.push(text), error: () => undefined },
    });
    opened.onDidChange(() => {
      changes += 1;
    });
    return opened;
  }

  /** Advances the clock and waits for disk writes before and after. */
  async function pass(ms: number): Promise<void> {
    await opened.idle();
    await clock.advance(ms);
    await opened.idle();
  }

  it('requests local states when the user looks at the list, not at intervals', async () => {
    const states = open();
    states.refresh();
    await pass(PAUSE_MS);
    strictEqual(localAsked, 0);
    states.show(true);
    await pass(EACH_MS);
    strictEqual(localAsked, 1);
    local = () =>
      Promise.resolve(
        new Map<string, PullRequestState>([
          ['local:p/1/a', 'merged'],
          ['local:p/2/b', 'open'],
        ]),
      );
    const before = changes;
    states.refresh();
    await pass(0);
    deepStrictEqual([localAsked, states.get('local:p/1/a'), states.get('local:p/2/b')], [2, 'merged', undefined]);
    strictEqual(changes, before + 1);
    states.dispose();
    const later = open();
    await later.load();
    strictEqual(later.get('local:p/1/a'), 'merged');
  });

  it('requests local states again if the user returned during a failed request and keeps other states', async () => {
    links = [LINK];
    const states = open();
    local = () => {
      states.refresh();
      local = () => Promise.resolve(new Map<string, PullRequestState>([['local:p/1/a', 'closed']]));
      return Promise.reject(new Error('it was stopped'));
    };
    states.show(true);
    await pass(0);
    deepStrictEqual([localAsked, states.get(LINK)], [1, 'open']);
    await pass(LOCAL_MS);
    deepStrictEqual([localAsked, states.get('local:p/1/a')], [2, 'closed']);
    states.dispose();
  });

  it('requests local states at most once every few seconds', async () => {
    const states = open();
    states.show(true);
    for (let times = 0; times < 10; times++) {
      states.refresh();
      await pass(1);
    }
    deepStrictEqual([localAsked, clock.pending], [1, 1]);
    await pass(LOCAL_MS);
    deepStrictEqual([localAsked, clock.pending], [2, 0]);
    states.dispose();
  });

  it('logs each kind of failure once', async () => {
    local = (failed) => {
      failed(new ServiceError('notFound', { effect: 'refused', status: 404, detail: String(localAsked) }));
      return localAsked === 3 ? Promise.reject(new Error('it was stopped')) : Promise.resolve(new Map());
    };
    const states = open();
    states.show(true);
    for (let times = 0; times < 4; times++) {
      await pass(LOCAL_MS);
      states.refresh();
    }
    await pass(0);
    deepStrictEqual([localAsked, warnings.length], [5, 2]);
    states.dispose();
  });
});
