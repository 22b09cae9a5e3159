import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PullRequestAnswer } from '../../../../src/client';
import {
  AT_ONCE,
  BACK_OFF_MS,
  EACH_MS,
  PAUSE_MS,
  type PullRequestState,
  PullRequestStates,
} from '../../../../src/extension/review/pullRequestStates';
import { ServiceError } from '../../../../src/shared/protocol/serviceError';
import { ManualClock } from '../../../support/manualClock';
import { temporaryFolder } from '../../../support/temporaryRepository';

const linkOf = (number: number): string => `https://github.com/acme/docs/pull/${number}`;

describe('how pull requests stand', () => {
  let file: string;
  let clock: ManualClock;
  let asked: { link: string; etag: string | undefined }[];
  let answer: (link: string) => PullRequestAnswer | undefined;
  let links: string[];
  let changes: number;
  let near: () => Promise<ReadonlyMap<string, PullRequestState>>;
  let nearAsked: number;
  let opened: PullRequestStates;

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'states', 'pull-requests.json');
    clock = new ManualClock();
    asked = [];
    links = [linkOf(1)];
    changes = 0;
    nearAsked = 0;
    near = () => Promise.resolve(new Map());
    answer = () => ({ is: 'known', state: 'open', etag: '"1"' });
  });

  function open(): PullRequestStates {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const ask = async (link: string, etag: string | undefined): Promise<PullRequestAnswer | undefined> => {
      asked.push({ link, etag });
      return answer(link);
    };
    const askNear = (): Promise<ReadonlyMap<string, PullRequestState>> => {
      nearAsked += 1;
      return near();
    };
    const states = new PullRequestStates({ file, ask, links: () => links, near: askNear, clock, log });
    states.onDidChange(() => {
      changes += 1;
    });
    opened = states;
    return states;
  }

  /** Lets time go on, with all that the disk takes. */
  async function pass(ms: number): Promise<void> {
    await opened.idle();
    for (let left = ms; left > 0; left -= PAUSE_MS) {
      await clock.advance(Math.min(left, PAUSE_MS));
      await opened.idle();
    }
  }

  it('are asked for only when the user comes to see the list, and each at most once in a while', async () => {
    const states = open();
    states.look();
    await pass(EACH_MS);
    strictEqual(asked.length, 0);
    states.show(true);
    await pass(EACH_MS - PAUSE_MS);
    states.look();
    await pass(PAUSE_MS);
    deepStrictEqual(asked, [{ link: linkOf(1), etag: undefined }]);
    await pass(EACH_MS * 2);
    strictEqual(asked.length, 1);
    states.look();
    await pass(0);
    deepStrictEqual(asked[1], { link: linkOf(1), etag: '"1"' });
    states.show(false);
    await pass(EACH_MS * 2);
    states.look();
    await pass(0);
    strictEqual(asked.length, 2);
  });

  it('leave no timer once all were asked for, be there many, one or none', async () => {
    for (const count of [0, 1, AT_ONCE, AT_ONCE * 3]) {
      links = Array.from({ length: count }, (_, index) => linkOf(index + 1));
      asked = [];
      const states = open();
      states.show(true);
      await pass(PAUSE_MS * 2);
      deepStrictEqual([asked.length, clock.pending], [count, 0]);
      states.dispose();
      await pass(EACH_MS);
    }
  });

  it('are asked for a few at once', async () => {
    links = Array.from({ length: AT_ONCE + 1 }, (_, index) => linkOf(index + 1));
    const states = open();
    states.show(true);
    await pass(0);
    strictEqual(asked.length, AT_ONCE);
    await pass(PAUSE_MS);
    strictEqual(asked.length, AT_ONCE + 1);
    states.dispose();
  });

  it('are told when they change, remembered, and final once merged', async () => {
    answer = () => ({ is: 'known', state: 'merged' });
    const states = open();
    states.show(true);
    await pass(EACH_MS * 2);
    states.dispose();
    deepStrictEqual([states.of(linkOf(1)), asked.length, changes > 0], ['merged', 1, true]);
    const later = open();
    await later.load();
    strictEqual(later.of(linkOf(1)), 'merged');
  });

  it('stay as they are when GitHub says that nothing has changed', async () => {
    answer = () => (asked.length === 1 ? { is: 'known', state: 'closed', etag: '"2"' } : { is: 'unchanged' });
    const states = open();
    states.show(true);
    await pass(EACH_MS + PAUSE_MS);
    states.look();
    await pass(0);
    states.dispose();
    deepStrictEqual([states.of(linkOf(1)), asked.at(-1)?.etag], ['closed', '"2"']);
  });

  it('are asked for all, those first that were not asked for the longest', async () => {
    links = Array.from({ length: 60 }, (_, index) => linkOf(index + 1));
    const states = open();
    states.show(true);
    await pass(PAUSE_MS * 15);
    deepStrictEqual(
      asked.map(({ link }) => link),
      links,
    );
    states.look();
    await pass(0);
    states.dispose();
    strictEqual(asked[60]?.link, linkOf(1));
  });

  it('do not wait for one that GitHub has moved or does not show, which is not asked for at once again', async () => {
    links = [1, 2, 3].map(linkOf);
    answer = (link) => {
      if (link === linkOf(1)) {
        throw new ServiceError('notUnderstood', { effect: 'none', status: 301 });
      }
      return link === linkOf(2) ? { is: 'hidden' } : { is: 'known', state: 'closed' };
    };
    const states = open();
    states.show(true);
    await pass(PAUSE_MS);
    states.dispose();
    strictEqual(states.of(linkOf(3)), 'closed');
    deepStrictEqual(
      asked.map(({ link }) => link),
      links,
    );
  });

  it('are asked for later where nobody answers', async () => {
    links = [1, 2].map(linkOf);
    answer = () => {
      throw new ServiceError('unreachable', { effect: 'none' });
    };
    const states = open();
    states.show(true);
    await pass(EACH_MS - PAUSE_MS);
    states.look();
    await pass(PAUSE_MS * 2);
    deepStrictEqual([asked.length, clock.pending], [1, 0]);
    states.look();
    await pass(0);
    strictEqual(asked.length, 2);
    states.dispose();
  });

  it('are left alone for a long time when GitHub wants less, and when it does not say how long', async () => {
    answer = () => ({ is: 'limited' });
    const states = open();
    states.show(true);
    await pass(BACK_OFF_MS - PAUSE_MS);
    states.look();
    await pass(PAUSE_MS * 2);
    deepStrictEqual([asked.length, clock.pending], [1, 0]);
    states.look();
    await pass(0);
    strictEqual(asked.length, 2);
    states.dispose();
  });

  it('are not known without a session, nor from a file of another shape', async () => {
    answer = () => undefined;
    const states = open();
    states.show(true);
    await pass(0);
    states.dispose();
    strictEqual(states.of(linkOf(1)), undefined);
    const [folder] = [await temporaryFolder()];
    file = join(folder, 'states.json');
    await writeFile(file, JSON.stringify({ [linkOf(1)]: { state: 'gone', at: 1 }, [linkOf(2)]: 7, x: null }));
    const other = open();
    await other.load();
    deepStrictEqual([other.of(linkOf(1)), other.of(linkOf(2))], [undefined, undefined]);
  });

  it('of the local service are asked for when the user looks, and not by the clock, which would keep it awake', async () => {
    links = [];
    const states = open();
    states.look();
    await pass(PAUSE_MS);
    strictEqual(nearAsked, 0);
    states.show(true);
    await pass(EACH_MS);
    strictEqual(nearAsked, 1);
    near = () =>
      Promise.resolve(
        new Map<string, PullRequestState>([
          ['local:p/1/a', 'merged'],
          ['local:p/2/b', 'open'],
        ]),
      );
    const before = changes;
    states.look();
    await pass(0);
    deepStrictEqual([nearAsked, states.of('local:p/1/a'), states.of('local:p/2/b')], [2, 'merged', undefined]);
    strictEqual(changes, before + 1);
    states.dispose();
    const later = open();
    await later.load();
    strictEqual(later.of('local:p/1/a'), 'merged');
  });

  it('of the local service are asked for again where the user came back during a question, and harm none of the others', async () => {
    const states = open();
    near = () => {
      states.look();
      near = () => Promise.resolve(new Map<string, PullRequestState>([['local:p/1/a', 'closed']]));
      return Promise.reject(new Error('it was stopped'));
    };
    states.show(true);
    await pass(0);
    deepStrictEqual([nearAsked, states.of('local:p/1/a'), states.of(linkOf(1))], [2, 'closed', 'open']);
    states.dispose();
  });
});
