import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { QuotaFiles } from '../../../../src/jobs/store/quotaFiles';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

describe('QuotaFiles', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'budget-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function taken(budget: QuotaFiles, now: number, name = 'p create'): Promise<string | number> {
    const answer = await budget.acquire(name, now);
    return 'place' in answer ? answer.place : answer.waitMs;
  }

  it('grants slots up to the limit and then returns the wait until one is free', async () => {
    const budget = new QuotaFiles(root, 3);
    for (const at of [0, 1000, 2000]) {
      assert.equal(typeof (await taken(budget, START + at)), 'string');
    }
    assert.equal(await taken(budget, START + 3000), HOUR - 3000);
    assert.equal(typeof (await taken(budget, START + HOUR)), 'string');
    assert.equal(await taken(budget, START + HOUR), 1000);
  });

  it('counts each name separately and survives a restart', async () => {
    await taken(new QuotaFiles(root, 1), START);
    assert.equal(await taken(new QuotaFiles(root, 1), START + 1), HOUR - 1);
    assert.equal(typeof (await taken(new QuotaFiles(root, 1), START + 1, 'p followUp')), 'string');
  });

  it('grants a slot again after it was given back', async () => {
    const budget = new QuotaFiles(root, 1);
    const place = await taken(budget, START);
    await budget.release('p create', String(place));
    assert.equal(await taken(budget, START + 1), place);
  });

  it('never grants more slots than the limit within any hour', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: HOUR / 2 }), { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.uuid(), waits, async (name, steps) => {
        const budget = new QuotaFiles(root, 5);
        const times: number[] = [];
        let now = START;
        for (const step of steps) {
          now += Math.floor(step / 8);
          if (typeof (await taken(budget, now, name)) === 'string') {
            times.push(now);
          }
        }
        for (const end of times) {
          assert.ok(times.filter((at) => at > end - HOUR && at <= end).length <= 5);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('does not exceed the limit when many windows take slots at once', async () => {
    const windows = Array.from({ length: 8 }, () => new QuotaFiles(root, 20));
    const tries = windows.flatMap((window) => Array.from({ length: 5 }, () => taken(window, Date.now())));
    const answers = await Promise.all(tries);
    const places = answers.filter((answer) => typeof answer === 'string');
    assert.equal(places.length, 20);
    assert.equal(new Set(places).size, 20);
  });

  it('keeps few files however long it is used', async () => {
    const budget = new QuotaFiles(root, 2);
    for (let n = 0; n < 20; n++) {
      await taken(budget, START + n * HOUR);
    }
    const [folder = ''] = await readdir(root);
    assert.ok((await readdir(join(root, folder))).length <= 4);
  });

  it('grants slots after the clock was set back', async () => {
    const budget = new QuotaFiles(root, 1);
    await taken(budget, START);
    assert.equal(typeof (await taken(budget, START - 24 * HOUR)), 'string');
  });

  it('does not exceed the limit on two machines whose clocks differ by two minutes', async () => {
    const [one, two] = [new QuotaFiles(root, 4), new QuotaFiles(root, 4)];
    const got = [
      await taken(one, START),
      await taken(one, START),
      await taken(two, START - 120_000),
      await taken(two, START - 120_000),
      await taken(two, START - 120_000),
      await taken(one, START),
    ];
    assert.deepEqual(
      got.map((place) => typeof place),
      ['string', 'string', 'string', 'string', 'number', 'number'],
    );
  });

  it('ignores slots further in the future than clocks can differ', async () => {
    const budget = new QuotaFiles(root, 1);
    await taken(budget, START + 600_000);
    assert.equal(typeof (await taken(budget, START)), 'string');
  });

  it('returns how many slots are left and when the next one is free', async () => {
    const budget = new QuotaFiles(root, 3);
    assert.deepEqual(await budget.peek('p create', START), { left: 3, nextMs: 0 });
    await taken(budget, START);
    await taken(budget, START + 1000);
    assert.deepEqual(await budget.peek('p create', START + 2000), { left: 1, nextMs: HOUR - 2000 });
    assert.deepEqual(await budget.peek('p create', START + HOUR + 500), { left: 2, nextMs: 500 });
    assert.deepEqual(await budget.peek('another', START), { left: 3, nextMs: 0 });
  });
});
