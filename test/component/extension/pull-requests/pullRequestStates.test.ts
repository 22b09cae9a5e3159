import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PullRequestAnswer } from '../../../../src/client';
import {
  AT_ONCE,
  BACK_OFF_MS,
  EACH_MS,
  PAUSE_MS,
  PullRequestStates,
} from '../../../../src/extension/platform/pullRequestStates';
import { ServiceError } from '../../../../src/protocol/errors';
import { ManualClock } from '../../../support/manualClock';
import { temporaryFolder } from '../../../support/temporaryRepository';

const linkOf = (number: number): string => `https://github.com/acme/docs/pull/${number}`;

describe('PullRequestStates', () => {
  let file: string;
  let clock: ManualClock;
  let asked: { link: string; etag: string | undefined }[];
  let answer: (link: string) => PullRequestAnswer | undefined;
  let links: string[];
  let changes: number;
  let opened: PullRequestStates;

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'states', 'pull-requests.json');
    clock = new ManualClock();
    asked = [];
    links = [linkOf(1)];
    changes = 0;
    answer = () => ({ is: 'known', state: 'open', etag: '"1"' });
  });

  function open(): PullRequestStates {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const ask = async (link: string, etag: string | undefined): Promise<PullRequestAnswer | undefined> => {
      asked.push({ link, etag });
      return answer(link);
    };
    const states = new PullRequestStates({ file, ask, links: () => links, clock, log });
    states.onDidChange(() => {
      changes += 1;
    });
    opened = states;
    return states;
  }

  /** Advances the clock step by step and waits for disk writes in between. */
  async function pass(ms: number): Promise<void> {
    await opened.idle();
    for (let left = ms; left > 0; left -= PAUSE_MS) {
      await clock.advance(Math.min(left, PAUSE_MS));
      await opened.idle();
    }
  }

  it('requests states only when the user looks at the list and limits how often it asks for each', async () => {
    const states = open();
    states.refresh();
    await pass(EACH_MS);
    strictEqual(asked.length, 0);
    states.show(true);
    await pass(EACH_MS * 2);
    deepStrictEqual(asked, [{ link: linkOf(1), etag: undefined }]);
    states.refresh();
    await pass(0);
    deepStrictEqual(asked[1], { link: linkOf(1), etag: '"1"' });
    states.show(false);
    await pass(EACH_MS * 2);
    states.refresh();
    await pass(0);
    strictEqual(asked.length, 2);
  });

  it('requests a recently checked state again as soon as it is due, and then stops', async () => {
    const states = open();
    states.show(true);
    await pass(EACH_MS / 2);
    answer = () => ({ is: 'known', state: 'open', etag: '"2"' });
    states.refresh();
    states.refresh();
    await pass(EACH_MS / 2 - 1);
    deepStrictEqual([asked.length, clock.pending], [1, 1]);
    await pass(1);
    deepStrictEqual([asked.length, clock.pending], [2, 0]);
    states.refresh();
    await pass(0);
    states.show(false);
    await pass(EACH_MS * 2);
    deepStrictEqual([asked.length, clock.pending], [2, 0]);
  });

  it('keeps the pause between batches when the user leaves the list and returns', async () => {
    links = Array.from({ length: AT_ONCE * 2 }, (_, index) => linkOf(index + 1));
    const states = open();
    states.show(true);
    await pass(0);
    states.refresh();
    states.show(false);
    states.show(true);
    await pass(PAUSE_MS - 1);
    strictEqual(asked.length, AT_ONCE);
    await pass(EACH_MS);
    deepStrictEqual([asked.length, clock.pending], [AT_ONCE * 3, 0]);
  });

  it('leaves no timer running once all states were requested, whatever their number', async () => {
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

  it('requests only a few states at a time', async () => {
    links = Array.from({ length: AT_ONCE + 1 }, (_, index) => linkOf(index + 1));
    const states = open();
    states.show(true);
    await pass(0);
    strictEqual(asked.length, AT_ONCE);
    await pass(PAUSE_MS);
    strictEqual(asked.length, AT_ONCE + 1);
    states.dispose();
  });

  it('remembers when a pull request was closed or merged, or was found to be', async () => {
    links = [linkOf(1), linkOf(2), linkOf(3)];
    answer = (link) =>
      link === linkOf(1)
        ? { is: 'known', state: 'closed' }
        : link === linkOf(2)
          ? { is: 'known', state: 'merged', endedAt: 7 }
          : { is: 'known', state: 'open' };
    const states = open();
    states.show(true);
    await pass(0);
    const found = clock.now();
    await pass(EACH_MS);
    states.refresh();
    await pass(EACH_MS);
    strictEqual(asked.filter(({ link }) => link === linkOf(1)).length > 1, true);
    deepStrictEqual(
      links.map((link) => states.endedAt(link)),
      [found, 7, undefined],
    );
    const later = open();
    await later.load();
    deepStrictEqual(
      links.map((link) => later.endedAt(link)),
      [found, 7, undefined],
    );
  });

  it('reports a changed state, stores it and never requests a merged one again', async () => {
    answer = () => ({ is: 'known', state: 'merged' });
    const states = open();
    states.show(true);
    await pass(EACH_MS * 2);
    states.dispose();
    deepStrictEqual([states.get(linkOf(1)), asked.length, changes > 0], ['merged', 1, true]);
    const later = open();
    await later.load();
    strictEqual(later.get(linkOf(1)), 'merged');
  });

  it('keeps the state when GitHub answers “not modified”', async () => {
    answer = () => (asked.length === 1 ? { is: 'known', state: 'closed', etag: '"2"' } : { is: 'unchanged' });
    const states = open();
    states.show(true);
    await pass(EACH_MS + PAUSE_MS);
    states.refresh();
    await pass(0);
    states.dispose();
    deepStrictEqual([states.get(linkOf(1)), asked.at(-1)?.etag], ['closed', '"2"']);
  });

  it('reports and stores what changes besides the state, and keeps the checks until they change', async () => {
    const details = { comments: 2, changes: { files: 2, added: 8, deleted: 1 } };
    answer = () => ({ is: 'known', state: 'open', etag: '"1"', details, checks: 'failing' });
    const states = open();
    states.show(true);
    await pass(EACH_MS);
    deepStrictEqual(states.details(linkOf(1)), { ...details, checks: 'failing' });
    const before = changes;
    answer = () => ({ is: 'unchanged' });
    states.refresh();
    await pass(EACH_MS);
    deepStrictEqual([states.details(linkOf(1)), changes], [{ ...details, checks: 'failing' }, before]);
    answer = () => ({ is: 'unchanged', checks: 'passing' });
    states.refresh();
    await pass(EACH_MS);
    deepStrictEqual([states.details(linkOf(1))?.checks, changes], ['passing', before + 1]);
    states.dispose();
    const later = open();
    await later.load();
    deepStrictEqual(later.details(linkOf(1)), { ...details, checks: 'passing' });
  });

  it('keeps the state and backs off when only the checks are refused because of a limit', async () => {
    links = [linkOf(1), linkOf(2)];
    answer = () => ({ is: 'known', state: 'open', limit: { is: 'limited', waitMs: EACH_MS * 2 } });
    const states = open();
    states.show(true);
    await pass(0);
    deepStrictEqual([states.get(linkOf(1)), asked.length], ['open', 1]);
    await pass(EACH_MS);
    strictEqual(asked.length, 1);
    await pass(EACH_MS * 2);
    states.dispose();
    strictEqual(asked.length, 2);
  });

  it('requests all states, least recently checked first', async () => {
    links = Array.from({ length: 60 }, (_, index) => linkOf(index + 1));
    const states = open();
    states.show(true);
    await pass(PAUSE_MS * 15);
    deepStrictEqual(
      asked.map(({ link }) => link),
      links,
    );
    states.refresh();
    await pass(0);
    states.dispose();
    strictEqual(asked[60]?.link, linkOf(1));
  });

  it('continues past a moved or hidden pull request and does not retry it immediately', async () => {
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
    strictEqual(states.get(linkOf(3)), 'closed');
    deepStrictEqual(
      asked.map(({ link }) => link),
      links,
    );
  });

  it('retries later when the host cannot be reached', async () => {
    links = [1, 2].map(linkOf);
    answer = () => {
      throw new ServiceError('unreachable', { effect: 'none' });
    };
    const states = open();
    states.show(true);
    await pass(EACH_MS - PAUSE_MS);
    states.refresh();
    await pass(PAUSE_MS - 1);
    deepStrictEqual([asked.length, clock.pending], [1, 1]);
    await pass(1);
    deepStrictEqual([asked.length, clock.pending], [2, 0]);
    await pass(EACH_MS);
    answer = () => ({ is: 'known', state: 'merged' });
    states.refresh();
    await pass(0);
    deepStrictEqual([states.get(linkOf(1)), asked.length], ['merged', 4]);
    states.dispose();
  });

  it('backs off for a long time when GitHub’s rate limit does not say how long to wait', async () => {
    answer = () => ({ is: 'limited' });
    const states = open();
    states.show(true);
    await pass(BACK_OFF_MS - PAUSE_MS);
    states.refresh();
    await pass(PAUSE_MS - 1);
    deepStrictEqual([asked.length, clock.pending], [1, 1]);
    await pass(1);
    deepStrictEqual([asked.length, clock.pending], [2, 0]);
    states.dispose();
  });

  it('sets no timer when GitHub asks for a pause of days', async () => {
    answer = () => ({ is: 'limited', waitMs: BACK_OFF_MS * 48 });
    const states = open();
    states.show(true);
    await pass(EACH_MS);
    states.refresh();
    await pass(EACH_MS);
    deepStrictEqual([asked.length, clock.pending], [1, 0]);
    states.dispose();
  });

  it('has no state without a session or from an invalid file', async () => {
    answer = () => undefined;
    const states = open();
    states.show(true);
    await pass(0);
    states.dispose();
    strictEqual(states.get(linkOf(1)), undefined);
    const [folder] = [await temporaryFolder()];
    file = join(folder, 'states.json');
    await writeFile(file, JSON.stringify({ [linkOf(1)]: { state: 'gone', at: 1 }, [linkOf(2)]: 7, x: null }));
    const other = open();
    await other.load();
    deepStrictEqual([other.get(linkOf(1)), other.get(linkOf(2))], [undefined, undefined]);
  });
});
