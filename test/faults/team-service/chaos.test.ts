import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isLongRun, report, scaled, seed, seededRandom } from '../../support/scale';
import { isDatabaseBusy } from '../../../src/team-service/store/connectDatabase';
import { createTurn, followUp, sampleJob } from '../../support/sampleTurn';
import { message, useTeam, type WorkerProcess } from '../../support/teamFixture';
import { git } from '../../support/temporaryRepository';

const WORKERS = 3;

/** How long to wait for a turn to end after the last fault, in milliseconds. */
const LIMIT_MS = 60_000;

/** How long a worker is suspended, in milliseconds: for a moment, or until others have its turns. */
const SUSPENDED_MS = [1_000, 12_000] as const;

interface Plan {
  faults: number;
  jobs: number;
  messages: number;
  /** Milliseconds between two faults, and between two messages, on average. */
  faultMs: number;
  gapMs: number;
}

/** Bugs that break a promise on purpose, to prove that the test finds them. */
const BUGS = {
  noFence: 'lets a worker go on with a turn that it has lost',
  cancelRunning: 'cancels the item of a running turn',
  throwingHandler: 'leaves a failed item in the queue',
};
type Bug = keyof typeof BUGS;

/** Fails each item that ends, as a worker does whose handler throws. */
const FAIL_ITEMS = `
  CREATE FUNCTION fail_item() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF NEW.state = ''completed'' THEN NEW.state := ''failed''; END IF; RETURN NEW; END';
  CREATE TRIGGER fail_item BEFORE UPDATE ON pgboss.job FOR EACH ROW EXECUTE FUNCTION fail_item()`;

const SHORT: Plan = { faults: 10, jobs: 6, messages: 4, faultMs: 700, gapMs: 400 };
const FULL: Plan = { faults: 1_000, jobs: 500, messages: 6, faultMs: 900, gapMs: 450 };

/** A turn, with the label of its message: `j7/2` for the second one to the job `j7`. */
const TURNS = `
  SELECT id, job_id, state, reason, substring(prompt FROM '\\[turn (\\S+) wait') AS label FROM turns ORDER BY id`;

/** Turns about which something was written after they had ended. */
const WRITTEN_LATER = `
  SELECT DISTINCT turn_id FROM activity AS later WHERE EXISTS (
    SELECT 1 FROM activity AS ended WHERE ended.turn_id = later.turn_id AND ended.id < later.id
      AND ended.entry::json->>'kind' = 'state' AND ended.entry::json->>'state' IN ('done', 'failed', 'cancelled'))`;

/** Sends a request again, as clients do after a 503, while a suspended worker holds the lock of the job. */
async function whenFree<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isDatabaseBusy(error)) {
        throw error;
      }
    }
  }
}

describe('workers of a team’s service that are killed and suspended', function () {
  this.timeout(scaled(180_000, 4 * 3_600_000));
  const used = useTeam();

  /** Kills and suspends workers while messages arrive. */
  async function run(plan: Plan, bug?: Bug): Promise<void> {
    const { team, store, queue } = used;
    const dice = seededRandom(seed);
    const isUnfenced = bug === 'noFence';
    // Workers that keep their jobs would hide a canceled item.
    const timings = bug === 'cancelRunning' ? { goneMs: 1 } : {};
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => team.worker({ isUnfenced, timings })));
    const items = (job: string, state: string) =>
      team.administer(`SELECT id FROM pgboss.job WHERE singleton_key = '${job}' AND state = '${state}'`);
    const beforeFollowUp = async (job: string): Promise<void> => {
      if (bug === 'cancelRunning') {
        for (const { id } of await items(job, 'active')) {
          await queue.boss.cancel('turns', id as string);
        }
      }
      // On a slow machine, a worker would otherwise run all turns of a job with its first item.
      const start = Date.now();
      while (bug === 'throwingHandler' && (await items(job, 'failed')).length === 0 && Date.now() - start < LIMIT_MS) {
        await delay(100);
      }
    };
    const resumed: Promise<void>[] = [];
    const suspend = (worker: WorkerProcess, ms: number): void => {
      worker.process.kill('SIGSTOP');
      resumed.push(delay(ms).then(() => void worker.process.kill('SIGCONT')));
    };
    const makeFaults = async (): Promise<void> => {
      for (let count = 0; count < plan.faults; count++) {
        await delay(plan.faultMs * (0.5 + dice()));
        const index = Math.floor(dice() * WORKERS);
        const worker = workers[index]!;
        if (isUnfenced || dice() < 0.5) {
          // Only a worker that is suspended for a long time fails to notice that it has lost a turn.
          suspend(worker, SUSPENDED_MS[isUnfenced || dice() < 0.5 ? 1 : 0]);
        } else {
          const gone = once(worker.process, 'exit');
          worker.process.kill('SIGKILL');
          await gone;
          // Half of them come back with their folders, the others are replaced by new workers.
          workers[index] = await team.worker(dice() < 0.5 ? { data: worker.data } : {});
        }
      }
    };
    const send = async (): Promise<void> => {
      for (let turn = 1; turn <= plan.messages; turn++) {
        for (let job = 1; job <= plan.jobs; job++) {
          const id = `j${job}`;
          const text = message(id, turn, isUnfenced || dice() < 0.3 ? SUSPENDED_MS[1] : Math.floor(dice() * 400));
          if (turn > 1) {
            await beforeFollowUp(id);
          }
          await whenFree(() => (turn === 1 ? createTurn(store, sampleJob({ id }), text) : followUp(store, id, text)));
          await delay(dice() * 2 * plan.gapMs);
        }
      }
    };
    if (bug === 'throwingHandler') {
      await team.administer(FAIL_ITEMS);
    }
    await Promise.all([send(), makeFaults()]);
    await Promise.all(resumed);
    const limitMs = bug === undefined ? LIMIT_MS : LIMIT_MS / 4;
    for (let [open, since] = [-1, Date.now()]; open !== 0 && Date.now() - since < limitMs;) {
      await delay(200);
      const { length } = await store.unfinishedTurns();
      [open, since] = length === open ? [open, since] : [length, Date.now()];
    }
  }

  /** Compares what agents wrote down with the tables and the branches. */
  async function findings({ jobs, messages }: Plan) {
    const { team } = used;
    const turns = (await team.administer(TURNS)) as unknown as Record<'id' | 'job_id' | 'state' | 'label', string>[];
    const journal = team.journal();
    const pages = await Promise.all(
      [...new Set(turns.map((turn) => turn.job_id))].map((job) =>
        git(team.remote, 'ls-tree', '--name-only', `docs-agent/${job}`).catch(() => ''),
      ),
    );
    const isPushed = (label: string) =>
      pages.some((names) => names.split('\n').includes(`${label.replace('/', '-')}.md`));
    const newest = new Map<string, number>();
    return {
      lost: [
        ...turns.filter(({ state }) => !['done', 'failed', 'cancelled'].includes(state)),
        ...turns.filter(({ state, label }) => state === 'done' && !isPushed(label)),
      ].map(({ label, state }) => `${label} ${state}`),
      missing: jobs * messages - turns.length,
      /** An agent found another one of the job running. */
      twice: journal.filter(({ what }) => what === 'twice'),
      outOfOrder: journal.filter(({ what, job, turn }) => {
        const last = newest.get(job) ?? 0;
        newest.set(job, what === 'start' ? Math.max(last, turn) : last);
        return what === 'start' && turn < last;
      }),
      /** For another reason than two crashes. */
      failed: turns.filter((turn) => turn.state === 'failed' && !JSON.stringify(turn).includes('workersCrashed')),
      writtenLater: await team.administer(WRITTEN_LATER),
    };
  }

  const NOTHING = { lost: [], missing: 0, twice: [], outOfOrder: [], failed: [], writtenLater: [] };

  it('lose no turn, run none twice at once, and keep their order', async () => {
    const plan = isLongRun ? FULL : SHORT;
    await run(plan);
    const found = await findings(plan);
    report({
      promise: 'A team’s jobs survive kills',
      what: `${plan.faults.toLocaleString('en')} SIGKILLs and SIGSTOPs of ${WORKERS} workers, ${plan.jobs} jobs × ${plan.messages - 1} follow-ups`,
      figure: `${found.lost.length} turns lost, ${found.twice.length} run twice at once, ${found.outOfOrder.length} out of order`,
    });
    assert.deepEqual(found, NOTHING, `seed ${seed}`);
  });

  // It takes two minutes to prove that the test above would find such bugs.
  if (isLongRun) {
    for (const [bug, what] of Object.entries(BUGS) as [Bug, string][]) {
      it(`break a promise if a bug ${what}`, async () => {
        const plan = bug === 'noFence' ? SHORT : { ...SHORT, faults: 0, gapMs: 1_000 };
        await run(plan, bug);
        assert.notDeepEqual(await findings(plan), NOTHING);
      });
    }
  }
});
