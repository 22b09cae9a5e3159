import assert from 'node:assert/strict';
import { chmod, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../../src/protocol/errors';
import { localBench } from '../../contract/contractBench';
import { testNode } from '../../support/serviceProcess';
import { canMountSmallDisk } from '../../support/machine';
import { temporaryFolder } from '../../support/temporaryRepository';

const SIZE = '24m';

describe('local service on a full disk', () => {
  it('answers 507 to a prompt, keeps its data, and accepts the prompt once there is room', async function () {
    if (!canMountSmallDisk()) {
      this.test!.title += ' (skipped: no disk in memory can be mounted here)';
      this.skip();
    }
    const data = await temporaryFolder();
    const bench = await localBench({ data, node: await nodeOnSmallDisk(data) });
    const { client, target, service } = bench;
    // The disk as the service sees it. It is mounted only in the service's namespace.
    const ballast = `/proc/${service.pid}/root${data}/ballast`;
    try {
      const first = await client.createJob(target, 'The first prompt');
      await bench.ended(first.id);

      await fill(ballast);
      const long = `A prompt that needs room ${'x'.repeat(200_000)}`;
      await assert.rejects(client.createJob(target, long), (error) => {
        assert.ok(error instanceof ServiceError, String(error));
        assert.equal(error.effect, 'refused');
        assert.match(error.detail, /disk is full/);
        return true;
      });
      assert.equal((await client.retrieveJob(target, first.id)).status, 'completed');

      await rm(ballast);
      const second = await client.createJob(target, long);
      assert.notEqual(second.id, first.id);
      assert.equal((await bench.ended(second.id)).status, 'completed');
    } finally {
      await bench.close();
    }
  });
});

/** A program that runs Node with a small disk of its own at `folder`. */
async function nodeOnSmallDisk(folder: string): Promise<string> {
  const program = join(await temporaryFolder(), 'node');
  const mount = `mount -t tmpfs -o size=${SIZE} none "$0" && exec "$@"`;
  await writeFile(program, `#!/bin/sh\nexec unshare -rm sh -c '${mount}' "${folder}" "${testNode()}" "$@"\n`);
  await chmod(program, 0o755);
  return program;
}

/** Writes until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const block = Buffer.alloc(4096); ;) {
      await file.writeFile(block);
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    await file.close();
  }
}
