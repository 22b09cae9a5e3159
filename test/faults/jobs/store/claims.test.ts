import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { report, scaled } from '../../../support/scale';

describe('claims by eight processes', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are each won by exactly one process', async function () {
    const [processes, names] = [8, scaled(50, 10_000)];
    const children = Array.from({ length: processes }, () => claimant(folder, names));
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    children.forEach((child) => child.stdin.end('go\n'));
    const won = await Promise.all(children.map(async (child) => JSON.parse(await text(child.stdout)) as string[]));
    const all = won.flat();
    const double = all.length - new Set(all).size;
    assert.equal(double, 0, 'a name was given twice');
    assert.equal(all.length, 2 * names, 'a name was given to nobody');
    assert.equal((await readdir(folder)).length, 2 * names);
    report({ promise: 'L5', what: `${processes} processes claim ${2 * names} names`, figure: `${double} given twice` });
  });
});

function claimant(folder: string, names: number): ChildProcessWithoutNullStreams {
  const script = resolve('test/faults/jobs/store/claimLoop.ts');
  return spawn(process.execPath, ['--import', 'tsx', script, folder, String(names)]);
}
