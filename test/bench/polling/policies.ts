import { nextPollDelay } from '../../../src/jobs/pollSchedule';
import { planAfter } from '../../../src/jobs/pollPlan';

/** Seconds until the next poll of a job of this age, in seconds, with a number in [0, 1) for the jitter. */
export type Delay = (age: number, random: number) => number;

/** A way of polling the jobs of one project: how to poll the next one, after those that have ended. */
export type Policy = (noticedMs: readonly number[]) => Delay;

/** The product's, which learns from how long the project's runs took as it has noticed it. */
export const learning: Policy = (noticedMs) => {
  const plan = planAfter(noticedMs);
  return (age, random) => nextPollDelay(age * 1000, random, plan) / 1000;
};

/** The product's, as long as a project has no past. */
export const unlearned: Policy = () => (age, random) => nextPollDelay(age * 1000, random) / 1000;

/** What others do, each with one number that says how densely: the larger, the fewer requests. */
export const PEERS: readonly { name: string; policy: (size: number) => Policy }[] = [
  { name: 'a fixed interval', policy: (size) => () => spread(() => size) },
  // Twice as long each time from two seconds on, so always the age and two seconds more.
  { name: 'doubling up to a limit', policy: (size) => () => spread((age) => Math.min(size, age + 2)) },
  {
    name: 'the square root of the age',
    policy: (size) => () => spread((age) => Math.min(60, Math.max(2, size * Math.sqrt(age)))),
  },
];

/** With the jitter of the product, a tenth. */
function spread(gap: (age: number) => number): Delay {
  return (age, random) => gap(age) * (0.9 + 0.2 * random);
}
