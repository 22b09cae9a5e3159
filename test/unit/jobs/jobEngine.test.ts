import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { jobStatus, pendingState } from '../../../src/jobs/jobStatus';
import { PromptNotEditableError } from '../../../src/jobs/outbox';
import { SENDING_LIMIT_MS } from '../../../src/jobs/sendLoop';
import { isListed, pendingPrompts } from '../../../src/jobs/trackedJob';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import { badKey, down, lost, noKey, refused } from '../../support/scriptedJobApi';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

/** Rare event orders that mishandled a prompt or a job before, found by code review. */
describe('jobs engine in rare event orders', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('completed')];
  });
  afterEach(() => window.close());

  const records = (): number => world.records.folders.get(window.job.key)?.length ?? 0;

  it('does not resend a prompt that became unconfirmed after the user opened it', async () => {
    world.api.openError = noKey;
    const { job, prompt } = await window.create(home, 'Explain');
    world.api.openError = undefined;
    world.api.creates = [lost];
    window.engine.keyChanged(home.service);
    await world.clock.advance(1000);
    strictEqual(jobStatus(window.job), 'unconfirmed');
    strictEqual((await window.sendAgain(job, prompt)).prompt.state, 'unconfirmed');
    await rejects(window.sendAgain(job, prompt, 'Explain more'), PromptNotEditableError);
    strictEqual(world.api.count('create'), 1);
  });

  it('keeps the original wait when saving an edit fails while the wall clock is set back', async () => {
    world.api.creates = [new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 60_000 })];
    const { job, prompt } = await window.create(home, 'Explain');
    strictEqual(prompt.waiting?.for, 'rateLimit');
    await world.clock.advance(20_000);
    world.clock.jump(-43_200_000);
    world.records.writeError = new Error('ENOSPC');
    await rejects(window.sendAgain(job, prompt, 'Explain more'), /ENOSPC/);
    world.records.writeError = undefined;
    world.api.creates = [wireJob('completed')];
    await world.clock.advance(61_000);
    strictEqual(window.job.prompts[0]?.state, 'created');
  });

  it('writes no further records while the key is missing', async () => {
    world.api.creates = [badKey];
    await window.create(home, 'Explain');
    world.api.openError = noKey;
    window.engine.keyChanged(home.service);
    await world.clock.advance(60_000);
    const before = records();
    await world.clock.advance(86_400_000);
    ok(records() - before <= 1, `${records() - before} records`);
    strictEqual(world.clock.pending, 0);
  });

  it('lifts the pause once a prompt is accepted or the prompt that needed the key is discarded', async () => {
    for (const way of ['accepted', 'given up']) {
      world.api.creates = [badKey];
      const first = await window.create(home, `first ${way}`);
      await world.clock.advance(10);
      const second = await window.create(home, `second ${way}`);
      strictEqual(second.prompt.reason?.code, 'PAUSED');
      world.api.creates = [wireJob('completed')];
      if (way === 'accepted') {
        await window.sendAgain(first.job, first.prompt);
        await world.clock.advance(1000);
      } else {
        await window.outbox.discard(first.job, first.prompt);
        await window.outbox.discard(second.job, second.prompt);
      }
      strictEqual((await window.create(home, `third ${way}`)).prompt.state, 'created');
    }
    strictEqual(
      window.store.jobs.filter(isListed).every((job) => jobStatus(job) === 'completed'),
      true,
    );
  });

  it('also sends a prompt that waits for disk space when the service gets a key after a restart', async () => {
    // The running job keeps this window the leader.
    world.api.retrieves = [wireJob('active')];
    world.api.creates = [wireJob('active')];
    const first = await window.create(home, 'Explain');
    world.api.messages = [badKey];
    // Queued separately from the prompt that waits for the disk.
    await window.followUp(first.job, 'for a key');
    const reason = { kind: 'unreachable', code: 'SETUP', detail: 'ENOSPC' } as const;
    const job = await window.store.add({
      type: 'send',
      at: world.clock.now(),
      promptId: 's2',
      kind: 'create',
      text: 'x',
      home,
    });
    await window.store.append(job.key, { type: 'notSent', at: world.clock.now(), promptId: 's2', attempt: 0, reason });
    window.close();
    const next = await new TestWindow(world).open();
    world.api.creates = [wireJob('completed', { id: 'j2' })];
    world.api.messages = [wireJob('active')];
    await world.clock.advance(20_000);
    next.engine.keyChanged(home.service);
    await world.clock.advance(60_000);
    const states = next.store.jobs.flatMap(({ prompts }) => prompts.map(({ state }) => state));
    deepStrictEqual(states, ['created', 'created', 'created']);
    next.close();
  });

  it('also reports the missing key for the second prompt', async () => {
    world.api.openError = noKey;
    await window.create(home, 'one');
    strictEqual((await window.create(home, 'two')).prompt.reason?.code, 'NO_KEY');
  });

  it('keeps an unconfirmed second prompt visible when a late answer creates a job from the first', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve)), lost];
    void window.create(home, 'Explain');
    await world.clock.advance(0);
    const other = await new TestWindow(world).open();
    await world.clock.advance(SENDING_LIMIT_MS);
    const [send] = other.job.prompts;
    ok(send !== undefined);
    await other.sendAgain(other.job, send, 'Explain more');
    answer(wireJob('completed'));
    await world.clock.advance(1000);
    deepStrictEqual(
      pendingPrompts(other.job).map(({ text: prompt, state }) => [prompt, state]),
      [['Explain more', 'unconfirmed']],
    );
    strictEqual(pendingState(other.job), 'unconfirmed');
    other.close();
  });

  it('shows a follow-up to a job that was removed from the list in the meantime', async () => {
    world.api.creates = [wireJob('completed')];
    const { job } = await window.create(home, 'Explain');
    await window.store.append(job.key, { type: 'untracked', at: world.clock.now() });
    world.api.openError = down;
    await window.followUp(job, 'Add an example');
    strictEqual(isListed(window.job), true);
    world.api.openError = undefined;
    world.api.messages = [wireJob('completed')];
    await world.clock.advance(600_000);
    strictEqual(world.api.count('message'), 1);
  });

  it('lets another window send when the leader can’t', async () => {
    const other = await new TestWindow(world).open();
    window.close();
    await world.clock.advance(1000);
    const third = await new TestWindow(world).open();
    world.api.openError = down;
    await other.create(home, 'Explain');
    world.api.probing = new Promise(() => undefined);
    await world.clock.advance(60_000);
    world.api.probing = Promise.resolve();
    const probes = world.api.count('probe');
    await world.clock.advance(400_000);
    strictEqual(world.api.count('probe'), probes);
    world.api.openError = undefined;
    world.api.creates = [wireJob('completed')];
    // The window of the prompt leads, and its probe never ends.
    await world.clock.advance(1_300_000);
    strictEqual(world.api.count('create'), 1);
    other.close();
    third.close();
  });

  it('uses no more memory or files over time while the disk is full', async () => {
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    const { job } = await window.create(home, 'Explain');
    await world.clock.advance(10_000);
    const claim = world.records.claim.bind(world.records);
    world.records.claim = () => Promise.reject(new Error('ENOSPC'));
    world.records.writeError = new Error('ENOSPC');
    // The intent is written before the disk fills up.
    world.records.writeError = undefined;
    await window.followUp(job, 'Add an example');
    world.records.writeError = new Error('ENOSPC');
    await world.clock.advance(60_000);
    const timers = world.clock.pending;
    await world.clock.advance(3_600_000);
    ok(world.clock.pending <= timers + 2, `${world.clock.pending} timers after ${timers}`);
    ok(world.api.count('probe') <= 40, `${world.api.count('probe')} probes`);
    world.records.claim = claim;
    world.records.writeError = undefined;
    world.api.messages = [wireJob('active')];
    await world.clock.advance(600_000);
    strictEqual(world.api.count('message'), 1);
  });

  it('reads a record again after a temporary read error', async () => {
    world.api.creates = [new Promise<WireJob>(() => undefined)];
    void window.create(home, 'Explain');
    await world.clock.advance(0);
    window.close();
    const next = await new TestWindow(world).open();
    const read = world.records.read.bind(world.records);
    world.records.read = () => Promise.reject(new Error('EMFILE'));
    await world.clock.advance(SENDING_LIMIT_MS + 1000);
    world.records.read = read;
    await world.clock.advance(SENDING_LIMIT_MS + 1000);
    strictEqual(jobStatus(next.job), 'unconfirmed');
    next.close();
  });

  it('saves an edit on the second try after the first failed on a full disk', async () => {
    world.api.creates = [refused];
    const { job, prompt } = await window.create(home, 'Explain');
    world.records.writeError = new Error('ENOSPC');
    await rejects(window.sendAgain(job, prompt, 'Explain more'), /ENOSPC/);
    world.records.writeError = undefined;
    world.api.creates = [wireJob('completed')];
    strictEqual((await window.sendAgain(window.job, prompt, 'Explain more')).prompt.state, 'created');
    await world.clock.advance(200_000);
    strictEqual(world.api.count('create'), 2);
  });

  it('polls a job that always fails less and less often, without delaying other jobs', async () => {
    for (let n = 0; n < 5; n++) {
      world.api.creates = [wireJob('active', { id: `j${n}` })];
      await window.create(home, `Explain ${n}`);
    }
    world.api.retrieve = async (_home, id) => {
      world.api.calls.push(`retrieve ${id}`);
      if (id === 'j0') {
        throw new ServiceError('unreachable', { effect: 'unknown', status: 500 });
      }
      return wireJob('active', { id });
    };
    await world.clock.advance(3_600_000);
    world.api.calls.length = 0;
    await world.clock.advance(600_000);
    const failing = world.api.calls.filter((call) => call === 'retrieve j0').length;
    ok(failing <= 10, `asked for the failing one ${failing} times`);
    ok(world.api.calls.length <= 80, `asked ${world.api.calls.length} times`);
  });

  it('trips the circuit breaker when something other than the service answers', async () => {
    for (let n = 0; n < 20; n++) {
      world.api.creates = [wireJob('active', { id: `j${n}` })];
      await window.create(home, `Explain ${n}`);
    }
    world.api.retrieve = async (_home, id) => {
      world.api.calls.push(`retrieve ${id}`);
      throw new ServiceError('notUnderstood', { effect: 'unknown', status: 302 });
    };
    world.api.calls.length = 0;
    await world.clock.advance(600_000);
    ok(world.api.calls.length <= 30, `asked ${world.api.calls.length} times`);
  });
});
