import { deepStrictEqual, notDeepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { planAfter } from '../../../src/jobs/pollPlan';
import { PollPlans } from '../../../src/jobs/pollPlans';
import { type PollPlan, nextPollDelay, usualGap } from '../../../src/jobs/pollSchedule';
import { shareEndedBy } from '../../../src/jobs/runLengths';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { settle } from '../../support/manualClock';
import { trackedJob } from '../../support/trackedJob';

const minutes = (...lengths: number[]): number[] => lengths.map((length) => length * 60_000);
const alike = minutes(4, 4.1, 3.9, 4.2, 3.8, 4, 4.1, 3.9);

const gapsOf = (plan: PollPlan | undefined): (number | undefined)[] =>
  [0, 20, 60, 150, 200, 230, 260, 600].map((age) => plan?.gapAt(age));

/** The ages, in seconds, at which a job is asked for, up to this one. */
function pollsUntil(end: number, past: readonly number[]): number[] {
  const plan = planAfter(past);
  const polls: number[] = [];
  for (let age = 0; age < end;) {
    age += nextPollDelay(age * 1000, 0.5, plan) / 1000;
    polls.push(age);
  }
  return polls;
}

describe('the plan of polls', () => {
  it('is none before five runs have ended, so that the rule for all goes on', () => {
    strictEqual(planAfter([]), undefined);
    strictEqual(planAfter(minutes(4, 4, 4, 4)), undefined);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 3e6, noNaN: true }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (age, dice) => {
          strictEqual(nextPollDelay(age, dice, planAfter(minutes(4, 4, 4, 4))), nextPollDelay(age, dice));
        },
      ),
    );
  });

  it('asks often where runs end, and seldom where none did, for no more requests than the rule for all', () => {
    const [learned, usual] = [pollsUntil(250, alike), pollsUntil(250, [])];
    const between = (polls: number[], from: number, to: number): number =>
      polls.filter((age) => age >= from && age < to).length;
    ok(between(learned, 225, 255) > 2 * between(usual, 225, 255), learned.join());
    ok(between(learned, 0, 200) < between(usual, 0, 200), learned.join());
    ok(learned.length <= usual.length + 2, `${learned.length} requests against ${usual.length}`);
  });

  it('goes on asking for a job that is far older than any was', () => {
    const polls = pollsUntil(2700, minutes(0.3, 0.3, 0.3, 0.3, 0.3, 0.3));
    ok(polls.every((age, index) => age - (polls[index - 1] ?? 0) <= 60));
  });

  it('keeps its bounds whatever the clock said of past runs', () => {
    const wild = fc.array(fc.double({ min: 0, max: 1e14, noNaN: true }), { minLength: 5, maxLength: 60 });
    fc.assert(
      fc.property(wild, fc.double({ min: 0, max: 1e7, noNaN: true }), (past, age) => {
        const plan = planAfter(past);
        const gap = plan?.gapAt(age) ?? NaN;
        ok(gap >= 2 && gap <= 60, `${gap}`);
      }),
      { numRuns: 30 },
    );
  });

  it('hardly changes by a few runs that were noticed hours late, because no window was open', () => {
    const [clean, disturbed] = [pollsUntil(250, alike), pollsUntil(250, [...alike, ...minutes(300, 700)])];
    ok(Math.abs(clean.length - disturbed.length) <= 4, `${clean.length} and ${disturbed.length} requests`);
    ok(disturbed.filter((age) => age >= 225).length >= 3, disturbed.join());
  });

  it('looks at the last fifty runs only', () => {
    const many = Array.from({ length: 50 }, (_, index) => alike[index % alike.length] ?? 0);
    deepStrictEqual(gapsOf(planAfter([...minutes(20, 20, 20, 20), ...many])), gapsOf(planAfter(many)));
  });
});

describe('the share of runs that have ended', () => {
  it('grows with the age, from none to nearly all', () => {
    const ages = Float64Array.from({ length: 300 }, (_, index) => index * 20);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { minLength: 1, maxLength: 30 }),
        (lengths) => {
          const shares = shareEndedBy(lengths, ages);
          strictEqual(shares[0], 0);
          ok(shares.every((share, index) => share <= 1 && share >= (shares[index - 1] ?? 0) - 1e-6));
          ok((shares.at(-1) ?? 0) > 0.6);
        },
      ),
    );
  });

  it('rises where the runs ended', () => {
    const [before, middle, after] = shareEndedBy(Array<number>(40).fill(240), Float64Array.of(200, 240, 280));
    ok(before !== undefined && before < 0.06 && after !== undefined && after > 0.94);
    ok(middle !== undefined && Math.abs(middle - 0.5) < 0.01);
  });
});

describe('the plans of all projects', () => {
  const home = { service: 'local', projectId: 'handbook' };
  const ended = (ms: number): TrackedJob => trackedJob({ home, acceptedAt: 1000, endedAt: 1000 + ms });
  const store = (jobs: TrackedJob[], isLoaded = true): { jobs: TrackedJob[]; isLoaded: boolean } => ({
    jobs,
    isLoaded,
  });

  async function made(plans: PollPlans): Promise<PollPlan | undefined> {
    while (plans.of(home) === undefined) {
      await settle();
    }
    return plans.of(home);
  }

  it('are made of the runs in the list, each project’s of its own, and the rule for all goes on meanwhile', async () => {
    const plans = new PollPlans(store(alike.map(ended)));
    const another = { service: 'local', projectId: 'another' };
    strictEqual(plans.of(home), undefined);
    strictEqual(plans.of(another), undefined);
    strictEqual(plans.of(undefined), undefined);
    deepStrictEqual(gapsOf(await made(plans)), gapsOf(planAfter(alike)));
    strictEqual(plans.of(another), undefined);
  });

  it('are made anew only after a run has ended', async () => {
    const jobs = alike.map(ended);
    const plans = new PollPlans(store(jobs));
    const first = await made(plans);
    jobs.push(ended(20_000));
    strictEqual(plans.of(home), first);
    plans.forget(home);
    notDeepStrictEqual(gapsOf(await made(plans)), gapsOf(first));
  });

  it('are not made of a list that has been read in part', async () => {
    const list = store(alike.map(ended), false);
    const plans = new PollPlans(list);
    strictEqual(plans.of(home), undefined);
    await settle();
    strictEqual(plans.of(home), undefined);
    list.isLoaded = true;
    ok((await made(plans)) !== undefined);
  });

  it('differ from the rule for all', () => {
    const plan = planAfter(alike);
    ok((plan?.gapAt(230) ?? NaN) < usualGap(230));
  });
});
