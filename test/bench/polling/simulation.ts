import { type Dice, dice } from '../../support/dice';
import type { Durations } from './durations';
import type { Delay, Policy } from './policies';

/** What the jobs of one or more projects cost. */
export interface Outcome {
  /** Requests a job. */
  requests: number;
  /** Of a hundred jobs so many were noticed more than two seconds and more than a tenth of their run too late. */
  late: number;
  /** Seconds from the end of a job until it was noticed. */
  waited: number;
}

export interface Scenario {
  draw: Durations;
  /** Projects that begin without any past, and how many jobs each has, one after the other. */
  projects: number;
  jobs: number;
  seed: number;
}

/** Polls each job until its end is noticed; what the policy learns of it is when that was. */
export function simulate({ draw, projects, jobs, seed }: Scenario, policy: Policy): Outcome {
  const random = dice(seed);
  const sum = { requests: 0, late: 0, waited: 0 };
  for (let project = 0; project < projects; project += 1) {
    const past: number[] = [];
    for (let job = 0; job < jobs; job += 1) {
      const took = draw(random);
      const { requests, noticed } = follow(took, policy(past), random);
      past.push(noticed * 1000);
      const waited = noticed - took;
      sum.requests += requests;
      sum.waited += waited;
      sum.late += waited > 2 && waited > 0.1 * took ? 1 : 0;
    }
  }
  const all = projects * jobs;
  return { requests: sum.requests / all, late: (100 * sum.late) / all, waited: sum.waited / all };
}

/** The peer of this kind that makes as many requests a job, on average, in this scenario. */
export function withRequests(requests: number, scenario: Scenario, peer: (size: number) => Policy): Policy {
  let [dense, sparse] = [0.1, 1000];
  for (let search = 0; search < 14; search += 1) {
    const size = Math.sqrt(dense * sparse);
    [dense, sparse] = simulate(scenario, peer(size)).requests > requests ? [size, sparse] : [dense, size];
  }
  // Of the two the one that makes a little more.
  return peer(dense);
}

function follow(took: number, delay: Delay, random: Dice): { requests: number; noticed: number } {
  let [age, requests] = [0, 0];
  do {
    age += delay(age, random());
    requests += 1;
  } while (age < took);
  return { requests, noticed: age };
}

/** How many requests fall into an hour of a job that is older than 45 minutes, at the most. */
export function requestsWhenOld(policy: Policy, past: readonly number[], seed: number): number {
  const random = dice(seed);
  const delay = policy(past);
  let age = 2700;
  let requests = 0;
  while (age < 2700 + 3600) {
    age += delay(age, random());
    requests += age < 2700 + 3600 ? 1 : 0;
  }
  return requests;
}
