import { join } from 'node:path';
import { SqliteJobStore } from '../../../src/local-service/store/sqliteJobStore';
import { startService } from '../../support/serviceProcess';
import { createTurn } from '../../support/sampleTurn';
import { createSampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { type Figure, figure } from '../figures';
import { type Ask, asker } from './requests';
import { timed } from './timed';

const STORED = 10_000;
const A_ROUND = 40;

interface Side {
  ask: Ask;
  path: string;
  job: string;
  close: () => Promise<void>;
}

/** Measures requests to a service that stores ten thousand jobs, compared with one that stores a single job. */
export async function measureStored(rounds: number): Promise<Figure[]> {
  const [many, one] = [await side(STORED), await side(0)];
  try {
    const times = { create: [[], []], get: [[], []] } as { create: [number[], number[]]; get: [number[], number[]] };
    for (let round = 0; round < rounds; round++) {
      for (const [index, { ask, path, job }] of [many, one].entries()) {
        times.create[index]?.push(...(await timed(A_ROUND, () => ask('POST', path, { prompt: 'Document it' }))));
        times.get[index]?.push(...(await timed(A_ROUND, () => ask('GET', `${path}/${job}`))));
      }
    }
    const stored = `with ${STORED.toLocaleString('en')} jobs stored`;
    const row = (what: string, [ours, measured]: [number[], number[]]): Figure =>
      figure({ name: `${what} ${stored}`, unit: 'ms', ours, peer: { name: 'with one job stored', measured } });
    return [row('create', times.create), row('get a job', times.get)];
  } finally {
    await Promise.all([many.close(), one.close()]);
  }
}

async function side(stored: number): Promise<Side> {
  const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
  await createSampleRepository(repo);
  const settings = { repo, data, agentCommand: ['sleep', '600'], rateLimit: 1_000_000 };
  const before = await startService(settings);
  const headers = { authorization: `Bearer ${before.key}` };
  const path = `/v2/agent/${before.projectId}/job`;
  const asking = asker(before.port, headers);
  const { id } = await asking('POST', path, { prompt: 'The first' });
  asking.close();
  await before.stop();
  await fill(data, String(id), stored);
  const service = await startService({ ...settings, key: before.key });
  const ask = asker(service.port, headers);
  return {
    ask,
    path,
    job: String(id),
    close: async () => {
      ask.close();
      await service.stop();
    },
  };
}

/** Adds ended jobs that are copies of an existing one. */
async function fill(data: string, like: string, count: number): Promise<void> {
  let now = 0;
  const store = SqliteJobStore.open(join(data, 'service.db'), () => now);
  const job = await store.job(like);
  if (job === undefined) {
    throw new Error('the service has no such job');
  }
  for (let index = 0; index < count; index++) {
    now = job.createdAt - index;
    const id = `stored${index}`;
    const turn = await createTurn(store, { ...job, id, branches: [`docs-agent/${id}`] }, `Document part ${index}`);
    await store.finishTurn(turn, 'done');
  }
  await store.close();
}
