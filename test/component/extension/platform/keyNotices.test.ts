import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Emitter } from '../../../../src/base/disposable';
import { KeyNotices } from '../../../../src/extension/platform/keyNotices';
import { waitUntil } from '../../../contract/contractBench';
import { badKey, noKey } from '../../../support/scriptedJobApi';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../../support/testWindow';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('notice about a rejected or missing key', () => {
  let world: SharedPorts;
  let folder: string;
  let key: string | undefined;
  let keyChanged: Emitter<string>;
  const opened: { close: () => void }[] = [];

  beforeEach(async () => {
    world = createSharedPorts();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    folder = join(await temporaryFolder(), 'rejected-keys');
    key = 'first';
    keyChanged = new Emitter((error) => {
      throw error;
    });
  });
  afterEach(() => opened.splice(0).forEach(({ close }) => close()));

  /** Opens a window and tracks the notices that it shows. */
  const open = async () => {
    const window = await new TestWindow(world).open();
    const came = new Emitter<void>(() => undefined);
    const [told, standing] = [[] as string[], new Set<string>()];
    let dismiss = (): void => undefined;
    const notices = new KeyNotices({
      store: window.store,
      poller: window.poller,
      keys: { get: async () => key, onDidChange: keyChanged.event },
      folder,
      reached: async () => undefined,
      isInFront: () => window.isInFront,
      onDidComeToFront: came.event,
      show: (service, isMissing, gone) => {
        told.push(isMissing ? `${service} missing` : service);
        standing.add(service);
        void gone.then(() => standing.delete(service));
        return Promise.race([gone, new Promise<void>((resolve) => (dismiss = resolve))]);
      },
      clock: world.clock,
      log,
    });
    opened.push({
      close: () => {
        notices.dispose();
        window.close();
      },
    });
    return { window, notices, told, standing, come: () => came.fire(), dismiss: () => dismiss() };
  };
  /** Advances the clock and waits for the disk; repeats while `isDone` is false, because the disk may be slow. */
  const pass = async (ms: number, isDone = (): boolean => true): Promise<void> => {
    await world.clock.advance(ms);
    for (let waits = 0; waits === 0 || (waits < 50 && !isDone()); waits++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await world.clock.advance(isDone() ? 0 : 1000);
    }
  };

  it('appears once per key when background polls fail and disappears when the key changes', async () => {
    const { window, told, standing } = await open();
    await window.create(location, 'Explain');
    world.api.retrieves = [badKey];
    await pass(20_000, () => told.length > 0);
    deepStrictEqual(told, [location.service]);
    await window.create(location, 'Explain more');
    await pass(60_000, () => standing.size > 0);
    deepStrictEqual([told.length, standing.size], [1, 1]);
    key = 'second';
    keyChanged.fire(location.service);
    await pass(0, () => standing.size === 0);
    strictEqual(standing.size, 0);
    await pass(400_000);
    await waitUntil(() => told.length > 1, 5000);
    strictEqual(told.length, 2, 'this one is rejected, too');
  });

  for (const [what, lose] of [
    ['jobs can’t be checked', () => (world.api.retrieves = [noKey])],
    ['a prompt waits', () => (world.api.creates = [noKey])],
  ] as const) {
    it(`says that the key is missing when ${what} without one, once until a key is set`, async () => {
      const { window, told, standing } = await open();
      await window.create(location, 'Explain');
      key = undefined;
      lose();
      await window.create(location, 'Explain more');
      await pass(20_000, () => told.length > 0);
      deepStrictEqual([told, standing.size], [[`${location.service} missing`], 1]);
      [world.api.creates, world.api.retrieves] = [[wireJob('active')], [wireJob('active')]];
      key = 'second';
      keyChanged.fire(location.service);
      await pass(400_000, () => standing.size === 0);
      deepStrictEqual([told.length, standing.size], [1, 0]);
      // A system without a keyring loses the key at the next start.
      key = undefined;
      lose();
      await window.create(location, 'Explain most');
      await pass(400_000, () => told.length > 1);
      deepStrictEqual(told, [told[0], told[0]]);
    });
  }

  it('does not report a new key as missing or rejected while a prompt is still waiting', async () => {
    const { window, told } = await open();
    world.api.creates = [noKey];
    const { job } = await window.create(location, 'Explain');
    await window.store.append(job.key, { type: 'seen', at: 1 });
    await pass(20_000);
    deepStrictEqual(told, []);
  });

  it('appears in only one window, the one in the foreground', async () => {
    const [first, second] = [await open(), await open()];
    first.window.isInFront = false;
    second.window.isInFront = false;
    await first.window.create(location, 'Explain');
    world.api.creates = [badKey];
    await first.window.create(location, 'Explain more');
    await pass(20_000);
    deepStrictEqual([first.told, second.told], [[], []]);
    second.window.isInFront = true;
    second.come();
    await pass(2000);
    await waitUntil(() => second.told.length === 1, 5000);
    first.window.isInFront = true;
    first.come();
    await pass(2000);
    deepStrictEqual([first.told, second.told], [[], [location.service]]);
  });

  it('defers to a foreground request for a key and disappears when nothing needs a key', async () => {
    const { window, notices, told, standing } = await open();
    world.api.creates = [badKey];
    const { job, prompt } = await window.create(location, 'Explain');
    strictEqual(await notices.claim(location.service), true);
    await pass(20_000);
    deepStrictEqual(told, []);
    notices.show(location.service, false);
    strictEqual(standing.size, 1);
    await window.outbox.discard(job, prompt);
    await pass(2000, () => standing.size === 0);
    strictEqual(standing.size, 0);
  });

  it('appears again when a key is rejected after it worked in between', async () => {
    const { window, told, standing } = await open();
    await window.create(location, 'Explain');
    world.api.retrieves = [badKey];
    await pass(20_000, () => told.length > 0);
    deepStrictEqual(told, [location.service]);
    world.api.retrieves = [wireJob('active')];
    await pass(400_000, () => standing.size === 0);
    strictEqual(standing.size, 0);
    world.api.retrieves = [badKey];
    await pass(400_000);
    await pass(20_000, () => told.length > 1);
    deepStrictEqual(told, [location.service, location.service]);
  });

  it('does not appear again while one job is refused and others are answered', async () => {
    const { window, told } = await open();
    await window.create(location, 'Explain');
    world.api.creates = [badKey];
    await window.create(location, 'Explain more');
    await pass(20_000, () => told.length > 0);
    deepStrictEqual(told, [location.service]);
    await pass(400_000);
    await window.create(location, 'Explain most');
    await pass(20_000, () => told.length > 0);
    deepStrictEqual(told, [location.service]);
  });

  it('appears again after a reload if it was still open but not if it was dismissed', async () => {
    const { window, told } = await open();
    await window.create(location, 'Explain');
    world.api.retrieves = [badKey];
    await pass(20_000, () => told.length > 0);
    strictEqual(told.length, 1);
    opened.splice(0).forEach(({ close }) => close());
    const second = await open();
    await pass(20_000, () => second.told.length > 0);
    strictEqual(second.told.length, 1, 'the notice went with the window');
    second.dismiss();
    await pass(0);
    opened.splice(0).forEach(({ close }) => close());
    const third = await open();
    await pass(20_000);
    deepStrictEqual(third.told, []);
  });

  it('appears as soon as it can be recorded after the disk failed at first', async () => {
    const { window, told, come } = await open();
    await mkdir(dirname(folder), { recursive: true });
    await writeFile(folder, 'in the way');
    world.api.creates = [badKey];
    await window.create(location, 'Explain');
    await pass(20_000);
    deepStrictEqual(told, []);
    await rm(folder);
    come();
    await pass(2000, () => told.length > 0);
    deepStrictEqual(told, [location.service]);
  });
});
