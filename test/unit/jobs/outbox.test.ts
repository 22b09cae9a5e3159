import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { jobStatus, pendingState } from '../../../src/jobs/jobStatus';
import { QUEUED_LIMIT_MS, SENDING_LIMIT_MS } from '../../../src/jobs/sendLoop';
import { toSnapshot } from '../../../src/jobs/snapshot';
import { isListed } from '../../../src/jobs/trackedJob';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

describe('Outbox', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
  });
  afterEach(() => window.close());

  it('writes the intent to disk before sending and shows the row immediately', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve))];
    const sending = window.create(home, 'Explain retries');
    await world.clock.advance(0);
    strictEqual(world.api.count('create'), 1);
    const onDisk = world.records.folders.get(window.job.key)?.map(({ event }) => event.type);
    deepStrictEqual(onDisk, ['send', 'claimed']);
    strictEqual(jobStatus(window.job), 'sending');
    answer(wireJob('active'));
    strictEqual((await sending).prompt.state, 'created');
    strictEqual(jobStatus(window.job), 'active');
  });

  it('rejects and sends nothing when the intent can’t be written', async () => {
    world.records.writeError = new Error('ENOSPC');
    await rejects(window.create(home, 'Explain retries'), /ENOSPC/);
    strictEqual(world.api.calls.length, 0);
    strictEqual(window.store.jobs.length, 0);
  });

  const outcomes: [string, ServiceError, string, string][] = [
    ['a refused connection', new ServiceError('unreachable', { effect: 'none' }), 'network', 'waiting'],
    ['no answer to connect', new ServiceError('timeout', { effect: 'none' }), 'network', 'waiting'],
    ['429', new ServiceError('limit', { effect: 'refused', retryAfterMs: 60_000 }), 'rateLimit', 'waiting'],
    ['400', new ServiceError('rejected', { effect: 'refused' }), 'rejected', 'rejected'],
    ['401', new ServiceError('unauthorized', { effect: 'refused' }), 'apiKey', 'rejected'],
    ['no key', new ServiceError('unauthorized', { effect: 'none' }), 'apiKey', 'rejected'],
    ['403', new ServiceError('forbidden', { effect: 'refused' }), 'rejected', 'rejected'],
    ['404', new ServiceError('notFound', { effect: 'refused' }), 'rejected', 'rejected'],
    ['a lost answer', new ServiceError('unreachable', { effect: 'unknown' }), 'unconfirmed', 'unconfirmed'],
    ['a time-out after sending', new ServiceError('timeout', { effect: 'unknown' }), 'unconfirmed', 'unconfirmed'],
    ['503', new ServiceError('unreachable', { effect: 'unknown', status: 503 }), 'unconfirmed', 'unconfirmed'],
    ['a success without an id', new ServiceError('notUnderstood', { effect: 'unknown' }), 'unconfirmed', 'unconfirmed'],
  ];
  for (const [name, error, state, status] of outcomes) {
    const again = state === 'network' || state === 'rateLimit';
    it(`keeps the prompt after ${name} as ${state}, and ${again ? 'repeats' : 'never repeats'} it automatically`, async () => {
      world.api.creates = [error];
      const { prompt } = await window.create(home, 'Explain retries');
      strictEqual(prompt.waiting?.for ?? prompt.state, state);
      strictEqual(prompt.text, 'Explain retries');
      strictEqual(jobStatus(window.job), status);
      await world.clock.advance(3_600_000);
      strictEqual(world.api.count('create') > 1, again);
    });
  }

  it('remembers when the rate limit ends', async () => {
    world.api.creates = [new ServiceError('limit', { effect: 'refused', retryAfterMs: 60_000 })];
    const { prompt } = await window.create(home, 'Explain retries');
    strictEqual(prompt.reason?.until, world.clock.now() + 60_000);
  });

  it('resends an edited prompt in the same row when the user asks for it', async () => {
    world.api.creates = [new ServiceError('rejected', { effect: 'refused' }), wireJob('active')];
    const { job, prompt } = await window.create(home, 'Explain');
    const again = await window.sendAgain(job, prompt, 'Explain retries');
    strictEqual(again.job.key, job.key);
    strictEqual(again.prompt.state, 'created');
    deepStrictEqual(world.api.calls, ['create Explain', 'create Explain retries']);
    deepStrictEqual(
      window.job.prompts.map((each) => each.state),
      ['discarded', 'created'],
    );
  });

  it('sends a prompt once if the user resends it while its record is still being written', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    await window.create(home, 'Waits ahead of it');
    world.api.creates = ['j1', 'j2', 'j3'].map((id) => wireJob('active', { id }));
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const write = world.records.write.bind(world.records);
    let again: Promise<unknown> | undefined;
    // The disk is slow: the list shows the prompt before its write returns, and the write of the next one takes longer.
    world.records.write = async (key, stamped) => {
      if (stamped.event.type === 'send' && stamped.event.replaces !== undefined) {
        await pause().then(pause).then(pause);
      }
      await write(key, stamped);
      if (again === undefined && stamped.event.type === 'send') {
        await pause();
        const job = window.store.get(key);
        ok(job?.prompts[0]);
        again = window.sendAgain(job, job.prompts[0]);
        await pause();
      }
    };
    await window.create(home, 'Explain retries');
    await again;
    await world.clock.advance(3_600_000);
    strictEqual(world.api.calls.filter((call) => call === 'create Explain retries').length, 1);
  });

  it('removes a discarded prompt from the list and keeps its record', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    const { job, prompt } = await window.create(home, 'Explain retries');
    await window.outbox.discard(job, prompt);
    strictEqual(isListed(window.job), false);
    ok(world.records.folders.has(job.key));
  });

  it('keeps an unaccepted follow-up next to its running job', async () => {
    world.api.creates = [wireJob('active')];
    const { job } = await window.create(home, 'Explain retries');
    world.api.messages = [new ServiceError('unreachable', { effect: 'unknown' })];
    await window.followUp(job, 'Add an example');
    strictEqual(jobStatus(window.job), 'active');
    strictEqual(pendingState(window.job), 'unconfirmed');
  });

  it('allows only one window to claim a POST', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    const { job, prompt } = await window.create(home, 'Explain retries');
    const other = await new TestWindow(world).open();
    strictEqual(await other.store.claimPrompt(job.key, prompt.id, 1), false);
    other.close();
  });

  it('marks a dead window’s prompt as unconfirmed once nobody can still be sending it', async () => {
    world.api.creates = [new Promise<WireJob>(() => undefined)];
    void window.create(home, 'Explain retries');
    await world.clock.advance(0);
    window.close();
    const next = await new TestWindow(world).open();
    strictEqual(jobStatus(next.job), 'sending');
    await world.clock.advance(SENDING_LIMIT_MS);
    strictEqual(jobStatus(next.job), 'unconfirmed');
    strictEqual(world.api.count('create'), 1);
    next.close();
  });

  it('claims no send while the key is missing or the service can’t be started', async () => {
    world.api.openError = new ServiceError('unauthorized', { effect: 'none', code: 'NO_KEY' });
    const { job, prompt } = await window.create(home, 'Explain retries');
    deepStrictEqual(prompt.waiting, { for: 'apiKey', isMissing: true });
    deepStrictEqual([...world.records.claims], []);
    strictEqual(world.api.calls.length, 0);
    world.api.openError = undefined;
    world.api.creates = [wireJob('active')];
    strictEqual((await window.sendAgain(job, prompt)).prompt.state, 'created');
  });

  it('sends a prompt whose window died before claiming the send', async () => {
    const event = { type: 'send', at: 0, promptId: 's1', kind: 'create', text: 'Explain', home } as const;
    await world.records.write('w0n0000000000000000', { stamp: '000000001-a', event });
    world.api.creates = [wireJob('active')];
    const next = await new TestWindow(world).open();
    await world.clock.advance(QUEUED_LIMIT_MS - 10_000);
    strictEqual(world.api.count('create'), 0);
    await world.clock.advance(20_000);
    strictEqual(next.job.prompts[0]?.state, 'created');
    strictEqual(world.api.count('create'), 1);
    next.close();
  });

  it('does not send a prompt of a removed job on its own, but does once the job is restored', async () => {
    const send = { type: 'send', at: 2, promptId: 's1', kind: 'followUp', text: 'Explain', home } as const;
    const snapshot = toSnapshot(wireJob('completed'));
    const key = 'w0n0000000000000000';
    for (const [index, event] of [
      { type: 'tracked', at: 1, job: snapshot, home } as const,
      send,
      { type: 'untracked', at: 3 } as const,
    ].entries()) {
      await world.records.write(key, { stamp: `00000000${index + 1}-a`, event });
    }
    world.api.messages = [wireJob('active')];
    const next = await new TestWindow(world).open();
    await world.clock.advance(3 * QUEUED_LIMIT_MS);
    strictEqual(world.api.count('message'), 0);
    await next.store.append(key, { type: 'restored', at: 4 });
    await world.clock.advance(2 * QUEUED_LIMIT_MS);
    strictEqual(world.api.count('message'), 1);
    next.close();
  });

  it('stands for the job of the prompt sent last when a late answer brings another one', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve)), wireJob('active', { id: 'j2' })];
    const first = window.create(home, 'Explain retries');
    await world.clock.advance(0);
    const other = await new TestWindow(world).open();
    await world.clock.advance(SENDING_LIMIT_MS);
    const [prompt] = other.job.prompts;
    ok(prompt !== undefined);
    await other.sendAgain(other.job, prompt);
    answer(wireJob('active', { id: 'j1' }));
    await first;
    await world.clock.advance(0);
    deepStrictEqual(
      [window.job, other.job].map(({ snapshot }) => snapshot?.id),
      ['j2', 'j2'],
    );
    strictEqual(world.api.count('create'), 2);
    other.close();
  });

  describe('prompt that has not been claimed yet', () => {
    let opened: () => void = () => undefined;
    let sending: Promise<unknown>;

    beforeEach(async () => {
      world.api.creates = [wireJob('active')];
      world.api.opening = new Promise<void>((resolve) => (opened = resolve));
      sending = window.create(home, 'Explain retries');
      await world.clock.advance(0);
    });

    it('is never sent after it was discarded', async () => {
      const [prompt] = window.job.prompts;
      ok(prompt !== undefined);
      strictEqual(await window.outbox.discard(window.job, prompt), true);
      opened();
      await sending;
      strictEqual(world.api.count('create'), 0);
      strictEqual(isListed(window.job), false);
    });

    it('is sent once when the user resends it in the meantime', async () => {
      const [prompt] = window.job.prompts;
      ok(prompt !== undefined);
      const again = window.sendAgain(window.job, prompt);
      opened();
      await Promise.all([sending, again]);
      strictEqual(world.api.count('create'), 1);
    });
  });

  it('sends the same prompt once no matter how often and in which window the user resends it', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    const { job, prompt } = await window.create(home, 'Explain retries');
    const other = await new TestWindow(world).open();
    world.api.creates = [wireJob('active')];
    await Promise.all([
      window.sendAgain(job, prompt),
      window.sendAgain(job, prompt),
      other.sendAgain(other.job, prompt),
    ]);
    strictEqual(world.api.count('create'), 2);
    await other.store.load();
    deepStrictEqual(
      [window.job, other.job].map((each) => each.snapshot?.id),
      ['j1', 'j1'],
    );
    await window.sendAgain(job, prompt);
    strictEqual(world.api.count('create'), 2);
    other.close();
  });

  it('can’t discard a prompt that is being sent or was accepted', async () => {
    world.api.creates = [wireJob('active')];
    const { job, prompt } = await window.create(home, 'Explain retries');
    strictEqual(await window.outbox.discard(job, prompt), false);
    strictEqual(isListed(window.job), true);
  });

  it('keeps a prompt as not sent, with the reason, when connecting to the service fails', async () => {
    world.api.openError = new Error('the keyring is locked');
    const { prompt } = await window.create(home, 'Explain retries');
    strictEqual(prompt.waiting?.for, 'setup');
    strictEqual(prompt.reason?.detail, 'the keyring is locked');
  });

  it('keeps a prompt discarded when a failure is recorded later', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'unknown' })];
    const { job, prompt } = await window.create(home, 'Explain retries');
    await window.outbox.discard(job, prompt);
    const reason = { kind: 'rejected' } as const;
    const late = { type: 'rejected', at: world.clock.now(), promptId: prompt.id, attempt: 1, reason } as const;
    await window.store.append(job.key, late);
    strictEqual(isListed(window.job), false);
  });

  it('turns "unconfirmed" into "created" on a late answer, and never back', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve))];
    const sending = window.create(home, 'Explain retries');
    await world.clock.advance(0);
    const other = await new TestWindow(world).open();
    await world.clock.advance(SENDING_LIMIT_MS);
    strictEqual(jobStatus(other.job), 'unconfirmed');
    answer(wireJob('active'));
    await sending;
    await other.store.reload(other.job.key);
    strictEqual(jobStatus(other.job), 'active');
    other.close();
  });
});
