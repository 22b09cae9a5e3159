import { WORKER_TIMINGS } from '../../../src/team-service/worker';
import { startService } from '../../support/serviceProcess';
import { message, TeamFixture } from '../../support/teamFixture';
import { sampleRepository } from '../../support/temporaryRepository';
import { type Figure, figure } from '../figures';
import { type Ask, asker } from './requests';
import { timed } from './timed';

const STORED = 100_000;
const A_ROUND = 40;
const SHORT_JOBS = 24;
const MOST_WORKERS = 3;
const PATH = '/v2/agent/p1/job';

/** Copies of a job, with its turn and a few entries in its activity log, all of which have ended. */
const FILL = [
  `INSERT INTO jobs (id, project_id, branch, model, repository, created_at)
   SELECT 'stored' || n, 'p1', 'docs-agent/stored' || n, 'agent', 'file:///docs', now_ms() - n::bigint * 60000
   FROM generate_series(1, ${STORED}) AS n`,
  `INSERT INTO turns (job_id, project_id, operation, prompt, state, attempt, created_at, started_at, ended_at)
   SELECT id, 'p1', 'create', 'Document it', 'done', 1, created_at, created_at, created_at FROM jobs
   WHERE id LIKE 'stored%'`,
  `INSERT INTO activity (job_id, turn_id, at, entry)
   SELECT job_id, id, created_at, '{"kind":"message","text":"Reading the pages"}' FROM turns, generate_series(1, 5)
   WHERE job_id LIKE 'stored%'`,
  'ANALYZE',
];

interface Side {
  ask: Ask;
  path: string;
  job: string;
  close: () => Promise<void>;
}

/** Measures requests to the service for a team, compared with the local service, and with many jobs stored. */
export async function measureTeamRequests(rounds: number): Promise<Figure[]> {
  const [team, full, local] = [await teamSide(false), await teamSide(true), await localSide()];
  try {
    const sides = [team, full, local];
    const create = sides.map((): number[] => []);
    const get = sides.map((): number[] => []);
    // Alternates, so that other load on the machine affects all equally.
    for (let round = 0; round < rounds; round++) {
      for (const [index, { ask, path, job }] of sides.entries()) {
        create[index]?.push(...(await timed(A_ROUND, () => ask('POST', path, { prompt: 'Document it' }))));
        get[index]?.push(...(await timed(A_ROUND, () => ask('GET', `${path}/${job}`))));
      }
    }
    const row = (name: string, [ours, peer]: [number, number], peerName: string, times: number[][]): Figure =>
      figure({
        ...{ name, unit: 'ms', ours: times[ours] ?? [] },
        peer: { name: peerName, measured: times[peer] ?? [] },
        ...(ours === 1 && { wanted: { of: 'ratio', most: 1.3 } }),
      });
    const stored = `with ${STORED.toLocaleString('en')} finished jobs`;
    return [
      row('create', [0, 2], 'the local service (also asks Git)', create),
      row('get a job', [0, 2], 'the local service', get),
      row(`create ${stored}`, [1, 0], 'with few jobs', create),
      row(`get a job ${stored}`, [1, 0], 'with few jobs', get),
    ];
  } finally {
    await Promise.all([team, full, local].map((side) => side.close()));
  }
}

async function teamSide(isFull: boolean): Promise<Side> {
  const team = await TeamFixture.open();
  const { port } = await team.api({ rateLimit: 1_000_000 });
  const ask = asker(port, { authorization: `Bearer ${await team.key('p1')}` });
  const { id } = await ask('POST', PATH, { prompt: 'The first' });
  for (const statement of isFull ? FILL : []) {
    await team.administer(statement);
  }
  const close = async (): Promise<void> => {
    ask.close();
    await team.close();
  };
  return { ask, path: PATH, job: String(id), close };
}

async function localSide(): Promise<Side> {
  const repo = await sampleRepository();
  const service = await startService({ repo, agentCommand: ['sleep', '600'], rateLimit: 1_000_000 });
  const ask = asker(service.port, { authorization: `Bearer ${service.key}` });
  const path = `/v2/agent/${service.projectId}/job`;
  const { id } = await ask('POST', path, { prompt: 'The first' });
  const close = async (): Promise<void> => {
    ask.close();
    await service.stop();
  };
  return { ask, path, job: String(id), close };
}

/** Measures how fast short jobs are accepted and done, with one worker and with more. */
export async function measureTeamWorkers(rounds: number): Promise<Figure[]> {
  const create: number[][] = [];
  const done: number[][] = [];
  for (let workers = 1; workers <= MOST_WORKERS; workers++) {
    const team = await TeamFixture.open();
    try {
      const { port } = await team.api({ rateLimit: 1_000_000 });
      const ask = asker(port, { authorization: `Bearer ${await team.key('p1')}` });
      for (let count = 0; count < workers; count++) {
        await team.worker({ timings: WORKER_TIMINGS, concurrency: 1 });
      }
      let started = 0;
      const run = async (jobs: number): Promise<[number, number]> => {
        const from = performance.now();
        for (let job = 0; job < jobs; job++) {
          await ask('POST', PATH, { prompt: message(`j${started++}`, 1, 0) });
        }
        const accepted = performance.now();
        await untilAllEnded(team);
        return [accepted - from, performance.now() - from];
      };
      // Each worker clones the repository once.
      await run(2 * workers);
      const times: [number, number][] = [];
      for (let round = 0; round < rounds; round++) {
        times.push(await run(SHORT_JOBS));
      }
      create.push(times.map(([accepted]) => accepted));
      done.push(times.map(([, ended]) => ended));
      ask.close();
    } finally {
      await team.close();
    }
  }
  return [create, done].flatMap(([one = [], ...more], index) =>
    more.map((ours, place) =>
      figure({
        name: `${SHORT_JOBS} short jobs, ${index === 0 ? 'until accepted' : 'until done'}, ${place + 2} workers`,
        unit: 'ms',
        ours,
        peer: { name: 'one worker', measured: one },
      }),
    ),
  );
}

async function untilAllEnded(team: TeamFixture): Promise<void> {
  const open = "SELECT 1 FROM turns WHERE state IN ('queued', 'running', 'publishing') LIMIT 1";
  while ((await team.administer(open)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
