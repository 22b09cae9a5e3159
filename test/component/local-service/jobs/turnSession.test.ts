import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import { startSupervisor } from '../../../../src/local-service/agents/agentProcess';
import type { AgentDriver, AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { jobStatus } from '../../../../src/local-service/jobs/jobStatus';
import { TurnExecutor } from '../../../../src/local-service/jobs/turnExecutor';
import { ClaimLost, type Turn } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { claim, createTurn, customAgent, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import { SCRIPTED_ACP, SUPERVISOR, untilGone } from '../../../support/agentTask';
import { inEnglish, plain } from '../../../support/codedText';
import { createSampleRepository, temporaryFolder } from '../../../support/temporaryRepository';

/** An agent is found by its job's ID, so two test runs at once must not share one. */
const JOB = randomUUID();
const PATIENT = { startMs: 200_000, sessionMs: 200_000, cancelMs: 3_000, endMs: 200, messageBytes: 1_000_000 };
const RECALL = '[scripted: recall]';

/** Uses real git, database and agent processes; the agent reports what it was sent. */
describe('session of a job', function () {
  this.timeout(600_000);
  let store: SqlJobStore;
  let work: TurnExecutor;
  let command: string[];
  let driver: AgentDriver;
  let startAhead: (jobId: string) => ChildProcess;

  beforeEach(async () => {
    const [folder, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(folder);
    store = await openStore(join(data, 'service.db'));
    await store.putProject({ id: 'p1', name: 'docs', folder, settings: customAgent(['a']) });
    command = [process.execPath, SCRIPTED_ACP];
    startAhead = (jobId) => startSupervisor(SUPERVISOR, process.env, jobId);
    driver = new AcpAgent(SUPERVISOR, process.env, PATIENT);
    const git = new Git(process.env);
    work = new TurnExecutor({
      store,
      agents: {
        choose: async () => {
          if (command.length === 0) {
            throw new TurnFailure(plain('There is no agent.'));
          }
          return { name: 'scripted', title: 'Scripted', command, protocol: 'acp', variables: [], driver };
        },
        startSupervisor: (jobId) => startAhead(jobId),
      },
      publisher: { destination: () => Promise.resolve(undefined) },
      git,
      repository: new UserRepository(git),
      check: async () => undefined,
      jobsFolder: join(data, 'jobs'),
      turnTimeoutMs: 240_000,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  });
  afterEach(() => store.close());

  const run = async (turn: Turn): Promise<void> => {
    const { signal } = new AbortController();
    const claimed = await claim(store, turn);
    await work.run(claimed, { work: signal, publish: signal });
    await store.finishTurn(claimed, 'done');
  };
  const first = (prompt: string): Promise<Turn> => createTurn(store, sampleJob({ id: JOB }), prompt);
  const next = (prompt: string): Promise<Turn> => followUp(store, JOB, prompt);
  /** Runs the turn and returns every prompt that the session received. */
  const receivedPrompts = async (turn: Turn): Promise<string[]> => {
    await run(turn);
    const said = (await store.turns(JOB)).find(({ id }) => id === turn.id)?.summary;
    return JSON.parse(said ?? '[]') as string[];
  };

  const refusals: [string, string, RegExp][] = [
    [
      'an edit',
      '[scripted: both ../a.md ../b.md] [scripted: say Sorry.]',
      /^Nothing was changed\. Denied requests: 2 .+ inside the repository, then send a follow-up\. \| $/,
    ],
    [
      'a command',
      '[scripted: run ls] [scripted: say Sorry.]',
      /^ \| Nothing was changed\. Denied requests: 1 .+ Allow commands \(docs/,
    ],
    ['a command, but not a page', '[scripted: run ls] Explain retries', /^ \| $/],
    [
      'one of two edits',
      '[scripted: both ../a.md b.md] Explain retries',
      /^ \| These edits were denied, or failed because another one was: \.\.\/a\.md, b\.md\. The log/,
    ],
    [
      'an edit that is done later',
      '[scripted: both ../a.md b.md] [scripted: both b.md c.md] [scripted: say Done.]',
      /^ \| These edits were denied, or .+: \.\.\/a\.md\. The/,
    ],
  ];
  for (const [what, prompt, note] of refusals) {
    it(`says with the result what came of it if the agent may not do ${what}`, async () => {
      const turn = await claim(store, await first(prompt));
      const { signal } = new AbortController();
      const { endedEarly } = await work.run(turn, { work: signal, publish: signal });
      const said = [endedEarly, (await store.job(JOB))?.leftOut];
      assert.match(said.map((text) => (text ? inEnglish(text) : '')).join(' | '), note);
    });
  }

  for (const [what, changes, early, told] of [
    ['nothing was changed', false, undefined, ['Blocked.']],
    ['something was changed', true, undefined, []],
    ['nothing was changed and the agent gave up', false, 'It gave up.', ['Blocked.']],
  ] as const) {
    it(`says in the log what the sandbox has blocked, and with the result if ${what}`, async () => {
      driver = {
        async run({ folder }) {
          await (changes && writeFile(join(folder, 'new.md'), 'new'));
          const endedEarly = early && { endedEarly: plain(early) };
          return { summary: 'Done.', blocked: plain('Blocked.'), ...endedEarly };
        },
      };
      const turn = await claim(store, await first('First'));
      const { signal } = new AbortController();
      const { endedEarly } = await work.run(turn, { work: signal, publish: signal });
      assert.equal(inEnglish(endedEarly), early ?? '');
      assert.deepEqual(inEnglish((await store.job(JOB))?.leftOut), told.join(''));
      const log = (await store.activity(JOB, 0, 100)).map((event) => JSON.stringify(event));
      assert.equal(log.filter((event) => event.includes('Blocked.')).length, 1, log.join('\n'));
    });
  }

  it('keeps the reason why the agent ended early until the next run', async () => {
    command = [process.execPath, SCRIPTED_ACP, '--gives-up'];
    const { signal } = new AbortController();
    const signals = { work: signal, publish: signal };
    const turn = await claim(store, await first('First [scripted: run ls]'));
    const { endedEarly } = await work.run(turn, signals);
    assert.match(inEnglish(endedEarly), /^The agent stopped when permission for “ls” was denied\./);
    // The reason survives a service that is killed while publishing.
    const [left] = await store.turns(JOB);
    const again = await claim(store, left ?? assert.fail());
    assert.equal(again.state, 'publishing');
    assert.deepEqual((await work.run(again, signals)).endedEarly, endedEarly);
    await store.finishTurn(again, 'done', endedEarly);
    assert.deepEqual(jobStatus(await store.turns(JOB)), { status: 'completed', endedEarly });
    await run(await next('[scripted: change nothing]'));
    assert.deepEqual(jobStatus(await store.turns(JOB)), { status: 'completed' });
  });

  it('ends the supervisor that was started ahead if no agent can be chosen', async () => {
    const turn = await claim(store, await first('First'));
    const supervisor = startSupervisor(SUPERVISOR, process.env, JOB);
    startAhead = () => supervisor;
    command = [];
    const { signal } = new AbortController();
    await assert.rejects(work.run(turn, { work: signal, publish: signal }), TurnFailure);
    await untilGone(supervisor.pid);
  });

  it('stores the last usage that the agent reported in each turn, even in one that fails', async () => {
    const reported = (amount: number): string => {
      return `[scripted: usage {"used":${amount * 100},"cost":{"amount":${amount},"currency":"EUR"}}]`;
    };
    await run(await first(`First ${reported(0.5)} ${reported(1)} [scripted: change nothing]`));
    await assert.rejects(
      run(await next(`Second ${reported(3)} [scripted: usage {"used":7}] [scripted: die]`)),
      TurnFailure,
    );
    await run(await next('Third [scripted: change nothing]'));
    assert.deepEqual(
      (await store.turns(JOB)).map(({ usage }) => usage),
      [
        { session: 'session-1', tokens: 100, cost: { amount: 1, currency: 'EUR' } },
        { session: 'session-1', tokens: 7, cost: { amount: 3, currency: 'EUR' } },
        null,
      ],
    );
  });

  for (const [what, act] of [
    ['it does something', async (task: AgentTask) => task.onEntry({ kind: 'message', text: 'late' })],
    ['it opens a session', (task: AgentTask) => task.onSession('late').catch(() => undefined)],
  ] as const) {
    it(`stops an agent whose turn another run has claimed when ${what}, and writes nothing more`, async () => {
      const turn = await claim(store, await first('First'));
      let again: Turn | undefined;
      driver = {
        async run(task) {
          await store.requeueTurn(turn, { isCounted: true, note: plain('It was thought to be gone.') });
          again = await claim(store, (await store.turns(JOB))[0]!);
          await act(task);
          if (!task.signal.aborted) {
            await once(task.signal, 'abort');
          }
          throw new TurnFailure(plain('The agent was stopped.'));
        },
      };
      const { signal } = new AbortController();
      await assert.rejects(work.run(turn, { work: signal, publish: signal }), ClaimLost);
      assert.deepEqual([await store.turns(JOB), (await store.job(JOB))?.session], [[again], null]);
    });
  }

  it('includes a message whose turn failed before it was sent', async () => {
    await run(await first('First [scripted: change nothing]'));
    const lost = await next('Second');
    command = ['no-such-agent'];
    await assert.rejects(run(lost), TurnFailure);
    await store.finishTurn({ ...lost, attempt: 1 }, 'failed', plain('It was not found.'));
    command = [process.execPath, SCRIPTED_ACP];
    const all = await receivedPrompts(await next(`Try again ${RECALL}`));
    assert.equal(all.length, 2);
    assert.match(all[1] ?? '', / 1 \(not finished\) ---\nSecond\n[^]+\nTry again/);
    assert.doesNotMatch(all[1] ?? '', /First/);
    assert.equal((await receivedPrompts(await next(`More ${RECALL}`)))[2], `More ${RECALL}`);
  });

  it('includes a notice when work on the message was interrupted', async () => {
    await run(await first('First [scripted: change nothing]'));
    const turn = await claim(store, await next(`Second ${RECALL}`));
    await store.requeueTurn(turn, { isCounted: true, note: plain('The service was killed.') });
    const again = (await store.turns(JOB)).find(({ id }) => id === turn.id);
    const all = await receivedPrompts(again ?? assert.fail());
    assert.match(all[1] ?? '', /^Work on this message was interrupted\.[^]+--- New message ---\nSecond/);
    assert.doesNotMatch(all[1] ?? '', /First/);
  });
});
