import { startService } from '../../support/serviceProcess';
import { createSampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { type Figure, figure } from '../figures';
import { asker } from './requests';

const QUEUED = 1000;

/** Measures how long the service takes to listen again, with a thousand waiting jobs and with none. */
export async function measureRestart(rounds: number): Promise<Figure[]> {
  const [full, empty] = [await folders(), await folders()];
  const agentCommand = ['sleep', '600'];
  const filling = await startService({ ...full, agentCommand, rateLimit: 1_000_000 });
  const ask = asker(filling.port, { authorization: `Bearer ${filling.key}` });
  for (let index = 0; index < QUEUED; index++) {
    await ask('POST', `/v2/agent/${filling.projectId}/job`, { prompt: `Document part ${index}` });
  }
  ask.close();
  await filling.stop();
  const start = async (at: { repo: string; data: string }): Promise<number> => {
    const from = performance.now();
    const service = await startService({ ...at, agentCommand });
    const time = performance.now() - from;
    await service.stop();
    return time;
  };
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await start(full));
    theirs.push(await start(empty));
  }
  const name = `start with ${QUEUED.toLocaleString('en')} queued jobs`;
  return [figure({ name, unit: 'ms', ours, peer: { name: 'start with none', measured: theirs } })];
}

async function folders(): Promise<{ repo: string; data: string }> {
  const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
  await createSampleRepository(repo);
  return { repo, data };
}
