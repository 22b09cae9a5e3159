import assert from 'node:assert/strict';
import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../src/git/git';
import { TokenStore } from '../../../src/local-service/forges/credentials';
import type { Project } from '../../../src/local-service/store/jobStore';
import { WorkerRepositories } from '../../../src/team-service/workerRepositories';
import { TurnFailure } from '../../../src/local-service/turnFailure';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('WorkerRepositories with a job’s commit in the clone', () => {
  const [JOB, BRANCH] = [{ id: 'j1', branch: 'docs-agent/j1' }, 'refs/heads/docs-agent/j1'];
  const REMOTE_BRANCH = 'refs/remotes/origin/docs-agent/j1';

  /** A clone whose branch of the job has a commit that only a turn's own git directory had before. */
  const cloned = async () => {
    const remote = await sampleRepository();
    const project = { id: 'p1', name: 'docs', folder: remote } as Project;
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    const repositories = new WorkerRepositories({
      git: new Git(process.env),
      folder: await temporaryFolder(),
      ...{ tokens: new TokenStore(), environment: {}, log: { ...log, warn } },
    });
    const update = () => repositories.update(project, new AbortController().signal);
    await update();
    const clone = repositories.folderOf(project);
    const commit = async (folder: string, parent: string, message: string): Promise<string> =>
      (await git(folder, 'commit-tree', '-m', message, '-p', parent, `${parent}^{tree}`)).trim();
    const own = await commit(clone, 'main', 'Work');
    await git(clone, 'update-ref', BRANCH, own);
    /** What others push into the job's branch. */
    const push = async (id: string): Promise<void> => {
      await git(remote, 'fetch', '--quiet', clone, 'refs/heads/*:refs/clone/*');
      await git(remote, 'update-ref', BRANCH, id);
      await update();
    };
    const bring = () => repositories.bringBranch(project, JOB);
    const at = async (ref: string) => (await git(clone, 'for-each-ref', '--format=%(objectname)', ref)).trim();
    return { remote, repositories, clone, own, warnings, commit, push, update, bring, at };
  };

  it('keeps the branch if nothing of it was pushed, or not the newest commit', async () => {
    const { clone, own, commit, push, bring, at } = await cloned();
    assert.equal(await bring(), own);
    assert.equal(await at(BRANCH), own);
    await push(own);
    const next = await commit(clone, own, 'More work');
    await git(clone, 'update-ref', BRANCH, next);
    assert.equal(await bring(), next);
    assert.equal(await at(BRANCH), next);
  });

  it('takes what others have added to the branch', async () => {
    const { remote, own, commit, push, bring, at } = await cloned();
    await push(own);
    const theirs = await commit(remote, own, 'Theirs');
    await push(theirs);
    assert.equal(await bring(), theirs);
    assert.equal(await at(BRANCH), theirs);
    assert.equal(await at('refs/docs-agent'), '');
  });

  it('takes what others have pushed instead, and keeps what was not pushed under another name', async () => {
    const { remote, clone, own, warnings, commit, push, bring, at } = await cloned();
    const theirs = await commit(remote, 'main', 'Theirs');
    await push(theirs);
    assert.equal(await bring(), theirs);
    assert.equal(await at(BRANCH), theirs);
    assert.equal(await at('refs/docs-agent/unpushed/j1'), own);
    assert.equal(warnings.length, 1);
    assert.ok(warnings[0]?.includes(clone) && warnings[0].includes(own), warnings[0]);
  });

  it('does not bring back a pushed commit that others have removed', async () => {
    const { remote, repositories, clone, own, push, bring, at } = await cloned();
    await repositories.notePushed({ folder: clone, branch: JOB.branch, commit: own });
    await push(own);
    const main = (await git(remote, 'rev-parse', 'main')).trim();
    await push(main);
    assert.equal(await bring(), main);
    assert.equal(await at(BRANCH), main);
  });

  it('counts only commits as held that were pushed, even if their branch is gone', async () => {
    const { remote, repositories, clone, own, push, update, at } = await cloned();
    const holds = () => repositories.holds(clone, own);
    assert.equal(await holds(), false);
    await push(own);
    assert.equal(await holds(), true);
    await git(remote, 'update-ref', '-d', BRANCH);
    await update();
    assert.equal(await at(REMOTE_BRANCH), '');
    assert.equal(await holds(), false);
    await repositories.notePushed({ folder: clone, branch: JOB.branch, commit: own });
    assert.equal(await holds(), true);
  });

  it('follows the default branch although a tag has its name', async () => {
    const { remote, clone, commit, update } = await cloned();
    const next = await commit(remote, 'main', 'Newer');
    await git(remote, 'tag', 'main', 'HEAD');
    await git(remote, 'update-ref', 'refs/heads/main', next);
    await update();
    assert.equal((await git(clone, 'rev-parse', 'HEAD')).trim(), next);
    assert.equal((await git(clone, 'symbolic-ref', 'HEAD')).trim(), 'refs/heads/main');
  });
});

/** A user ID that does not exist on this machine. */
const OTHER_USER = 54_321;

describe('repository of another user, on the machine of the worker', () => {
  it('is fetched once the worker’s user trusts it; until then, the failure says what else helps', async function () {
    if (process.getuid?.() !== 0) {
      // Only root can change the owner of a folder.
      this.skip();
    }
    const remote = await sampleRepository();
    for (const path of ['', ...(await readdir(remote, { recursive: true }))]) {
      await chown(join(remote, path), OTHER_USER, OTHER_USER);
    }
    const home = await temporaryFolder();
    const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
    const repositories = new WorkerRepositories({
      git: new Git(environment),
      folder: await temporaryFolder(),
      ...{ tokens: new TokenStore(), environment, log },
    });
    const project = { id: 'p1', name: 'docs', folder: `file://${remote}` } as Project;
    const update = () => repositories.update(project, new AbortController().signal);
    await assert.rejects(update(), (error: Error) => {
      assert.ok(error instanceof TurnFailure);
      assert.match(error.message, /belongs to another user\. Give the folder to the user that the worker runs as\.$/);
      return true;
    });
    await writeFile(join(home, '.gitconfig'), `[safe]\ndirectory = ${remote}\n`);
    await update();
    assert.match(await git(repositories.folderOf(project), 'rev-parse', 'main'), /^[\da-f]{40}\n$/);
  });
});
