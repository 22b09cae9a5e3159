import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { GATHER_MS } from '../../../src/jobs/notices';
import { type SharedPorts, TestWindow, home, createSharedPorts, wireJob } from '../../support/testWindow';

interface Act {
  do: 'create' | 'end' | 'see' | 'look' | 'open' | 'close';
  n: number;
}

interface Pass {
  do: 'away' | 'wait';
}

type Step = Act | Pass;

const n = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom<Act['do'][]>('create', 'end', 'see', 'look', 'open', 'close'), n }),
  fc.record({ do: fc.constantFrom('away' as const, 'wait' as const) }),
);

/** Up to three windows, a user who focuses at most one of them, and jobs that end at any time. */
class WindowSimulation {
  readonly world: SharedPorts = createSharedPorts();
  readonly windows: TestWindow[] = [];
  /** Every window ever opened, including closed ones. */
  readonly all: TestWindow[] = [];
  readonly running = new Set<string>();
  private made = 0;

  constructor() {
    this.world.api.retrieve = async (_home, id) => wireJob(this.running.has(id) ? 'active' : 'completed', { id });
  }

  async open(): Promise<void> {
    this.windows.forEach((window) => window.look(false));
    const window = await new TestWindow(this.world).open();
    this.windows.push(window);
    this.all.push(window);
  }

  async run(step: Step): Promise<void> {
    if (!('n' in step)) {
      if (step.do === 'wait') {
        await this.world.clock.advance(90_000);
      } else {
        this.windows.forEach((window) => window.look(false));
      }
      return;
    }
    const window = this.windows[step.n % Math.max(1, this.windows.length)];
    if (step.do === 'open' || window === undefined) {
      return this.windows.length < 3 ? this.open() : undefined;
    }
    await this.inWindow(step.do, window, step.n);
  }

  private async inWindow(what: Act['do'], window: TestWindow, number: number): Promise<void> {
    const job = window.store.jobs[number % Math.max(1, window.store.jobs.length)];
    switch (what) {
      case 'create': {
        const id = `job${++this.made}`;
        this.running.add(id);
        this.world.api.creates = [wireJob('active', { id })];
        await window.create(home, id);
        return;
      }
      case 'end':
        this.running.delete(job?.snapshot?.id ?? '');
        return;
      case 'see':
        if (job !== undefined) {
          await window.store.append(job.key, { type: 'seen', at: this.world.clock.now() });
        }
        return;
      case 'look':
        this.windows.forEach((each) => each !== window && each.look(false));
        window.look(true);
        return;
      default:
        this.windows.splice(this.windows.indexOf(window), 1);
        window.close();
    }
  }
}

describe('run end notifications across windows', () => {
  it('are shown exactly once unless already seen, and only while a window has focus', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const simulation = new WindowSimulation();
        await simulation.open();
        for (const each of steps) {
          const before = simulation.all.flatMap(({ told }) => told).length;
          await simulation.run(each);
          if (each.do === 'away' || (each.do === 'wait' && simulation.windows.every((window) => !window.isInFront))) {
            deepStrictEqual(simulation.all.flatMap(({ told }) => told).length, before, 'told to nobody');
          }
        }
        simulation.running.clear();
        await simulation.open();
        await simulation.world.clock.advance(120_000 + GATHER_MS);
        const told = simulation.all.flatMap((window) => window.told.flat());
        deepStrictEqual(new Set(told).size, told.length, 'told twice');
        const untold =
          simulation.all.at(-1)?.store.jobs.filter(({ key, unseen }) => unseen && !told.includes(key)) ?? [];
        deepStrictEqual(untold, []);
        simulation.windows.forEach((window) => window.close());
      }),
      { numRuns: 150 },
    );
  });
});
