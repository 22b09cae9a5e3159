import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../src/git/git';
import { TokenStore } from '../../../src/local-service/forges/credentials';
import { UserRepository } from '../../../src/local-service/git/userRepository';
import { TurnExecutor } from '../../../src/local-service/jobs/turnExecutor';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import { TurnFailure } from '../../../src/local-service/turnFailure';
import { WorkerJobs } from '../../../src/team-service/workerJobs';
import { WorkerRepositories } from '../../../src/team-service/workerRepositories';
import { GitServer } from '../../support/gitServer';
import { claim, createTurn, customAgent, openStore, sampleJob } from '../../support/sampleTurn';
import { git as plainGit, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Uses real git and a real database. */
describe('WorkerJobs', () => {
  let data: string;
  let store: SqlJobStore;
  let repositories: WorkerRepositories;
  beforeEach(async () => {
    data = await temporaryFolder();
    store = await openStore(join(data, 'service.db'));
    repositories = new WorkerRepositories({
      ...{ git: new Git(process.env), folder: join(data, 'repositories'), tokens: new TokenStore() },
      ...{ environment: process.env, log },
    });
  });
  afterEach(() => store.close());

  const address = async (folder: string) =>
    void (await store.putProject({ id: 'p1', name: 'docs', folder, settings: customAgent(['a']) }));

  /** Runs a turn as a worker does. */
  async function run(readProject: SqlJobStore['project'] = store.project): Promise<void> {
    const git = new Git(process.env);
    const [repository, jobsFolder] = [new UserRepository(git), join(data, 'jobs')];
    const [shared, local] = [Object.create(store) as SqlJobStore, Object.create(store) as SqlJobStore];
    shared.project = readProject;
    local.project = async (id) => {
      const project = await readProject(id);
      return project && { ...project, folder: repositories.folderOf(project) };
    };
    const executor = new TurnExecutor({
      ...{ store: local, git, repository, jobsFolder, log, turnTimeoutMs: 60_000 },
      agents: {
        choose: async () => ({
          ...{ name: 'a', title: 'A', command: ['a'], protocol: 'stdin', variables: [] },
          driver: {
            run: async ({ folder }) => {
              await writeFile(join(folder, 'page.md'), 'new');
              return { summary: '' };
            },
          },
        }),
      },
      publisher: { destination: async () => undefined },
      check: async () => undefined,
    });
    const claims = { setPublished: async () => undefined, isElsewhere: async () => false };
    const parts = { store: shared, claims, repositories, repository, executor, log };
    const { signal } = new AbortController();
    const turn = await claim(store, await createTurn(store, sampleJob(), 'Explain retries'));
    await new WorkerJobs(parts, jobsFolder, (jobId) => jobId).run(turn, { work: signal, publish: signal });
  }

  it('runs a turn with one address, although the project gets another one meanwhile', async () => {
    const remote = await sampleRepository();
    await address(remote);
    const clone = repositories.folderOf((await store.project('p1')) ?? assert.fail());
    await run(async (id) => {
      const project = await store.project(id);
      await address(join(data, 'gone'));
      return project;
    });
    assert.equal(await plainGit(clone, 'show', 'docs-agent/j1:page.md'), 'new');
  });

  it('names the repository in a failure, not the worker’s clone', async () => {
    const server = await GitServer.start();
    try {
      await server.add('robin/empty');
      await address(`${server.origin}/robin/empty.git`);
      await assert.rejects(run(), (error) => {
        assert.ok(error instanceof TurnFailure, String(error));
        assert.match(
          error.message,
          /^The repository in “http:\/\/127\.0\.0\.1:\d+\/robin\/empty\.git” has no commits\./,
        );
        return true;
      });
    } finally {
      await server.close();
    }
  });
});
