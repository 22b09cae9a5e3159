import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { jobStatus, pendingState } from '../../../src/jobs/jobStatus';
import { QUEUED_LIMIT_MS, SENDING_LIMIT_MS } from '../../../src/jobs/sendRecovery';
import { isListed } from '../../../src/jobs/trackedJob';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import { home, type Shared, shared, WindowOfJobs, wireJob } from '../../support/windowOfJobs';

describe('Outbox', () => {
  let world: Shared;
  let window: WindowOfJobs;

  beforeEach(async () => {
    world = shared();
    window = await new WindowOfJobs(world).open();
  });
  afterEach(() => window.close());

  it('has the intent on disk before it sends, and shows the row at once', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve))];
    const sending = window.create(home, 'Explain retries');
    await world.clock.advance(0);
    strictEqual(world.api.count('create'), 1);
    const onDisk = world.records.folders.get(window.job.key)?.map(({ event }) => event.type);
    deepStrictEqual(onDisk, ['send', 'go']);
    strictEqual(jobStatus(window.job), 'sending');
    answer(wireJob('active'));
    strictEqual((await sending).send.state, 'created');
    strictEqual(jobStatus(window.job), 'active');
  });

  it('sends nothing when the intent can’t be written, and rejects', async () => {
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
    it(`keeps the prompt after ${name} as ${state}, and ${again ? 'repeats' : 'never repeats'} it by itself`, async () => {
      world.api.creates = [error];
      const { send } = await window.create(home, 'Explain retries');
      strictEqual(send.waiting?.for ?? send.state, state);
      strictEqual(send.prompt, 'Explain retries');
      strictEqual(jobStatus(window.job), status);
      await world.clock.advance(3_600_000);
      strictEqual(world.api.count('create') > 1, again);
    });
  }

  it('remembers until when the limit holds', async () => {
    world.api.creates = [new ServiceError('limit', { effect: 'refused', retryAfterMs: 60_000 })];
    const { send } = await window.create(home, 'Explain retries');
    strictEqual(send.reason?.until, world.clock.now() + 60_000);
  });

  it('sends again by hand, changed, in the same row', async () => {
    world.api.creates = [new ServiceError('rejected', { effect: 'refused' }), wireJob('active')];
    const { job, send } = await window.create(home, 'Explain');
    const again = await window.sendAgain(job, send, 'Explain retries');
    strictEqual(again.job.key, job.key);
    strictEqual(again.send.state, 'created');
    deepStrictEqual(world.api.calls, ['create Explain', 'create Explain retries']);
    deepStrictEqual(
      window.job.sends.map((each) => each.state),
      ['discarded', 'created'],
    );
  });

  it('takes a discarded prompt off the list and keeps its record', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    const { job, send } = await window.create(home, 'Explain retries');
    await window.outbox.discard(job, send);
    strictEqual(isListed(window.job), false);
    ok(world.records.folders.has(job.key));
  });

  it('keeps a follow-up that was not accepted beside its running job', async () => {
    world.api.creates = [wireJob('active')];
    const { job } = await window.create(home, 'Explain retries');
    world.api.messages = [new ServiceError('unreachable', { effect: 'unknown' })];
    await window.followUp(job, 'Add an example');
    strictEqual(jobStatus(window.job), 'active');
    strictEqual(pendingState(window.job), 'unconfirmed');
  });

  it('gives one leave to POST over all windows', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    const { job, send } = await window.create(home, 'Explain retries');
    const other = await new WindowOfJobs(world).open();
    strictEqual(await other.store.claimSend(job.key, send.id, 1), false);
    other.close();
  });

  it('says of what a dead window was sending that it may have been created, once nobody can be sending it', async () => {
    world.api.creates = [new Promise<WireJob>(() => undefined)];
    void window.create(home, 'Explain retries');
    await world.clock.advance(0);
    window.close();
    const next = await new WindowOfJobs(world).open();
    strictEqual(jobStatus(next.job), 'sending');
    await world.clock.advance(SENDING_LIMIT_MS);
    strictEqual(jobStatus(next.job), 'unconfirmed');
    strictEqual(world.api.count('create'), 1);
    next.close();
  });

  it('takes no leave while the key is missing or the service can’t be started', async () => {
    world.api.openError = new ServiceError('unauthorized', { effect: 'none', code: 'NO_KEY' });
    const { job, send } = await window.create(home, 'Explain retries');
    deepStrictEqual(send.waiting, { for: 'apiKey', isMissing: true });
    deepStrictEqual([...world.records.claims], []);
    strictEqual(world.api.calls.length, 0);
    world.api.openError = undefined;
    world.api.creates = [wireJob('active')];
    strictEqual((await window.sendAgain(job, send)).send.state, 'created');
  });

  it('sends a prompt that got no leave before its window died', async () => {
    const event = { type: 'send', at: 0, send: 's1', kind: 'create', prompt: 'Explain', home } as const;
    await world.records.write('w0n0000000000000000', { stamp: '000000001-a', event });
    world.api.creates = [wireJob('active')];
    const next = await new WindowOfJobs(world).open();
    await world.clock.advance(QUEUED_LIMIT_MS - 10_000);
    strictEqual(world.api.count('create'), 0);
    await world.clock.advance(20_000);
    strictEqual(next.job.sends[0]?.state, 'created');
    strictEqual(world.api.count('create'), 1);
    next.close();
  });

  it('gives a second job that came of a prompt which was sent again a row of its own, once', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve)), wireJob('active', { id: 'j2' })];
    const first = window.create(home, 'Explain retries');
    await world.clock.advance(0);
    const other = await new WindowOfJobs(world).open();
    await world.clock.advance(SENDING_LIMIT_MS);
    const [send] = other.job.sends;
    ok(send !== undefined);
    await other.sendAgain(other.job, send);
    answer(wireJob('active', { id: 'j1' }));
    await first;
    await window.store.load();
    await world.clock.advance(0);
    await other.store.load();
    await world.clock.advance(0);
    const third = await new WindowOfJobs(world).open();
    await world.clock.advance(0);
    for (const each of [third.store, other.store]) {
      await each.load();
      deepStrictEqual(each.jobs.map((job) => job.snapshot?.id).toSorted(), ['j1', 'j2']);
    }
    other.close();
    third.close();
  });

  describe('a prompt that still waits for its leave', () => {
    let opened: () => void = () => undefined;
    let sending: Promise<unknown>;

    beforeEach(async () => {
      world.api.creates = [wireJob('active')];
      world.api.opening = new Promise<void>((resolve) => (opened = resolve));
      sending = window.create(home, 'Explain retries');
      await world.clock.advance(0);
    });

    it('is never sent once it was discarded', async () => {
      const [send] = window.job.sends;
      ok(send !== undefined);
      strictEqual(await window.outbox.discard(window.job, send), true);
      opened();
      await sending;
      strictEqual(world.api.count('create'), 0);
      strictEqual(isListed(window.job), false);
    });

    it('is sent once when it is sent again meanwhile', async () => {
      const [send] = window.job.sends;
      ok(send !== undefined);
      const again = window.sendAgain(window.job, send);
      opened();
      await Promise.all([sending, again]);
      strictEqual(world.api.count('create'), 1);
    });
  });

  it('sends once however often and wherever "send again" is pressed for the same prompt', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'none' })];
    const { job, send } = await window.create(home, 'Explain retries');
    const other = await new WindowOfJobs(world).open();
    world.api.creates = [wireJob('active')];
    await Promise.all([window.sendAgain(job, send), window.sendAgain(job, send), other.sendAgain(other.job, send)]);
    strictEqual(world.api.count('create'), 2);
    await other.store.load();
    deepStrictEqual(
      [window.job, other.job].map((each) => each.snapshot?.id),
      ['j1', 'j1'],
    );
    await window.sendAgain(job, send);
    strictEqual(world.api.count('create'), 2);
    other.close();
  });

  it('can’t discard what is on its way, or was accepted', async () => {
    world.api.creates = [wireJob('active')];
    const { job, send } = await window.create(home, 'Explain retries');
    strictEqual(await window.outbox.discard(job, send), false);
    strictEqual(isListed(window.job), true);
  });

  it('keeps a prompt as not sent, with the reason, when the way to the service breaks before it', async () => {
    world.api.openError = new Error('the keyring is locked');
    const { send } = await window.create(home, 'Explain retries');
    strictEqual(send.waiting?.for, 'setup');
    strictEqual(send.reason?.detail, 'the keyring is locked');
  });

  it('leaves a prompt given up, whatever failure is told of it later', async () => {
    world.api.creates = [new ServiceError('unreachable', { effect: 'unknown' })];
    const { job, send } = await window.create(home, 'Explain retries');
    await window.outbox.discard(job, send);
    const reason = { kind: 'rejected' } as const;
    const late = { type: 'rejected', at: world.clock.now(), send: send.id, attempt: 1, reason } as const;
    await window.store.append(job.key, late);
    strictEqual(isListed(window.job), false);
  });

  it('lets a late answer turn "may have been created" into created, and nothing turn it back', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve))];
    const sending = window.create(home, 'Explain retries');
    await world.clock.advance(0);
    const other = await new WindowOfJobs(world).open();
    await world.clock.advance(SENDING_LIMIT_MS);
    strictEqual(jobStatus(other.job), 'unconfirmed');
    answer(wireJob('active'));
    await sending;
    await other.store.reload(other.job.key);
    strictEqual(jobStatus(other.job), 'active');
    other.close();
  });
});
