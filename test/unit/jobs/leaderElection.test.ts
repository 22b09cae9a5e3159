import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { HEARTBEAT_MS, LeaderElection, MISSED_BEATS } from '../../../src/jobs/leaderElection';
import type { LeaderRecord } from '../../../src/jobs/ports';
import { ManualClock } from '../../support/manualClock';
import { MemoryLeader } from '../../support/memoryStores';

describe('LeaderElection', () => {
  let clock: ManualClock;
  let file: MemoryLeader;
  let elections: LeaderElection[];
  let notes: string[];

  beforeEach(() => {
    clock = new ManualClock();
    file = new MemoryLeader();
    elections = [];
    notes = [];
  });

  function election(window: string, reached: () => Promise<void> = () => Promise.resolve()): LeaderElection {
    const ignore = (): void => undefined;
    const log = { info: ignore, warn: ignore, error: ignore };
    const failing = (): LeaderRecord['failing'] => [[`job of ${window}`, { failure: 'timeout' }]];
    const onHeard = (heard: LeaderRecord['failing']): void =>
      void notes.push(...heard.map(([key]) => `${window} heard ${key}`));
    const made = new LeaderElection({ file, uiProbe: { ping: reached }, clock, window, failing, onHeard, log });
    elections.push(made);
    return made;
  }

  async function beats(count: number): Promise<boolean[]> {
    await clock.advance(count * HEARTBEAT_MS);
    return elections.map(({ leads }) => leads);
  }

  it('does not participate and sets no timer while there is nothing to do', async () => {
    const one = election('a');
    await clock.advance(60_000);
    deepStrictEqual([one.leads, clock.pending], [false, 0]);
    one.setParticipating(true);
    deepStrictEqual(await beats(1), [true]);
    one.setParticipating(false);
    deepStrictEqual([one.leads, clock.pending], [false, 0]);
  });

  it('elects one window, and the next one as soon as that window closes', async () => {
    ['a', 'b', 'c'].forEach((name) => election(name).setParticipating(true));
    deepStrictEqual(await beats(2), [true, false, false]);
    elections[0]?.dispose();
    deepStrictEqual(await beats(2), [false, true, false]);
  });

  it('leaves no record behind that was being written when its window closed', async () => {
    const update = file.update.bind(file);
    file.update = async (change) => {
      await new Promise<void>((resolve) => void clock.after(100, resolve));
      return update(change);
    };
    const one = election('a');
    one.setParticipating(true);
    await clock.advance(50);
    one.dispose();
    await clock.advance(1000);
    deepStrictEqual(file.record, undefined);
  });

  it('elects the next window when the leader dies', async () => {
    const crashed = election('a');
    crashed.setParticipating(true);
    election('b').setParticipating(true);
    await beats(2);
    file.remove = () => undefined;
    crashed.dispose();
    deepStrictEqual(await beats(MISSED_BEATS - 1), [false, false]);
    deepStrictEqual(await beats(1), [false, true]);
  });

  it('elects a new window at once if the leader died some time ago', async () => {
    file.record = { window: 'dead', beat: 7, at: clock.now() - (MISSED_BEATS + 1) * HEARTBEAT_MS, failing: [] };
    election('a').setParticipating(true);
    deepStrictEqual(await beats(0), [true]);
  });

  it('takes leadership from a window with an unresponsive user interface', async () => {
    let reach: () => void = () => undefined;
    let hangs = false;
    election('a', () => (hangs ? new Promise((resolve) => (reach = resolve)) : Promise.resolve())).setParticipating(
      true,
    );
    election('b').setParticipating(true);
    deepStrictEqual(await beats(2), [true, false]);
    hangs = true;
    deepStrictEqual(await beats(MISSED_BEATS + 2), [false, true]);
    hangs = false;
    reach();
    deepStrictEqual(await beats(2), [false, true]);
  });

  it('agrees on one leader after two windows have written the file at the same moment', async () => {
    ['a', 'b'].forEach((name) => election(name).setParticipating(true));
    await beats(2);
    file.record = { window: 'b', beat: 1, at: clock.now(), failing: [] };
    deepStrictEqual(await beats(2), [false, true]);
  });

  it('keeps the leader when the machine wakes up', async () => {
    ['a', 'b'].forEach((name) => election(name).setParticipating(true));
    await beats(3);
    clock.sleep(43_200_000);
    const led: boolean[] = [];
    elections[1]?.onDidChange(() => led.push(elections[1]?.leads === true));
    await beats(4);
    deepStrictEqual(led, []);
  });

  it('lets every window poll when they can’t agree', async () => {
    file.update = () => Promise.reject(new Error('EROFS'));
    ['a', 'b'].forEach((name) => election(name).setParticipating(true));
    deepStrictEqual(await beats(1), [true, true]);
  });

  it('does not lead when it stops participating during the first probe', async () => {
    const one = election('a');
    one.setParticipating(true);
    one.setParticipating(false);
    await clock.advance(0);
    strictEqual(one.leads, false);
  });

  it('passes on only what the leader says', async () => {
    ['a', 'b', 'c'].forEach((name) => election(name).setParticipating(true));
    await beats(3);
    notes.length = 0;
    await beats(1);
    deepStrictEqual(notes.toSorted(), ['b heard job of a', 'c heard job of a']);
  });
});
