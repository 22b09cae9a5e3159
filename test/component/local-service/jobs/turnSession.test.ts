import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { TurnFailure } from '../../../../src/local-service/jobs/guidance';
import { jobStatus } from '../../../../src/local-service/jobs/jobOperations';
import { TurnExecutor } from '../../../../src/local-service/jobs/turnExecutor';
import type { Turn } from '../../../../src/local-service/store/jobStore';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { customAgent } from '../../../../src/protocol/localService';
import { SCRIPTED_ACP, SUPERVISOR } from '../../../support/agentTask';
import { inEnglish, plain } from '../../../support/codedText';
import { sampleJob } from '../../../support/sampleTurn';
import { createSampleRepository, temporaryFolder } from '../../../support/temporaryRepository';

/** An agent is found by its job's ID, so two test runs at once must not share one. */
const JOB = randomUUID();
const PATIENT = { startMs: 200_000, reopenMs: 100_000, cancelMs: 3_000, endMs: 200, messageBytes: 1_000_000 };
const RECALL = '[scripted: recall]';

/** Uses real git, database and agent processes; the agent reports what it was sent. */
describe('session of a job', function () {
  this.timeout(600_000);
  let store: SqliteJobStore;
  let work: TurnExecutor;
  let command: string[];

  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  beforeEach(async () => {
    const [folder, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(folder);
    store = SqliteJobStore.open(join(data, 'service.db'));
    store.putProject({ id: 'p1', name: 'docs', folder, settings: customAgent(['a']) });
    command = [process.execPath, SCRIPTED_ACP];
    const driver = new AcpAgent(SUPERVISOR, process.env, PATIENT);
    const git = new Git(process.env);
    work = new TurnExecutor({
      store,
      agents: {
        choose: () =>
          Promise.resolve({ name: 'scripted', title: 'Scripted', command, protocol: 'acp', variables: [], driver }),
      },
      publisher: {
        destination: () => Promise.resolve(undefined),
        publish: () => Promise.resolve({ prLink: null }),
      },
      git,
      repository: new UserRepository(git),
      jobsFolder: join(data, 'jobs'),
      turnTimeoutMs: 240_000,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  });
  afterEach(() => store.close());

  const run = async (turn: Turn): Promise<void> => {
    const { signal } = new AbortController();
    await work.run(turn, { work: signal, publish: signal });
    store.setTurn(turn.id, 'done');
  };
  const next = (prompt: string): Turn => store.addTurn({ id: JOB, projectId: 'p1' }, prompt, Date.now());
  /** Runs the turn and returns every prompt that the session received. */
  const told = async (turn: Turn): Promise<string[]> => {
    await run(turn);
    const said = store.turns(JOB).find(({ id }) => id === turn.id)?.summary;
    return JSON.parse(said ?? '[]') as string[];
  };

  it('keeps the reason why the agent ended early until the next run', async () => {
    command = [process.execPath, SCRIPTED_ACP, '--gives-up'];
    const { signal } = new AbortController();
    const signals = { work: signal, publish: signal };
    const turn = store.addJob(sampleJob({ id: JOB }), 'First [scripted: run ls]');
    const endedEarly = await work.run(turn, signals);
    assert.match(inEnglish(endedEarly), /^The agent stopped when permission for “ls” was denied\./);
    store.setTurn(turn.id, 'done', endedEarly);
    assert.deepEqual(jobStatus(store.turns(JOB)), { status: 'completed', endedEarly });
    // The reason survives a service that is killed while publishing.
    const [left] = store.turns(JOB);
    assert.ok(left !== undefined);
    assert.deepEqual(await work.run({ ...left, state: 'publishing' }, signals), endedEarly);
    await run(next('[scripted: change nothing]'));
    assert.deepEqual(jobStatus(store.turns(JOB)), { status: 'completed' });
  });

  it('stores the last usage that the agent reported in each turn, also in one that fails', async () => {
    const reported = (amount: number): string => {
      return `[scripted: usage {"used":${amount * 100},"cost":{"amount":${amount},"currency":"EUR"}}]`;
    };
    await run(store.addJob(sampleJob({ id: JOB }), `First ${reported(0.5)} ${reported(1)} [scripted: change nothing]`));
    await assert.rejects(run(next(`Second ${reported(3)} [scripted: usage {"used":7}] [scripted: die]`)), TurnFailure);
    await run(next('Third [scripted: change nothing]'));
    assert.deepEqual(
      store.turns(JOB).map(({ usage }) => usage),
      [
        { session: 'session-1', tokens: 100, cost: { amount: 1, currency: 'EUR' } },
        { session: 'session-1', tokens: 7, cost: { amount: 3, currency: 'EUR' } },
        null,
      ],
    );
  });

  it('includes a message whose turn failed before it was sent', async () => {
    await run(store.addJob(sampleJob({ id: JOB }), 'First [scripted: change nothing]'));
    const lost = next('Second');
    command = ['no-such-agent'];
    await assert.rejects(run(lost), TurnFailure);
    store.setTurn(lost.id, 'failed', plain('It was not found.'));
    command = [process.execPath, SCRIPTED_ACP];
    const all = await told(next(`Try again ${RECALL}`));
    assert.equal(all.length, 2);
    assert.match(all[1] ?? '', / 1 \(not finished\) ---\nSecond\n[^]+\nTry again/);
    assert.doesNotMatch(all[1] ?? '', /First/);
    assert.equal((await told(next(`More ${RECALL}`)))[2], `More ${RECALL}`);
  });

  it('includes a message that was replaced while waiting', async () => {
    await run(store.addJob(sampleJob({ id: JOB }), 'First [scripted: change nothing]'));
    store.setTurn(next('Second').id, 'cancelled');
    assert.match((await told(next(`Third ${RECALL}`)))[1] ?? '', / 1 \(not finished\) ---\nSecond\n[^]+\nThird/);
  });

  it('includes a notice when work on the message was interrupted', async () => {
    await run(store.addJob(sampleJob({ id: JOB }), 'First [scripted: change nothing]'));
    const turn = next(`Second ${RECALL}`);
    store.setTurn(turn.id, 'running');
    store.requeueTurn(turn.id, { isFree: false, note: plain('The service was killed.') });
    const again = store.turns(JOB).find(({ id }) => id === turn.id);
    const all = await told(again ?? assert.fail());
    assert.match(all[1] ?? '', /^Work on this message was interrupted\.[^]+--- New message ---\nSecond/);
    assert.doesNotMatch(all[1] ?? '', /First/);
  });
});
