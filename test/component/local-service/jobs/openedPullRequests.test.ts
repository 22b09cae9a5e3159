import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../../src/base/async';
import { Git } from '../../../../src/git/git';
import type { AgentDriver } from '../../../../src/local-service/agents/agentDriver';
import type { Publisher, PushedBranch, SeenOnHost } from '../../../../src/local-service/forges/publisher';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import { SurroundingsWatch } from '../../../../src/local-service/jobs/surroundingsWatch';
import { TurnExecutor } from '../../../../src/local-service/jobs/turnExecutor';
import { TurnRunner } from '../../../../src/local-service/jobs/turnRunner';
import { TurnFailure, TurnStoppedError } from '../../../../src/local-service/turnFailure';
import { coded } from '../../../../src/protocol/codedText';
import type { Turn } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { plain } from '../../../support/codedText';
import { createTurn, customAgent, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

const LINK = 'https://git.example/docs/pulls/1';
const PUBLICATIONS = ['record', 'finishTurn'] as const;

/** Uses real git and a real database. */
describe('a job whose pull request was opened', function () {
  let store: SqlJobStore;
  let runner: TurnRunner;
  let agent: AgentDriver['run'];
  let pushed: PushedBranch;
  let seen: SeenOnHost;
  let watch: SurroundingsWatch;
  /** How often the database fails from the opening of the pull request on. */
  let failures: number;

  beforeEach(async () => {
    const [folder, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(folder);
    await plainGit(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    store = await openStore(join(data, 'service.db'));
    await store.putProject({ id: 'p1', name: 'docs', folder, settings: customAgent(['a']) });
    agent = async ({ folder: work, prompt }) => {
      await writeFile(join(work, 'page.md'), prompt);
      return { summary: '' };
    };
    let isOpen = false;
    failures = 0;
    seen = {};
    pushed = {
      openPullRequest: async () => {
        isOpen = true;
        return { prLink: LINK };
      },
    };
    const failing = Object.create(store) as SqlJobStore;
    for (const name of PUBLICATIONS) {
      const save = store[name] as (...all: unknown[]) => Promise<void>;
      failing[name] = async (...all: unknown[]) => {
        if (isOpen && failures > 0) {
          failures -= 1;
          throw new Error('cannot execute UPDATE in a read-only transaction');
        }
        return save(...all);
      };
    }
    const git = new Git(process.env);
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const [jobsFolder, locks, repository] = [join(data, 'jobs'), new JobLocks(), new UserRepository(git)];
    const remote = { name: 'origin', url: 'https://git.example/docs.git', references: ['refs/remotes/origin/*'] };
    const publisher: Publisher = {
      destination: async () => ({ ...remote, look: async () => seen, push: async () => pushed }),
    };
    const work = new TurnExecutor({
      store: failing,
      agents: {
        choose: async () => ({
          ...{ name: 'a', title: 'A', command: ['a'], protocol: 'stdin', variables: [] },
          driver: { run: (task) => agent(task) },
        }),
      },
      ...{ publisher, git, repository, jobsFolder, log },
      check: async () => undefined,
      turnTimeoutMs: 60_000,
    });
    watch = new SurroundingsWatch({ store, git, repository, publisher, locks, jobsFolder, log });
    const clock = { ...systemClock, after: (_ms: number, then: () => void) => systemClock.after(0, then) };
    runner = new TurnRunner({ store: failing, work, locks, log, clock, concurrency: 1 });
  });
  afterEach(async () => {
    await watch.close();
    await store.close();
  });

  /** Runs a turn. Returns its state and what the job says of the publication then. */
  async function run(turn: Turn) {
    runner.start(turn);
    while ((await store.endedAt(turn.jobId)) === undefined) {
      await sleep(20);
    }
    return [(await store.turns(turn.jobId)).at(-1)?.state, ...(await published())];
  }
  async function published() {
    const { prLink, pushedCommit, publishedCommit, note } = (await store.job('j1')) ?? assert.fail();
    return [prLink, pushedCommit === publishedCommit, ...(note === null ? [] : [note.code])];
  }
  const first = () => createTurn(store, sampleJob(), 'Explain retries');

  it('has its link although the database fails right after', async () => {
    failures = 3;
    assert.deepEqual(await run(await first()), ['done', LINK, true]);
    assert.equal(failures, 0);
  });

  it('has the link that the host has named at the push although the user stops it before the next step', async () => {
    pushed = {
      prLink: LINK,
      openPullRequest: async () => {
        void runner.cancel('j1');
        return new Promise(() => undefined);
      },
    };
    assert.deepEqual(await run(await first()), ['cancelled', LINK, true]);
  });

  it('keeps its link when a later run fails', async () => {
    await run(await first());
    agent = () => Promise.reject(new TurnFailure(plain('The agent was tired.')));
    assert.deepEqual(await run(await followUp(store, 'j1', 'Go on')), ['failed', LINK, true]);
  });

  const PAGE = `${LINK.replace(/\d$/, '')}new`;
  const why = coded('hostSilent', { host: 'git.example' });
  const unanswered: [what: string, open: PushedBranch['openPullRequest'], end: unknown[]][] = [
    [
      'the host’s response was lost',
      async () => ({
        prLink: PAGE,
        note: coded('pushedWithoutPullRequest', { branch: 'docs-agent/j1', host: 'git.example', why }),
      }),
      ['done', PAGE, true, 'pushedWithoutPullRequest'],
    ],
    ['the run failed', () => Promise.reject(new TurnFailure(coded('hostTooSlow'))), ['failed', null, true]],
    [
      'the user stopped the run',
      () => {
        void runner.cancel('j1');
        return Promise.reject(new TurnStoppedError('user'));
      },
      ['cancelled', null, true],
    ],
  ];
  for (const [what, open, end] of unanswered) {
    it(`gets its link when the service looks around, although ${what}`, async () => {
      pushed = { openPullRequest: open };
      assert.deepEqual(await run(await first()), end);
      seen = { pullRequest: { url: LINK, state: 'open' } };
      await watch.lookAtAll();
      assert.deepEqual(await published(), [LINK, true]);
      assert.deepEqual((await store.job('j1'))?.surroundings, seen);
    });
  }

  it('gets none if its work was merged here just before the service looks', async () => {
    pushed = { openPullRequest: () => Promise.reject(new TurnFailure(coded('hostTooSlow'))) };
    await run(await first());
    const listed = await store.openJobs(1);
    store.openJobs = async () => listed;
    await store.setReview('j1', 'merged');
    seen = { pullRequest: { url: LINK, state: 'open' } };
    await watch.lookAtAll();
    assert.deepEqual((await store.job('j1'))?.surroundings, null);
  });

  it('gets its link with a follow-up, even if that fails', async () => {
    pushed = { openPullRequest: () => Promise.reject(new TurnFailure(coded('hostTooSlow'))) };
    await run(await first());
    seen = { pullRequest: { url: LINK, state: 'open' } };
    agent = () => Promise.reject(new TurnFailure(plain('The agent was tired.')));
    assert.deepEqual(await run(await followUp(store, 'j1', 'Go on')), ['failed', LINK, true]);
  });
});
