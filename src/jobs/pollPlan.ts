import { type PollPlan, usualGap } from './pollSchedule';
import { shareEndedBy } from './runLengths';

/** With fewer past runs than this there is no plan. */
const FEWEST_RUNS = 5;

/** From so many of the last runs a plan is made: older ones tell little of today's, and each costs time. */
const MOST_RUNS = 50;

/** The ages between which polls are placed, in seconds: each second at first, then steps of a hundredth of the age. */
const SECONDS = 100;
const STEP = 1.01;
const LAST = 2700;
const AGES = Float64Array.from(
  { length: SECONDS + Math.ceil(Math.log(LAST / SECONDS) / Math.log(STEP)) + 1 },
  (_, i) => (i <= SECONDS ? i : Math.min(LAST, SECONDS * STEP ** (i - SECONDS))),
);

/** The shortest and the longest time between two polls, in seconds. */
const SHORTEST = 2;
const LONGEST = 60;

/** However unlike the past a run may be: no gap is longer than so many of the rule for all. */
const STRETCH = 3;

/** The share of the requests expected by the rule for all that come to as many: the estimate has longer tails than life. */
const BUDGET = 0.91;

/** A run that waits as long as it took costs as much as so many that are noticed late: weighed by simulation. */
const WAITING = 2;

/** How often the price of a request is halved in, in search of the one that spends the budget. */
const SEARCHES = 10;

/**
 * Places the polls where this project's runs end: about as many requests as by the rule for all, fewer ends noticed late.
 *
 * Each way of polling is a path through the grid of ages. A step costs a request for the runs that are still under way,
 * the share of runs that it notices late, and what those that it notices wait, measured by their length. The cheapest
 * path from each age on is found from the last age backwards (Bellman); the price of a request is what spends the budget.
 *
 * @param runs how long past runs took, in milliseconds, the last ones last; with too few there is no plan
 */
export function planAfter(runs: readonly number[]): PollPlan | undefined {
  if (runs.length < FEWEST_RUNS) {
    return undefined;
  }
  const lengths = runs.slice(-MOST_RUNS).map((ms) => ms / 1000);
  const ended = shareEndedBy(lengths, AGES);
  const expected: Runs = {
    ended,
    late: AGES.map((age) => shareAt(ended, lateBefore(age))),
    perLength: sharesByLength(ended),
    longest: AGES.map((age) => Math.min(LONGEST, STRETCH * usualGap(age))),
  };
  const budget = BUDGET * requestsUsual(ended);
  let [cheap, dear] = [1e-5, 1];
  for (let search = 0; search < SEARCHES; search += 1) {
    const price = Math.sqrt(cheap * dear);
    [cheap, dear] = cheapestPath(expected, price).requests > budget ? [price, dear] : [cheap, price];
  }
  const { next } = cheapestPath(expected, dear);
  return { gapAt: (age) => Math.min(LONGEST, Math.max(SHORTEST, (next[placeOf(age)] ?? LAST) - age)) };
}

/** The last age of the grid that is not above this one. */
function placeOf(age: number): number {
  const place = age <= SECONDS ? Math.floor(age) : SECONDS + Math.floor(Math.log(age / SECONDS) / Math.log(STEP));
  return Math.min(AGES.length - 1, Math.max(0, place));
}

/** What is expected of the runs, for each age of the grid. */
interface Runs {
  /** The share that has ended. */
  ended: Float64Array;
  /** The share that ended so early that a poll now is late. */
  late: Float64Array;
  /** The sum of the shares that have ended, each divided by the length of its runs. */
  perLength: Float64Array;
  /** The longest time until the next poll, in seconds. */
  longest: Float64Array;
}

/** For each age of the grid the age of the next poll, and how many requests a run takes on average. */
function cheapestPath(
  { ended, late, perLength, longest }: Runs,
  price: number,
): { next: Float64Array; requests: number } {
  const count = AGES.length;
  const [cost, requests, next] = [new Float64Array(count), new Float64Array(count), new Float64Array(count).fill(LAST)];
  for (let from = count - 2; from >= 0; from -= 1) {
    let [best, least] = [count - 1, Infinity];
    for (let to = from + 1; to < count && at(AGES, to) - at(AGES, from) <= at(longest, from); to += 1) {
      if (at(AGES, to) - at(AGES, from) >= SHORTEST) {
        const missed = Math.max(0, at(late, to) - at(ended, from));
        const noticed = at(ended, to) - at(ended, from);
        const waited = at(AGES, to) * (at(perLength, to) - at(perLength, from)) - noticed;
        const all = missed + WAITING * waited + at(cost, to);
        [best, least] = all < least ? [to, all] : [best, least];
      }
    }
    const running = 1 - at(ended, from);
    cost[from] = (least === Infinity ? 0 : least) + price * running;
    requests[from] = running + at(requests, best);
    next[from] = at(AGES, best);
  }
  return { next, requests: at(requests, 0) };
}

/** Runs that ended before this are noticed late at this age; a little early, because polls are spread at random. */
function lateBefore(age: number): number {
  return Math.min(age - 0.9 * 2, age / (1 + 0.9 * 0.1));
}

function sharesByLength(ended: Float64Array): Float64Array {
  const sums = new Float64Array(AGES.length);
  for (let i = 1; i < sums.length; i += 1) {
    const length = Math.max(10, (at(AGES, i) + at(AGES, i - 1)) / 2);
    sums[i] = at(sums, i - 1) + (at(ended, i) - at(ended, i - 1)) / length;
  }
  return sums;
}

/** How many requests a run takes on average up to the last age, by the rule for all. */
function requestsUsual(ended: Float64Array): number {
  let requests = 0;
  for (let age = 0; age < LAST; age += usualGap(age)) {
    requests += 1 - shareAt(ended, age);
  }
  return requests;
}

/** The share of runs that ended by any age, between two ages of the grid in proportion. */
function shareAt(ended: Float64Array, age: number): number {
  if (age <= 0) {
    return 0;
  }
  const place = Math.min(AGES.length - 2, placeOf(age));
  const [from, to] = [at(AGES, place), at(AGES, place + 1)];
  return at(ended, place) + ((at(ended, place + 1) - at(ended, place)) * (age - from)) / (to - from);
}

function at(numbers: Float64Array, index: number): number {
  return numbers[index] ?? 0;
}
