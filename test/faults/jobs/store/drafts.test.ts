import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '../../../../src/base/async';
import { DraftFiles } from '../../../../src/jobs/store/draftFiles';
import { report, scaled, seed, seededRandom } from '../../../support/scale';
import { buildNodeScript, canMountSmallDisk, onSmallDisk } from '../../../support/machine';
import { numberOf } from './draftText';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('drafts on disk', () => {
  let root: string;
  let script: string;

  before(async () => {
    script = await buildNodeScript(resolve('test/faults/jobs/store/draftLoop.ts'));
  });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'draft-faults-'));
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('survive a kill at any moment: the saved draft is restored in full', async function () {
    this.timeout(600_000);
    const kills = scaled(12, 300);
    const random = seededRandom(seed);
    let kept = -1;
    let lost = 0;
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, [script, root, `w${kill}`, 'loop', String(kept + 1)]);
      child.stdout.setEncoding('utf8').on('data', (lines: string) => {
        kept = Number(lines.trimEnd().split('\n').at(-1));
      });
      await once(child.stdout, 'data');
      await delay(random() * 40);
      child.kill('SIGKILL');
      await once(child, 'close');
      const found = await new DraftFiles({ root, writer: 'test', clock, log: silent }).newest('local/p/box');
      const number = numberOf(found?.text ?? '');
      lost += number === undefined || number < kept ? 1 : 0;
      kept = Math.max(kept, number ?? 0);
    }
    const files = (await readdir(join(root, 'local/p'))).filter((name) => name.endsWith('.md'));
    assert.equal(lost, 0, `texts lost or torn, seed ${seed}`);
    assert.ok(kept > kills, `only ${kept} texts in ${kills} runs`);
    assert.ok(files.length <= kills, `${files.length} files stay`);
    report({ promise: 'L1', what: `${kills} kills while a draft is typed`, figure: `${lost} of ${kept} texts lost` });
  });

  for (const [name, size, wanted] of [
    ['full', 'size=256k', 'ENOSPC'],
    ['out of names', 'nr_inodes=8', 'ENOSPC'],
  ] as const) {
    it(`keep the previous text on a disk that is ${name}`, function () {
      if (!canMountSmallDisk()) {
        console.log('      skipped: no disk can be mounted here without rights');
        this.skip();
      }
      const run = spawnSync(...onSmallDisk(size, root, script, `${root}/drafts`, 'w', 'fill'), {
        encoding: 'utf8',
      });
      const told = JSON.parse(run.stdout) as { code: string; whole: boolean; length: number };
      assert.equal(told.code, wanted);
      assert.ok(told.whole && told.length > 0, `${told.length} characters came back`);
      report({ promise: 'L1', what: `a draft on a disk that is ${name}`, figure: 'the text before comes back' });
    });
  }
});
