import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '../../../../src/base/async';
import { JobStore } from '../../../../src/jobs/jobStore';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import type { OutgoingPrompt } from '../../../../src/jobs/trackedJob';
import { report, scaled, seed, seededRandom } from '../../../support/scale';
import { buildNodeScript, canMountSmallDisk, onSmallDisk } from '../../../support/machine';
import type { Fault } from './outboxProcess';

/** What the processes that died had reported before. */
class ObservedState {
  readonly kept = new Set<string>();
  readonly posted = new Map<string, number>();
  readonly refused = new Set<string>();
  /** Prompts that were sent before the end of the run that they had to wait for. */
  readonly early: string[] = [];
  operations = 0;
  private hasEnded = false;

  hear(output: string): void {
    for (const line of output.split('\n')) {
      const [, word = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
      if (word === 'kept') {
        this.kept.add(rest);
      } else if (word === 'POST') {
        this.posted.set(rest, (this.posted.get(rest) ?? 0) + 1);
        if (rest === 'later' && !this.hasEnded) {
          this.early.push(rest);
        }
      } else if (word === 'ended') {
        this.hasEnded = true;
      } else if (word === 'refused') {
        this.refused.add(rest);
      } else if (word === 'operations') {
        this.operations = Number(rest);
      }
    }
  }
}

describe('prompts on disk', () => {
  let script: string;
  let folder: string;

  before(async () => {
    script = await buildNodeScript(resolve('test/faults/jobs/store/outboxProcess.ts'));
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crashes-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The prompts that a new window reads from the files. */
  async function sendsOnDisk(root: string): Promise<Map<string, OutgoingPrompt>> {
    const errors: string[] = [];
    const note = (message: string): void => void errors.push(message);
    const log = { info: () => undefined, warn: () => undefined, error: note };
    const store = new JobStore({ files: new JobFiles(join(root, 'jobs'), log), clock, newId: () => 'x', log });
    await store.load();
    deepStrictEqual(errors, []);
    return new Map(store.jobs.flatMap((job) => job.prompts.map((prompt) => [prompt.text, prompt])));
  }

  /** A description of each broken promise. */
  async function broken(world: ObservedState, root: string): Promise<string[]> {
    const sends = await sendsOnDisk(root);
    const lost = [...world.kept].filter((prompt) => !sends.has(prompt)).map((prompt) => `${prompt} is lost`);
    const twice = [...world.posted].filter(([, times]) => times > 1).map(([prompt]) => `${prompt} was sent twice`);
    const unknown = [...world.posted.keys()]
      .filter((prompt) => !['created', 'sending', 'unconfirmed'].includes(sends.get(prompt)?.state ?? 'nothing'))
      .map((prompt) => `${prompt} was sent and is ${sends.get(prompt)?.state ?? 'unknown'}`);
    const sentAll = [...world.refused]
      .filter((prompt) => world.posted.has(prompt))
      .map((prompt) => `${prompt} was sent`);
    const stays = [...world.refused]
      .filter((prompt) => sends.has(prompt))
      .map((prompt) => `${prompt} is there after all`);
    return [...lost, ...twice, ...unknown, ...sentAll, ...stays];
  }

  async function runWithFault(operation: number, blow: Fault): Promise<ObservedState> {
    const root = await mkdtemp(join(folder, 'run-'));
    const world = new ObservedState();
    const child = spawn(process.execPath, [script, root, 'once', String(operation), blow]);
    child.stdout.setEncoding('utf8').on('data', (text: string) => world.hear(text));
    await once(child, 'close');
    deepStrictEqual(await broken(world, root), [], `${blow} at operation ${operation}`);
    return world;
  }

  it('survive a kill before and after each file operation', async function () {
    this.timeout(600_000);
    const { operations } = await runWithFault(0, 'EIO');
    ok(operations > 40, `${operations} operations`);
    const strikes = faultCases(operations, (['kill after', 'kill before'] as const).slice(0, scaled(1, 2)));
    await inParallel(strikes, async ([at, blow]) => {
      await runWithFault(at, blow);
    });
    report({ promise: 'L1', what: `${strikes.length} kills at operations on a file`, figure: '0 prompts lost' });
  });

  it('that wait for the end of a run survive a kill at each file operation and are sent once, after the run', async function () {
    this.timeout(600_000);
    const run = async (...words: string[]): Promise<ObservedState> => {
      const root = await mkdtemp(join(folder, 'run-'));
      const world = new ObservedState();
      for (const each of [words, ['again']]) {
        const child = spawn(process.execPath, [script, root, ...each]);
        child.stdout.setEncoding('utf8').on('data', (text: string) => world.hear(text));
        await once(child, 'close');
      }
      const what = words.join(' ');
      deepStrictEqual([await broken(world, root), world.early], [[], []], what);
      const state = (await sendsOnDisk(root)).get('later')?.state;
      // A process that died with the claim may have sent it; in every other case it was sent.
      const wasLost = world.kept.has('later') && !['created', 'sending', 'unconfirmed'].includes(state ?? '');
      ok(!wasLost, `${what}: it is ${state ?? 'nowhere'}`);
      return world;
    };
    const { operations, posted } = await run('waits', '0', 'EIO');
    strictEqual(posted.get('later'), 1);
    const strikes = faultCases(operations, (['kill after', 'kill before'] as const).slice(0, scaled(1, 2)));
    let gone = 0;
    await inParallel(strikes, async ([at, blow]) => {
      const world = await run('waits', String(at), blow);
      gone += world.posted.get('later') ?? 0;
    });
    ok(gone > strikes.length / 8, `it went ${gone} times in ${strikes.length} runs`);
    const what = `${strikes.length} kills while a follow-up waits for the end of a run`;
    report({ promise: 'L2', what, figure: '0 lost, 0 too early, 0 sent twice' });
  });

  it('survive a failure of each file operation, and are not sent if they cannot be saved', async function () {
    this.timeout(600_000);
    const { operations } = await runWithFault(0, 'EIO');
    const blows: Fault[] = ['ENOSPC', 'EIO', 'EROFS'];
    const codes = blows.slice(0, scaled(1, 3));
    const strikes = faultCases(operations, codes);
    await inParallel(
      strikes,
      async ([at, code]) => {
        const world = await runWithFault(at, code);
        ok(world.kept.has('one') || world.refused.has('one'), `the user was told nothing at operation ${at}`);
      },
      16,
    );
    const what = `${codes.join(', ')} at operations on a file, ${strikes.length} in all`;
    report({ promise: 'L1', what, figure: '0 prompts lost, 0 sent that were not kept' });
  });

  it('survive kills at any moment', async function () {
    this.timeout(1_200_000);
    const kills = scaled(12, 900);
    const roll = seededRandom(seed);
    let [prompts, root, world] = [0, '', new ObservedState()];
    for (let kill = 0; kill < kills; kill++) {
      if (kill % 30 === 0) {
        root = await mkdtemp(join(folder, 'run-'));
        world = new ObservedState();
      }
      const child = spawn(process.execPath, [script, root, 'loop', String(kill)]);
      child.stdout.setEncoding('utf8').on('data', (text: string) => world.hear(text));
      await once(child.stdout, 'data');
      await delay(roll() * 60);
      child.kill('SIGKILL');
      await once(child, 'close');
      if (kill % 30 === 29 || kill === kills - 1) {
        prompts += world.kept.size;
        deepStrictEqual(await broken(world, root), []);
      }
    }
    ok(prompts > kills, `${prompts} prompts`);
    report({ promise: 'L1', what: `${kills} SIGKILLs at random moments`, figure: `0 of ${prompts} prompts lost` });
  });

  it('are each claimed by one of eight processes', async () => {
    const [processes, names] = [8, scaled(100, 20_000)];
    const children = Array.from({ length: processes }, () =>
      spawn(process.execPath, [script, folder, 'claim', String(names)]),
    );
    const won: string[] = [];
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    for (const child of children) {
      child.stdout
        .setEncoding('utf8')
        .on('data', (text: string) => void won.push(...(text.match(/^won \d+$/gm) ?? [])));
      child.stdin.end('go\n');
    }
    await Promise.all(children.map((child) => once(child, 'close')));
    deepStrictEqual([won.length, new Set(won).size], [names, names]);
    report({ promise: 'L5', what: `${processes} processes claim ${names} names`, figure: '0 given twice' });
  });

  it('are rejected and not sent while the disk is full, and are accepted once there is room again', async function () {
    if (!canMountSmallDisk()) {
      console.log('      skipped: no disk can be mounted here without rights');
      this.skip();
    }
    const world = new ObservedState();
    const run = spawnSync(...onSmallDisk('size=512k', folder, script, folder, 'fill'), { encoding: 'utf8' });
    world.hear(run.stdout);
    ok(world.kept.size > 5 && world.refused.size >= 5, run.stdout + run.stderr);
    strictEqual([...world.refused].filter((prompt) => world.posted.has(prompt)).length, 0);
    ok(world.posted.has('with room'), 'it does not go on when there is room');
    const figure = `${world.kept.size} kept and sent, ${world.refused.size} refused, 0 of these sent`;
    report({ promise: 'L1', what: 'prompts on a disk that fills up (512 KiB)', figure });
  });
});

/**
 * Each operation with each fault. `npm test` covers one operation in three; the seed decides where the sequence starts.
 */
function faultCases<T>(operations: number, blows: readonly T[]): [at: number, blow: T][] {
  const every = scaled(3, 1);
  const places = Array.from({ length: operations }, (_, index) => index + 1).filter(
    (at) => at % every === seed % every,
  );
  return places.flatMap((at) => blows.map((blow): [number, T] => [at, blow]));
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>, atOnce = 3): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
