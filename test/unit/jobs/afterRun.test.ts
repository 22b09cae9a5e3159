import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { pendingState } from '../../../src/jobs/jobStatus';
import type { SendResult } from '../../../src/jobs/outbox';
import { findPrompt, type OutgoingPrompt, pendingPrompts } from '../../../src/jobs/trackedJob';
import { waitsForRun } from '../../../src/jobs/waiting';
import { badKey, limit, lost, refused } from '../../support/scriptedJobApi';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

// That it is never lost, sent twice, or sent while a run goes on is proved in test/faults/simulation.
describe('follow-up that waits for the run to end', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    world.api.messages = [wireJob('active')];
    await window.create(location, 'Explain');
  });
  afterEach(() => window.close());

  const later = async (prompt: string): Promise<SendResult> =>
    (await window.outbox.followUp(window.job, prompt, { afterRun: true })).sent;
  const sent = (): string[] =>
    world.api.calls.filter((call) => call.startsWith('message')).map((call) => call.slice('message j1 '.length));
  const waits = (): (string | undefined)[] =>
    pendingPrompts(window.job)
      .map((prompt) => (waitsForRun(prompt) ? prompt.waiting : undefined))
      .map((waiting) => (waiting?.for === 'runEnd' ? (waiting.held ?? 'runEnd') : waiting?.for));
  const promptOf = (text: string): OutgoingPrompt =>
    findPrompt(window.job, window.job.prompts.findLast((each) => each.text === text)?.id ?? '');
  /** Ends the current run; the next run stays active. */
  const endRun = async (status = 'completed'): Promise<void> => {
    world.api.retrieves = [wireJob(status), wireJob('active')];
    await world.clock.advance(70_000);
  };

  it('is sent in the order typed, each after the run started by the previous one', async () => {
    strictEqual((await later('one')).prompt.state, 'waiting');
    await later('two');
    await world.clock.advance(86_400_000);
    deepStrictEqual([sent(), waits(), pendingState(window.job)], [[], ['runEnd', 'runEnd'], 'waiting']);
    await endRun();
    deepStrictEqual([sent(), waits()], [['one'], ['runEnd']]);
    await endRun();
    deepStrictEqual(sent(), ['one', 'two']);
  });

  it('is sent at once when the run has already completed', async () => {
    await endRun();
    strictEqual((await later('one')).prompt.state, 'created');
  });

  for (const status of ['failed', 'archived']) {
    it(`is held, without a timer, when the run ends as ${status}, until a later one completes`, async () => {
      await later('one');
      await endRun(status);
      await world.clock.advance(86_400_000);
      deepStrictEqual([sent(), waits(), pendingState(window.job)], [[], ['ended'], 'held']);
      strictEqual(world.clock.pending, 0);
      await window.followUp(window.job, 'Try again');
      deepStrictEqual(waits(), ['runEnd']);
      await endRun();
      deepStrictEqual(sent(), ['Try again', 'one']);
    });
  }

  it('no longer waits for the run once the user sends it now, even if that fails', async () => {
    await later('one');
    world.api.messages = [limit, wireJob('active')];
    await window.sendAgain(window.job, promptOf('one'));
    deepStrictEqual(waits(), [undefined]);
    await world.clock.advance(125_000);
    deepStrictEqual([sent(), promptOf('one').state], [['one', 'one'], 'created']);
  });

  it('can be edited in place and discarded', async () => {
    await later('one');
    await later('two');
    const edited = await window.outbox.sendAgain(window.job, promptOf('one'), 'first', { afterRun: true });
    strictEqual((await edited.sent).prompt.state, 'waiting');
    deepStrictEqual(
      pendingPrompts(window.job).map(({ text }) => text),
      ['first', 'two'],
    );
    await window.outbox.discard(window.job, promptOf('two'));
    await endRun();
    await endRun();
    deepStrictEqual(sent(), ['first']);
  });

  it('waits for an earlier follow-up that could not be sent yet', async () => {
    world.api.messages = [limit, wireJob('active')];
    await window.followUp(window.job, 'now');
    await later('then');
    world.api.retrieves = [wireJob('completed')];
    await world.clock.advance(65_000);
    deepStrictEqual(waits(), [undefined, 'earlierPrompt']);
    world.api.retrieves = [wireJob('active')];
    await world.clock.advance(60_000);
    await endRun();
    deepStrictEqual(sent(), ['now', 'now', 'then']);
  });

  it('waits for the user while an earlier one is rejected', async () => {
    world.api.messages = [refused];
    await later('one');
    await later('two');
    await endRun();
    deepStrictEqual([sent(), waits()], [['one'], [undefined, 'earlierPrompt']]);
    world.api.messages = [wireJob('active')];
    await window.outbox.discard(window.job, promptOf('one'));
    await world.clock.advance(1000);
    deepStrictEqual(sent(), ['one', 'two']);
  });

  it('is held while it is uncertain whether the job is idle', async () => {
    world.api.messages = [lost];
    await window.followUp(window.job, 'now');
    await later('then');
    await endRun();
    deepStrictEqual(waits(), [undefined, 'unsure']);
    await window.outbox.discard(window.job, promptOf('now'));
    await world.clock.advance(3_600_000);
    deepStrictEqual([sent(), waits(), pendingState(window.job)], [['now'], ['unsure'], 'held']);
  });

  it('makes way for a follow-up that another window records at the last moment', async () => {
    await later('then');
    let open = (): void => undefined;
    world.api.opening = new Promise((resolve) => (open = resolve));
    await endRun();
    // This window has not been notified yet.
    const at = world.clock.now();
    const event = { type: 'send', at, promptId: 'other', kind: 'followUp', text: 'now', location } as const;
    const folder = world.records.folders.get(window.job.key) ?? [];
    folder.push({ stamp: `${at.toString(36).padStart(9, '0')}-other`, event });
    open();
    await world.clock.advance(1000);
    deepStrictEqual([sent(), waits()], [[], ['earlierPrompt', undefined]]);
    await world.clock.advance(60_000);
    await endRun();
    deepStrictEqual(sent(), ['now', 'then']);
  });

  it('waits for a key once the run has ended if the key was rejected meanwhile', async () => {
    const { job } = window;
    await window.outbox.followUp(job, 'then', { afterRun: true });
    world.api.creates = [badKey];
    await window.create(location, 'Explain the other');
    const second = await new TestWindow(world).open();
    await endRun();
    const last = (): OutgoingPrompt | undefined => window.store.get(job.key)?.prompts.at(-1);
    deepStrictEqual([last()?.waiting?.for, sent()], ['apiKey', []]);
    const recorded = world.records.folders.get(job.key)?.filter(({ event }) => event.type === 'needsKey');
    strictEqual(recorded?.length, 1);
    world.api.creates = [wireJob('active', { id: 'j2' })];
    window.engine.keyChanged(location.service);
    await world.clock.advance(1000);
    deepStrictEqual([last()?.state, sent()], ['created', ['then']]);
    second.close();
  });
});
