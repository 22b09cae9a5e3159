import { type Figure, figure } from '../figures';
import { DURATION_SETS, type DurationSet } from './durations';
import { PEERS, learning, unlearned } from './policies';
import { type Outcome, type Scenario, requestsWhenOld, simulate, withRequests } from './simulation';

/** Of the first set: requests a job, and ends noticed late in per cent. */
const MOST_REQUESTS = 30;
const MOST_LATE = 7;

/** Each round: so many projects that begin without a past, and so many jobs of each. */
const PROJECTS = 10;
const JOBS = 100;
const SEED = 20261122;

/**
 * The polling policy by simulation, over three sets of job durations. The peers make as many requests a job as the product
 * does, in the same rounds.
 */
export async function measurePolling(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  const figures = DURATION_SETS.flatMap((set, index) => figuresOf(set, rounds, index === 0));
  const old = Array.from({ length: rounds }, (_, round) => requestsWhenOld(learning, [], SEED + round));
  figures.push(
    figure({ name: 'requests an hour, job older than 45 min', unit: '', ours: old, wanted: { of: 'worst', most: 60 } }),
  );
  const about =
    `By simulation, seed ${SEED}; a round is ${PROJECTS} projects of ${JOBS} jobs, each from no past on. Late is more than ` +
    '2 seconds and more than a tenth of the run. Each peer makes as many requests a job, on average. “No past” is ' +
    'the rule by which the first five runs of a project are polled, for all of them.';
  return Promise.resolve({ figures, about });
}

function figuresOf({ name, draw }: DurationSet, rounds: number, first: boolean): Figure[] {
  const scenarios = Array.from({ length: rounds }, (_, round): Scenario => {
    return { draw, projects: PROJECTS, jobs: JOBS, seed: SEED + round };
  });
  const learned = scenarios.map((scenario) => simulate(scenario, learning));
  const fresh = scenarios.map((scenario) => simulate(scenario, unlearned));
  return [
    requests(`${name}: requests a job`, learned, first),
    ...against(`${name}: noticed late`, learned, scenarios, first),
    requests(`${name}: requests a job, no past`, fresh, first),
    ...against(`${name}: noticed late, no past`, fresh, scenarios, first).slice(0, -1),
  ];
}

function requests(name: string, outcomes: readonly Outcome[], first: boolean): Figure {
  const wanted = first ? ({ of: 'median', most: MOST_REQUESTS } as const) : undefined;
  return figure({ name, unit: '', ours: outcomes.map((each) => each.requests), wanted });
}

function against(name: string, ours: readonly Outcome[], scenarios: readonly Scenario[], first: boolean): Figure[] {
  const peers = PEERS.map(({ name: peer, policy }) => {
    const outcomes = scenarios.map((scenario, round) => {
      return simulate(scenario, withRequests(ours[round]?.requests ?? NaN, scenario, policy));
    });
    return { name: peer, outcomes };
  });
  const late = peers.map(({ name: peer, outcomes }, index) => {
    const measured = outcomes.map((each) => each.late);
    const ratio = { of: 'ratio', most: 1 } as const;
    const wanted = first && index === 0 ? ({ of: 'median', most: MOST_LATE } as const) : ratio;
    return figure({ name, unit: '%', ours: ours.map((each) => each.late), peer: { name: peer, measured }, wanted });
  });
  const root = peers.at(-1);
  const waited = { name: root?.name ?? '', measured: root?.outcomes.map((each) => each.waited) ?? [] };
  const title = name.replace('noticed late', 'mean wait');
  return [...late, figure({ name: title, unit: 's', ours: ours.map((each) => each.waited), peer: waited })];
}
