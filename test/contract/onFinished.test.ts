import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporaryRepository';
import { localBench, localCalls, waitUntil } from './contractBench';

describe('local service, --on-finished', () => {
  it('runs the command with each job that completes or fails, but not with one that the user stops', async () => {
    const folder = await temporaryFolder();
    const [file, gate] = [join(folder, 'told'), join(folder, 'gate')];
    const bench = await localBench({ onFinished: `cat >> '${file}'; echo "no mail" >&2; exit 3` });
    const told = async (): Promise<{ id: string; status: string; changes?: object; error?: string }[]> =>
      (await readFile(file, 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { id: string; status: string });
    try {
      const create = async (prompt: string) => (await bench.client.createJob(bench.target, prompt)).id;
      const stopped = await create(`[scripted: until ${gate}] Document the stop`);
      await localCalls(bench).cancel(stopped);
      const completed = await create('Document it');
      await bench.ended(completed);
      const failed = await create('[scripted: fail]');
      await waitUntil(async () => (await told()).length === 2);
      const [first, second] = await told();
      assert.deepEqual([first?.id, first?.status, first?.changes !== undefined], [completed, 'completed', true]);
      assert.deepEqual([second?.id, second?.status, second?.error !== undefined], [failed, 'failed', true]);
      await waitUntil(() => bench.service.output().includes('command of --on-finished ended with code 3: no mail'));
      await bench.client.sendMessage(bench.target, failed, 'Document more');
      await waitUntil(async () => (await told()).length === 3);
      assert.equal((await told())[2]?.status, 'completed');
    } finally {
      await bench.close();
    }
  });
});
