import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { jobStatus } from '../../../src/jobs/jobStatus';
import { PromptNotEditableError } from '../../../src/jobs/outbox';
import { SENDING_LIMIT_MS } from '../../../src/jobs/sendLoop';
import { isListed, type OutgoingPrompt } from '../../../src/jobs/trackedJob';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import { MemoryQuota } from '../../support/memoryStores';
import { badKey, down, limit, lost, noKey, refused } from '../../support/scriptedJobApi';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

// That no prompt is lost or sent twice, in any order of events and with any fault, is proved in test/faults/simulation.
describe('a prompt on its way to the service', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('completed')];
  });
  afterEach(() => window.close());

  const created = (): string[] => world.api.calls.filter((call) => call.startsWith('create'));
  const firstOf = ({ job }: TestWindow): OutgoingPrompt => {
    const [prompt] = job.prompts;
    ok(prompt !== undefined);
    return prompt;
  };

  it('is on disk before it is sent, and its row appears at once', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve))];
    const sending = window.create(location, 'Explain');
    await world.clock.advance(0);
    strictEqual(world.api.count('create'), 1);
    const onDisk = world.records.folders.get(window.job.key)?.map(({ event }) => event.type);
    deepStrictEqual(onDisk, ['send', 'claimed']);
    strictEqual(jobStatus(window.job), 'sending');
    answer(wireJob('active'));
    strictEqual((await sending).prompt.state, 'created');
    strictEqual(jobStatus(window.job), 'active');
  });

  it('is neither sent nor listed when it can’t be saved', async () => {
    world.records.writeError = new Error('ENOSPC');
    await rejects(window.create(location, 'Explain'), /ENOSPC/);
    deepStrictEqual([world.api.calls, window.store.jobs], [[], []]);
  });

  it('goes to another project when its own is unknown, once, in the same row', async () => {
    world.api.creates = [new ServiceError('notFound', { effect: 'refused' }), wireJob('active')];
    const { job, prompt } = await window.create(location, 'Explain');
    const to = { ...location, projectId: 'right' };
    const moved = await window.outbox.sendAgain(job, prompt, undefined, { to });
    strictEqual((await moved.sent).prompt.state, 'created');
    deepStrictEqual([window.job.key, window.job.location, window.store.jobs.length], [job.key, to, 1]);
    deepStrictEqual(created(), ['create Explain', 'create Explain']);
    await rejects(window.outbox.sendAgain(job, prompt, undefined, { to: location }), PromptNotEditableError);
    deepStrictEqual((await new TestWindow(world).open()).job.location, to, 'also for a window that opens later');
  });

  const outcomes: [string, ServiceError, string, string][] = [
    ['a refused connection', down, 'network', 'waiting'],
    ['no answer to connect', new ServiceError('timeout', { effect: 'none' }), 'network', 'waiting'],
    ['an end before anything was sent', new ServiceError('aborted', { effect: 'none' }), 'network', 'waiting'],
    [
      '503 of the local service',
      new ServiceError('unreachable', { effect: 'none', status: 503 }),
      'network',
      'waiting',
    ],
    ['429', limit, 'rateLimit', 'waiting'],
    ['400', refused, 'rejected', 'rejected'],
    ['401', badKey, 'apiKey', 'rejected'],
    ['no key', noKey, 'apiKey', 'rejected'],
    ['403', new ServiceError('forbidden', { effect: 'refused' }), 'rejected', 'rejected'],
    ['404', new ServiceError('notFound', { effect: 'refused' }), 'rejected', 'rejected'],
    ['a lost answer', lost, 'unconfirmed', 'unconfirmed'],
    ['a time-out after sending', new ServiceError('timeout', { effect: 'unknown' }), 'unconfirmed', 'unconfirmed'],
    ['503', new ServiceError('unreachable', { effect: 'unknown', status: 503 }), 'unconfirmed', 'unconfirmed'],
    ['a success without an id', new ServiceError('notUnderstood', { effect: 'unknown' }), 'unconfirmed', 'unconfirmed'],
  ];
  for (const [name, error, state, status] of outcomes) {
    const again = state === 'network' || state === 'rateLimit';
    it(`is ${state} after ${name}, and ${again ? 'repeated' : 'never repeated'} automatically`, async () => {
      world.api.creates = [error];
      const { prompt } = await window.create(location, 'Explain');
      deepStrictEqual([prompt.waiting?.for ?? prompt.state, prompt.text], [state, 'Explain']);
      strictEqual(jobStatus(window.job), status);
      await world.clock.advance(3_600_000);
      strictEqual(world.api.count('create') > 1, again);
    });
  }

  it('says why it was not sent when this machine isn’t ready', async () => {
    world.api.openError = new Error('the keyring is locked');
    const { prompt } = await window.create(location, 'Explain');
    deepStrictEqual([prompt.waiting?.for, prompt.reason?.detail], ['setup', 'the keyring is locked']);
  });

  describe('that waits', () => {
    it('is sent once the service is reachable, after a probe that can’t create a job', async () => {
      world.api.openError = down;
      await window.create(location, 'Explain');
      await world.clock.advance(600_000);
      ok(world.api.count('probe') <= 15, `probed ${world.api.count('probe')} times`);
      world.api.openError = undefined;
      world.api.creates = [wireJob('active')];
      await world.clock.advance(300_000);
      deepStrictEqual([created(), window.job.snapshot?.id], [['create Explain'], 'j1']);
    });

    it('is sent at once when any answer shows that the service is back', async () => {
      world.api.openError = down;
      await window.create(location, 'Explain');
      await world.clock.advance(1_000_000);
      world.api.openError = undefined;
      world.api.creates = [wireJob('active')];
      window.engine.loop.noteAnswer(location.service);
      await world.clock.advance(0);
      strictEqual(world.api.count('create'), 1);
    });

    it('is sent after Retry-After, and not before', async () => {
      world.api.creates = [limit, wireJob('active')];
      await window.create(location, 'Explain');
      strictEqual(window.job.prompts[0]?.reason?.until, world.clock.now() + 120_000);
      await world.clock.advance(119_000);
      strictEqual(world.api.count('create'), 1);
      await world.clock.advance(2000);
      deepStrictEqual([world.api.count('create'), window.job.prompts[0].state], [2, 'created']);
    });

    it('keeps the order in which prompts were typed', async () => {
      world.api.creates = [limit];
      for (const prompt of ['one', 'two', 'three']) {
        await window.create(location, prompt);
        await world.clock.advance(10);
      }
      deepStrictEqual(created(), ['create one']);
      world.api.creates = [wireJob('active'), wireJob('active', { id: 'j2' }), wireJob('active', { id: 'j3' })];
      await world.clock.advance(130_000);
      deepStrictEqual(created().slice(1), ['create one', 'create two', 'create three']);
    });

    it('can be sent ahead of its time by the user, once', async () => {
      world.api.creates = [limit, wireJob('active')];
      const { job, prompt } = await window.create(location, 'Explain');
      const both = await Promise.all([window.sendAgain(job, prompt), window.sendAgain(job, prompt)]);
      deepStrictEqual(
        both.map((each) => each.prompt.state),
        ['created', 'created'],
      );
      await world.clock.advance(200_000);
      strictEqual(world.api.count('create'), 2);
    });

    for (const [name, error] of [
      ['the service', down],
      ['a key', noKey],
    ] as const) {
      it(`for ${name} writes nothing to disk and sets no more timers while it waits`, async () => {
        world.api.openError = error;
        await window.create(location, 'Explain');
        await world.clock.advance(60_000);
        const files = (): number =>
          world.records.claims.size + (world.records.folders.get(window.job.key)?.length ?? 0);
        const [before, timers] = [files(), world.clock.pending];
        await world.clock.advance(86_400_000);
        deepStrictEqual([files(), world.clock.pending <= timers], [before, true]);
      });
    }

    it('is not sent while its job is removed from the list, but is once the job is restored', async () => {
      world.api.creates = [limit, wireJob('active')];
      await window.create(location, 'Explain');
      await window.store.append(window.job.key, { type: 'untracked', at: world.clock.now() });
      await world.clock.advance(3_600_000);
      deepStrictEqual([world.api.count('create'), world.clock.pending], [1, 0]);
      await window.store.append(window.job.key, { type: 'restored', at: world.clock.now() });
      await world.clock.advance(3_600_000);
      strictEqual(world.api.count('create'), 2);
    });

    it('for a key stops all prompts to its service until there is another key there', async () => {
      world.api.creates = [badKey];
      await window.create(location, 'one');
      await world.clock.advance(10);
      strictEqual((await window.create(location, 'two')).prompt.reason?.code, 'PAUSED');
      window.engine.keyChanged('https://other.example');
      await world.clock.advance(86_400_000);
      deepStrictEqual([created(), window.store.jobs.map(jobStatus)], [['create one'], ['rejected', 'rejected']]);
      window.engine.keyChanged(location.service);
      await world.clock.advance(86_400_000);
      deepStrictEqual(created(), ['create one', 'create one'], 'the new key is rejected, too');
      world.api.creates = [wireJob('active'), wireJob('active', { id: 'j2' })];
      window.engine.keyChanged(location.service);
      await world.clock.advance(1000);
      deepStrictEqual(created().slice(2), ['create one', 'create two']);
    });

    it('for a key stops no other prompt once it is accepted or discarded', async () => {
      for (const way of ['accepted', 'discarded']) {
        world.api.creates = [badKey];
        const first = await window.create(location, `first ${way}`);
        await world.clock.advance(10);
        const second = await window.create(location, `second ${way}`);
        world.api.creates = [wireJob('completed')];
        if (way === 'accepted') {
          await window.sendAgain(first.job, first.prompt);
          await world.clock.advance(1000);
        } else {
          await window.outbox.discard(first.job, first.prompt);
          await window.outbox.discard(second.job, second.prompt);
        }
        strictEqual((await window.create(location, `third ${way}`)).prompt.state, 'created');
      }
      const listed = window.store.jobs.filter(isListed);
      ok(listed.every((job) => jobStatus(job) === 'completed'));
    });

    it('for a key that is missing claims nothing, nor do the prompts behind it', async () => {
      world.api.openError = noKey;
      const { job, prompt } = await window.create(location, 'one');
      deepStrictEqual(prompt.waiting, { for: 'apiKey', isMissing: true });
      strictEqual((await window.create(location, 'two')).prompt.reason?.code, 'NO_KEY');
      deepStrictEqual([[...world.records.claims], world.api.calls], [[], []]);
      world.api.openError = undefined;
      world.api.creates = [wireJob('active')];
      strictEqual((await window.sendAgain(job, prompt)).prompt.state, 'created');
    });

    it('for the rate limit waits for a key as well if the key was rejected meanwhile', async () => {
      world.api.creates = [limit];
      const { job } = await window.create(location, 'one');
      const waitsFor = (): string | undefined => window.store.get(job.key)?.prompts[0]?.waiting?.for;
      world.api.creates = [badKey];
      await window.create({ ...location, projectId: 'p2' }, 'other project');
      await world.clock.advance(110_000);
      strictEqual(waitsFor(), 'rateLimit');
      await world.clock.advance(20_000);
      deepStrictEqual([waitsFor(), world.api.count('create')], ['apiKey', 2]);
      world.api.creates = [wireJob('active'), wireJob('active', { id: 'j2' })];
      window.engine.keyChanged(location.service);
      await world.clock.advance(1000);
      strictEqual(world.api.count('create'), 4);
    });

    it('is repeated less and less often while the service answers 429, and uses up no hourly limit with that', async () => {
      window.close();
      world.budget = new MemoryQuota(3);
      world.random = () => 0;
      world.api.creates = [new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 0 })];
      window = await new TestWindow(world).open();
      await window.create(location, 'Explain');
      const counts: number[] = [];
      for (let minute = 0; minute < 20; minute++) {
        await world.clock.advance(60_000);
        counts.push(world.api.count('create'));
        // A restart must not begin anew.
        window.close();
        window = await new TestWindow(world).open();
      }
      const [first = 0, last = 0] = [counts[0], counts.at(-1)];
      ok(first >= 2 && first <= 5 && last > 3 && last <= 12, counts.join(' '));
      world.api.creates = [wireJob('completed')];
      await world.clock.advance(360_000);
      strictEqual(window.job.prompts[0]?.state, 'created');
    });

    it('for the hourly limit is counted per project and operation, without prompts that were never sent', async () => {
      window.close();
      world.budget = new MemoryQuota(3);
      window = await new TestWindow(world).open();
      world.api.creates = [down];
      await window.create(location, 'never sent');
      world.api.creates = [wireJob('completed')];
      await world.clock.advance(10_000);
      for (const prompt of ['2', '3', 'one too many']) {
        await window.create(location, prompt);
      }
      const accepted = (): number => window.store.jobs.filter((job) => job.snapshot !== undefined).length;
      strictEqual(accepted(), 3);
      await window.create({ ...location, projectId: 'p2' }, 'other project');
      world.api.messages = [wireJob('completed')];
      await window.followUp(window.job, 'Add an example');
      deepStrictEqual([world.api.count('message'), accepted()], [1, 4]);
      await world.clock.advance(3_700_000);
      strictEqual(accepted(), 5);
    });
  });

  describe('that the user edits or discards', () => {
    it('is resent in the same row when it was rejected', async () => {
      world.api.creates = [refused, wireJob('active')];
      const { job, prompt } = await window.create(location, 'Explain');
      const again = await window.sendAgain(job, prompt, 'Explain more');
      deepStrictEqual([again.job.key, again.prompt.state], [job.key, 'created']);
      deepStrictEqual(created(), ['create Explain', 'create Explain more']);
      deepStrictEqual(
        window.job.prompts.map((each) => each.state),
        ['discarded', 'created'],
      );
    });

    it('leaves the list, but stays on disk', async () => {
      world.api.creates = [down];
      const { job, prompt } = await window.create(location, 'Explain');
      strictEqual(await window.outbox.discard(job, prompt), true);
      deepStrictEqual([isListed(window.job), world.records.folders.has(job.key)], [false, true]);
    });

    it('can no longer be edited or discarded while it is sent', async () => {
      world.api.creates = [new Promise(() => undefined)];
      void window.create(location, 'Explain');
      await world.clock.advance(0);
      const prompt = firstOf(window);
      await rejects(window.sendAgain(window.job, prompt, 'Explain more'), PromptNotEditableError);
      strictEqual(await window.outbox.discard(window.job, prompt), false);
      strictEqual(isListed(window.job), true);
    });

    it('is not resent if it became unconfirmed after the user saw it', async () => {
      world.api.openError = noKey;
      const { job, prompt } = await window.create(location, 'Explain');
      world.api.openError = undefined;
      world.api.creates = [lost];
      window.engine.keyChanged(location.service);
      await world.clock.advance(1000);
      strictEqual(jobStatus(window.job), 'unconfirmed');
      strictEqual((await window.sendAgain(job, prompt)).prompt.state, 'unconfirmed');
      await rejects(window.sendAgain(job, prompt, 'Explain more'), PromptNotEditableError);
      strictEqual(world.api.count('create'), 1);
    });

    it('is never sent if it was discarded before it was claimed', async () => {
      let open: () => void = () => undefined;
      world.api.opening = new Promise<void>((resolve) => (open = resolve));
      const sending = window.create(location, 'Explain');
      await world.clock.advance(0);
      strictEqual(await window.outbox.discard(window.job, firstOf(window)), true);
      open();
      await sending;
      deepStrictEqual([created(), isListed(window.job)], [[], false]);
    });
  });

  describe('whose answer comes late', () => {
    let answer: (job: WireJob) => void;
    let other: TestWindow;

    beforeEach(async () => {
      world.api.creates = [new Promise<WireJob>((resolve) => (answer = resolve)), wireJob('active', { id: 'j2' })];
      void window.create(location, 'Explain');
      await world.clock.advance(0);
      other = await new TestWindow(world).open();
      strictEqual(jobStatus(other.job), 'sending');
      await world.clock.advance(SENDING_LIMIT_MS);
      strictEqual(jobStatus(other.job), 'unconfirmed');
      strictEqual(world.api.count('create'), 1);
    });
    afterEach(() => other.close());

    it('turns from unconfirmed into a job', async () => {
      answer(wireJob('active'));
      await world.clock.advance(0);
      deepStrictEqual([jobStatus(window.job), jobStatus(other.job)], ['active', 'active']);
    });

    it('stands for the job of the prompt that was sent last', async () => {
      await other.sendAgain(other.job, firstOf(other));
      answer(wireJob('active', { id: 'j1' }));
      await world.clock.advance(0);
      deepStrictEqual(
        [window.job, other.job].map(({ snapshot }) => snapshot?.id),
        ['j2', 'j2'],
      );
      strictEqual(world.api.count('create'), 2);
    });
  });
});
