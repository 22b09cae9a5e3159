import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../../../../src/base/async';
import type { JobEvent } from '../../../../src/jobs/events';
import { JobStore } from '../../../../src/jobs/jobStore';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { writeFinishedJobs } from '../../../support/finishedJobs';
import { report, scaled, seed, seededRandom } from '../../../support/scale';

const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
const snapshot = (id: string, status: string) =>
  ({ id, status, prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null }) as const;

/** Every kind of file that a job folder can hold: records, a send claim, a notice claim. */
const NAMES = [0, 1, 2, 3, 4].map((n) => `job${n}`.padEnd(16, 'x'));

describe('records on disk', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'damage-'));
    const files = new JobFiles(root, quiet());
    for (const [index, key] of NAMES.entries()) {
      const events: JobEvent[] = [
        { type: 'send', at: 1, promptId: `s${index}`, kind: 'create', text: `Explain ${index}`, location },
        { type: 'created', at: 2, promptId: `s${index}`, job: snapshot(`j${index}`, 'active'), location },
        { type: 'changed', at: 3, run: `s${index}`, job: snapshot(`j${index}`, 'completed'), end: true },
        { type: 'seen', at: 4 },
      ];
      for (const [at, event] of events.entries()) {
        await files.write(key, { stamp: `00000000${at}-a`, event });
      }
      await files.claim(key, `claim-s${index}`);
      await files.claim(key, `notice-s${index}`);
    }
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  function quiet(): { info: () => void; warn: () => void; error: () => void } {
    const ignore = (): void => undefined;
    return { info: ignore, warn: ignore, error: ignore };
  }

  async function load(from = root): Promise<Map<string, TrackedJob>> {
    const store = new JobStore({ files: new JobFiles(from, quiet()), clock, newId: () => 'x', log: quiet() });
    await store.load();
    return new Map(store.jobs.map((job) => [job.key, job]));
  }

  it('of 2,000 jobs are all restored', async () => {
    const many = join(root, 'many');
    await writeFinishedJobs(many, 2000);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = performance.now();
      strictEqual((await load(many)).size, 2000);
      times.push(performance.now() - start);
    }
    const figure = `all back in ${Math.round(Math.min(...times))} ms, best of 5`;
    report({ promise: 'L7', what: '2,000 jobs of 4 records', figure });
  });

  it('cause no crash when they are damaged, stay on disk unchanged, and leave every other job intact', async function () {
    this.timeout(900_000);
    const damages = scaled(500, 10_000);
    const roll = seededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(roll() * from.length)] as T;
    const whole = await load();
    let stillThere = 0;
    for (let damage = 0; damage < damages; damage++) {
      const key = pick(NAMES);
      const folder = join(root, key);
      const before = (await readdir(folder)).toSorted();
      const name = pick(before);
      const path = join(folder, name);
      const content = await readFile(path);
      const damaged = damagedForm(content, roll);
      await writeFile(path, damaged);

      const jobs = await load();
      for (const other of NAMES.filter((each) => each !== key)) {
        deepStrictEqual(jobs.get(other), whole.get(other));
      }
      stillThere += jobs.has(key) ? 1 : 0;
      const after = (await readdir(folder)).toSorted();
      deepStrictEqual(after.map((each) => each.replace(/\.damaged$/, '')).toSorted(), before, 'a file was deleted');
      const aside = after.includes(name) ? path : `${path}.damaged`;
      deepStrictEqual(await readFile(aside), damaged, 'a damaged file was changed');

      await rename(aside, path);
      await writeFile(path, content);
    }
    ok(stillThere > damages * 0.95, `${damages - stillThere} jobs without a row`);
    const figure = `0 uncaught, 0 other jobs harmed, ${stillThere} of ${damages} damaged jobs still in the list`;
    report({ promise: 'L6', what: `${damages} bit flips, cuts and foreign contents`, figure });
  });
});

function damagedForm(content: Buffer, roll: () => number): Buffer {
  const at = Math.floor(roll() * Math.max(1, content.length));
  switch (Math.floor(roll() * 4)) {
    case 0:
      return content.subarray(0, at);
    case 1:
      return Buffer.concat([content.subarray(0, at), Buffer.from([Math.floor(roll() * 256)]), content.subarray(at)]);
    case 2:
      return Buffer.from('{"version":7,"event":{"type":"of a later version"}}');
    default: {
      const flipped = Buffer.from(content);
      const old = flipped[at];
      if (old !== undefined) {
        flipped[at] = old ^ (1 << Math.floor(roll() * 8));
      }
      return flipped;
    }
  }
}
