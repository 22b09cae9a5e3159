import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { UnusableFolder, UserRepository } from '../../../../src/local-service/git/userRepository';
import { ProjectRegistry } from '../../../../src/local-service/jobs/projectRegistry';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { projectIdOf } from '../../../../src/protocol/localIds';
import { createTurn, openStore, sampleJob } from '../../../support/sampleTurn';
import { createSampleRepository, git, temporaryFolder } from '../../../support/temporaryRepository';

describe('a project whose folder was moved or removed', () => {
  const repository = new UserRepository(new Git(process.env));
  let root: string;
  let store: SqlJobStore;
  let registry: ProjectRegistry;
  beforeEach(async () => {
    root = await temporaryFolder();
    await createSampleRepository(join(root, 'docs'));
    store = await openStore(join(root, 'service.db'));
    const agents = { choose: () => Promise.reject(new Error('none')) };
    registry = new ProjectRegistry({ store, repository, agents, hostOf: async () => undefined });
  });
  afterEach(() => store.close());

  const shell = (script: string): Promise<string> => git(root, '-c', `alias.x=!set -e; cd '${root}'; ${script}`, 'x');
  /** Registers a folder, and returns the project's id. */
  const register = async (name: string): Promise<string> =>
    (await registry.register(await registry.identify(join(root, name)), undefined)).projectId;
  /** Registers a folder, and gives the project a job. Returns the project's id. */
  const withJob = async (name: string, id: string): Promise<string> => {
    const projectId = await register(name);
    const { commit: baseCommit } = await repository.head(join(root, name));
    const address = await repository.address(join(root, name));
    await createTurn(store, sampleJob({ id, projectId, baseCommit, repository: address }), 'Improve it');
    return projectId;
  };
  const whereIs = async (projectId: string): Promise<string> =>
    repository.findProjectFolder((await store.project(projectId))!);

  it('is known again, with its jobs, wherever the repository is registered', async () => {
    const id = await withJob('docs', 'j1');
    for (const [before, now] of [
      ['docs', 'moved'],
      ['moved', 'docs'],
      ['docs', 'old'],
    ] as const) {
      await shell(`mv ${before} ${now}`);
      assert.equal(await register(now), id, now);
      assert.equal(await whereIs(id), join(root, now));
    }
    assert.equal((await store.jobs(id, 10)).length, 1);
    // What takes its place is another project.
    await shell('git clone --quiet old docs');
    const other = await register('docs');
    assert.notEqual(other, id);
    assert.equal(await register('docs'), other);
  });

  it('is found in another work tree of the same repository, and known again in one', async () => {
    await shell('git -C docs worktree add --quiet ../linked; git -C docs worktree add --quiet ../third');
    const id = await withJob('linked', 'j1');
    await shell('git -C docs worktree remove linked; rm -rf linked');
    assert.equal(await whereIs(id), join(root, 'docs'));
    assert.equal(await register('third'), id);
    assert.equal(await whereIs(id), join(root, 'third'));
  });

  it('is refused with what to do when it is nowhere, and not taken for another repository', async () => {
    const id = await withJob('docs', 'j1');
    await shell(`git -C docs remote add origin https://git.example.org/docs.git
mkdir other; git -C other init --quiet; git -C other commit --quiet --allow-empty -m Other`);
    const known = await withJob('docs', 'j2');
    assert.equal(known, id);
    await shell('git clone --quiet docs fork; git -C fork remote set-url origin https://git.example.org/fork.git');
    await rm(join(root, 'docs'), { recursive: true });
    assert.equal(await register('other'), projectIdOf(join(root, 'other')));
    assert.equal(await register('fork'), projectIdOf(join(root, 'fork')));
    await assert.rejects(whereIs(id), (error) => {
      assert.ok(error instanceof UnusableFolder);
      assert.match(
        error.message,
        /^The repository isn’t in “.*docs” any longer\. If you moved it, open its new folder/,
      );
      return true;
    });
  });
});
