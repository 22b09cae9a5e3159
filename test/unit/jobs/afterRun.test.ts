import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { pendingState } from '../../../src/jobs/jobStatus';
import type { SendResult } from '../../../src/jobs/outbox';
import { findPrompt, type OutgoingPrompt, pendingPrompts, type TrackedJob } from '../../../src/jobs/trackedJob';
import { waitsForRun } from '../../../src/jobs/waiting';
import { limit, lost, refused } from '../../support/scriptedJobApi';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

describe('follow-up that waits for the run to end', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    world.api.messages = [wireJob('active')];
    await window.create(home, 'Explain');
  });
  afterEach(() => window.close());

  const later = async (prompt: string, from = window): Promise<SendResult> =>
    (await from.outbox.followUp(from.job, prompt, { afterRun: true })).sent;
  const sent = (): string[] => world.api.calls.filter((call) => call.startsWith('message'));
  const waits = (from = window): (string | undefined)[] =>
    pendingPrompts(from.job)
      .map((prompt) => (waitsForRun(prompt) ? prompt.waiting : undefined))
      .map((waiting) => (waiting?.for === 'runEnd' ? (waiting.held ?? 'runEnd') : waiting?.for));
  const sendOf = (prompt: string): OutgoingPrompt => {
    const send = window.job.prompts.findLast((each) => each.text === prompt);
    return findPrompt(window.job, send?.id ?? '');
  };
  /** Ends the current run; the next run stays active. */
  const endRun = async (status = 'completed'): Promise<void> => {
    world.api.retrieves = [wireJob(status), wireJob('active')];
    await world.clock.advance(70_000);
  };

  it('is saved to disk and not sent while the run continues', async () => {
    const { prompt } = await later('Then translate');
    strictEqual(prompt.state, 'waiting');
    deepStrictEqual([waits(), pendingState(window.job)], [['runEnd'], 'waiting']);
    await world.clock.advance(86_400_000);
    deepStrictEqual(sent(), []);
  });

  it('is sent automatically, once, when the run ends', async () => {
    await later('Then translate');
    await endRun();
    deepStrictEqual(sent(), ['message j1 Then translate']);
    deepStrictEqual([sendOf('Then translate').state, window.job.endedAt], ['created', undefined]);
    await world.clock.advance(3_600_000);
    strictEqual(sent().length, 1);
  });

  it('is sent immediately when the run has already completed', async () => {
    await endRun();
    strictEqual((await later('Then translate')).prompt.state, 'created');
    strictEqual(sent().length, 1);
  });

  it('is sent in the order typed, each after the run started by the previous one', async () => {
    await later('one');
    await later('two');
    await later('three');
    await endRun();
    deepStrictEqual(sent(), ['message j1 one']);
    deepStrictEqual(waits(), ['runEnd', 'runEnd']);
    await endRun();
    deepStrictEqual(sent(), ['message j1 one', 'message j1 two']);
    await endRun();
    strictEqual(sent().length, 3);
  });

  for (const status of ['failed', 'archived']) {
    it(`is held when the run ends as ${status}`, async () => {
      await later('Then translate');
      await endRun(status);
      await world.clock.advance(86_400_000);
      deepStrictEqual(sent(), []);
      deepStrictEqual([waits(), pendingState(window.job)], [['ended'], 'held']);
    });
  }

  it('is sent after the user gets a failed job to complete', async () => {
    await later('Then translate');
    await endRun('failed');
    await window.followUp(window.job, 'Try again');
    deepStrictEqual(waits(), ['runEnd']);
    await endRun();
    deepStrictEqual(sent(), ['message j1 Try again', 'message j1 Then translate']);
  });

  it('is sent once and interrupts the run when the user chooses to send it now', async () => {
    await later('Then translate');
    const twice = [1, 2].map(() => window.sendAgain(window.job, sendOf('Then translate')));
    await Promise.all(twice);
    deepStrictEqual(sent(), ['message j1 Then translate']);
    deepStrictEqual(waits(), []);
    await endRun();
    strictEqual(sent().length, 1);
  });

  it('no longer waits for the run when sending it now fails', async () => {
    await later('Then translate');
    world.api.messages = [limit, wireJob('active')];
    await window.sendAgain(window.job, sendOf('Then translate'));
    deepStrictEqual(waits(), [undefined]);
    await world.clock.advance(125_000);
    strictEqual(sent().length, 2);
    strictEqual(sendOf('Then translate').state, 'created');
  });

  it('can be edited in place and discarded', async () => {
    await later('one');
    await later('two');
    const kept = await window.outbox.sendAgain(window.job, sendOf('one'), 'first', { afterRun: true });
    strictEqual((await kept.sent).prompt.state, 'waiting');
    deepStrictEqual(
      pendingPrompts(window.job).map(({ text: prompt }) => prompt),
      ['first', 'two'],
    );
    await window.outbox.discard(window.job, sendOf('two'));
    await endRun();
    await endRun();
    deepStrictEqual(sent(), ['message j1 first']);
  });

  it('stays unchanged when saving an edit fails', async () => {
    await later('one');
    const write = world.records.write.bind(world.records);
    world.records.write = (key, stamped) =>
      stamped.event.type === 'send' ? Promise.reject(new Error('ENOSPC')) : write(key, stamped);
    await rejects(window.outbox.sendAgain(window.job, sendOf('one'), 'first', { afterRun: true }), /ENOSPC/);
    deepStrictEqual(waits(), ['runEnd']);
    world.records.write = write;
    await endRun();
    deepStrictEqual(sent(), ['message j1 one']);
  });

  it('waits for an unsent earlier follow-up to be sent first', async () => {
    world.api.messages = [limit, wireJob('active')];
    await window.followUp(window.job, 'now');
    await later('then');
    world.api.retrieves = [wireJob('completed')];
    await world.clock.advance(65_000);
    deepStrictEqual(waits(), [undefined, 'earlierPrompt']);
    world.api.retrieves = [wireJob('active')];
    await world.clock.advance(60_000);
    deepStrictEqual(sent(), ['message j1 now', 'message j1 now']);
    await endRun();
    strictEqual(sent().at(-1), 'message j1 then');
  });

  it('waits for the next run end when the job resumes before the rate limit allows sending', async () => {
    await later('then');
    world.api.messages = [limit, wireJob('active')];
    await endRun();
    deepStrictEqual([sent().length, sendOf('then').waiting?.for], [1, 'rateLimit']);
    world.api.retrieves = [wireJob('active')];
    const now = await window.outbox.followUp(window.job, 'now');
    await window.outbox.sendAgain(now.job, sendOf('now'));
    await world.clock.advance(200_000);
    deepStrictEqual(sent().slice(1), ['message j1 now']);
    deepStrictEqual(waits(), ['runEnd']);
    await endRun();
    strictEqual(sent().at(-1), 'message j1 then');
  });

  it('is held while it is uncertain whether the job is idle', async () => {
    world.api.messages = [lost];
    await window.followUp(window.job, 'now');
    await later('then');
    await endRun();
    deepStrictEqual(waits(), [undefined, 'unsure']);
    await window.outbox.discard(window.job, sendOf('now'));
    await world.clock.advance(3_600_000);
    deepStrictEqual([sent().length, waits(), pendingState(window.job)], [1, ['unsure'], 'held']);
  });

  it('waits for the user while the previous follow-up is rejected', async () => {
    world.api.messages = [refused];
    await later('one');
    await later('two');
    await endRun();
    deepStrictEqual([sent().length, waits()], [1, [undefined, 'earlierPrompt']]);
    world.api.messages = [wireJob('active')];
    await window.outbox.discard(window.job, sendOf('one'));
    await world.clock.advance(1000);
    strictEqual(sent().at(-1), 'message j1 two');
  });

  it('is sent by only one of several windows', async () => {
    const others = [await new TestWindow(world).open(), await new TestWindow(world).open()];
    await later('one', others[0]);
    await later('two', others[1]);
    await endRun();
    await endRun();
    deepStrictEqual(sent(), ['message j1 one', 'message j1 two']);
    others.forEach((other) => other.close());
  });

  it('checks the disk again before it is sent', async () => {
    await later('then');
    let open = (): void => undefined;
    world.api.opening = new Promise((resolve) => (open = resolve));
    await endRun();
    // Another window sends a follow-up now, and this window has not been notified yet.
    const now = {
      type: 'send',
      at: world.clock.now(),
      promptId: 'other',
      kind: 'followUp',
      text: 'now',
      home,
    } as const;
    const folder = world.records.folders.get(window.job.key) ?? [];
    folder.push({ stamp: `${world.clock.now().toString(36).padStart(9, '0')}-other`, event: now });
    open();
    await world.clock.advance(1000);
    deepStrictEqual([sent(), waits()], [[], ['earlierPrompt', undefined]]);
    await world.clock.advance(60_000);
    deepStrictEqual(sent(), ['message j1 now']);
    await endRun();
    deepStrictEqual(sent(), ['message j1 now', 'message j1 then']);
  });

  it('yields repeatedly without delaying follow-ups to other jobs', async () => {
    const { key } = window.job;
    const first = (): TrackedJob => window.store.get(key) ?? window.job;
    world.api.creates = [wireJob('active', { id: 'j2' })];
    const { job } = await window.create(home, 'Explain the other');
    await (
      await window.outbox.followUp(first(), 'then', { afterRun: true })
    ).sent;
    let open = (): void => undefined;
    /** Another window sends a follow-up just as this one is about to, and this window has not been notified yet. */
    const giveWay = async (name: string): Promise<void> => {
      world.api.opening = new Promise((resolve) => (open = resolve));
      let ended = false;
      // The first job ends once, no matter which job is polled first; the other job keeps running.
      world.api.retrieve = (_home, id) => {
        const ends = id === 'j1' && !ended;
        ended ||= ends;
        return Promise.resolve(wireJob(ends ? 'completed' : 'active', { id }));
      };
      await world.clock.advance(70_000);
      const at = world.clock.now();
      const intent = { type: 'send', at, promptId: name, kind: 'followUp', text: name, home } as const;
      const folder = world.records.folders.get(key) ?? [];
      folder.push({ stamp: `${at.toString(36).padStart(9, '0')}-${name}`, event: intent });
    };
    await giveWay('one');
    open();
    await world.clock.advance(60_000);
    deepStrictEqual(sent(), ['message j1 one']);
    await giveWay('two');
    await window.followUp(job, 'to the other');
    deepStrictEqual(sent().length, 1, 'it waits behind the other');
    open();
    await world.clock.advance(0);
    strictEqual(sent().at(-1), 'message j2 to the other');
  });

  it('survives its window closing and is sent by a window opened after the run ended', async () => {
    await later('Then translate');
    window.close();
    await world.clock.advance(86_400_000);
    world.api.retrieves = [wireJob('completed'), wireJob('active')];
    window = await new TestWindow(world).open();
    await world.clock.advance(1000);
    deepStrictEqual(sent(), ['message j1 Then translate']);
  });

  it('is not sent while its job is removed from the list', async () => {
    await later('Then translate');
    await endRun('failed');
    await window.store.append(window.job.key, { type: 'untracked', at: world.clock.now() });
    await world.clock.advance(3_600_000);
    deepStrictEqual(sent(), []);
  });

  it('leaves no timer pending while it waits for the user', async () => {
    await later('Then translate');
    await endRun('failed');
    await world.clock.advance(10_000);
    strictEqual(world.clock.pending, 0);
  });
});
