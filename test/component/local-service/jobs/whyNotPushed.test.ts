import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Git } from '../../../../src/git/git';
import type { Destination } from '../../../../src/local-service/forges/publisher';
import { type JobFolders, jobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { publishTurn } from '../../../../src/local-service/jobs/publishTurn';
import { TurnActivityLog } from '../../../../src/local-service/jobs/turnActivityLog';
import type { Project } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { openStore } from '../../../support/openStore';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { inEnglish } from '../../../support/codedText';
import { claim, createTurn, followUp, sampleJob } from '../../../support/sampleTurn';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ORIGIN = 'https://git.example/docs.git';

describe('whyNotPushed', function () {
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  let store: SqlJobStore;
  let project: Project;
  let folders: JobFolders;
  let base: string;
  let destination: Destination;
  /** The commits that were pushed. */
  let pushed: string[];
  const git = new Git(process.env);

  beforeEach(async () => {
    const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    store = await openStore(join(data, 'service.db'));
    project = { id: 'p1', name: 'docs', folder: repo, settings: projectSettingsSchema.parse({}) };
    await store.putProject(project);
    folders = jobFolders(join(data, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', base);
    destination = { name: 'origin', url: ORIGIN, references: ['refs/remotes/origin/*'] };
    pushed = [];
  });
  afterEach(() => store.close());

  /** Runs a turn whose agent writes this text, or nothing. Returns the note on the job. */
  async function run(text?: string, file = 'docs/new.md'): Promise<string> {
    const isFirst = (await store.job('j1')) === undefined;
    const job = sampleJob({ baseCommit: base, baseBranch: 'main' });
    const turn = await claim(
      store,
      isFirst ? await createTurn(store, job, 'One') : await followUp(store, 'j1', 'More'),
    );
    if (text !== undefined) {
      await mkdir(dirname(join(folders.work, file)), { recursive: true });
      await writeFile(join(folders.work, file), text);
    }
    const publisher = {
      destination: () => Promise.resolve(destination),
      publish: ({ commit }: { commit: string }) => {
        pushed.push(commit);
        return Promise.resolve({ prLink: 'https://git.example/docs/pulls/1' });
      },
    };
    const parts = {
      store,
      git,
      repository: new UserRepository(git),
      publisher,
      check: async () => undefined,
      log: LOG,
    };
    const activity = new TurnActivityLog(store, turn, LOG);
    await publishTurn(parts, { turn, project, folders, activity, signal: new AbortController().signal });
    await store.finishTurn(turn, 'done');
    return inEnglish((await store.job('j1'))?.note ?? undefined);
  }

  it('holds back commits that the user has removed from the repository', async () => {
    assert.match(await run('one'), /based on one of your commits/);
    await rm(project.folder, { recursive: true });
    await createSampleRepository(project.folder);
    await plainGit(project.folder, 'commit', '--quiet', '--amend', '-m', 'Without the secret');
    assert.match(
      await run(),
      /^The branch wasn’t pushed because your repository no longer has the agent’s last commit/,
    );
    assert.match(await run('two'), /based on one of your commits/);
    assert.deepEqual(pushed, []);
  });

  it('counts what was pushed before as published, but only on the same remote', async () => {
    const { folder } = project;
    const onRemote = 'refs/remotes/origin/main';
    await plainGit(folder, 'update-ref', onRemote, base);
    assert.equal(await run('one'), '');
    // A fetch that prunes removes it after the branch was deleted there.
    await plainGit(folder, 'update-ref', '-d', onRemote);
    assert.equal(await run('two'), '');
    assert.equal(pushed.length, 2);
    destination = { ...destination, url: 'https://git.example/public.git' };
    assert.match(await run('three'), /based on one of your commits/);
    destination = { ...destination, url: null };
    assert.match(await run('four'), /based on one of your commits/);
    assert.equal(pushed.length, 2);
    destination = { ...destination, url: ORIGIN };
    assert.equal(await run('five'), '');
    assert.equal(pushed.length, 3);
  });

  it('holds back the agent’s CI configuration until the user has pushed it or the agent has undone it', async () => {
    const { folder } = project;
    const isHeld = /^The branch wasn’t pushed because the agent changed CI configuration.*: (\S+)\. Ask/;
    await plainGit(folder, 'update-ref', 'refs/remotes/origin/main', base);
    for (const file of ['.github/workflows/docs.yml', '.GitLab-CI.yml', 'Jenkinsfile']) {
      const note = await run('run: env', file);
      assert.equal(isHeld.exec(note)?.[1], file);
      assert.match(await run('more'), isHeld);
      await rm(join(folders.work, file));
      assert.equal(await run(), '');
    }
    assert.equal(await run('text', 'docs/Jenkinsfile'), '');
    assert.equal(pushed.length, 4);
    assert.match(await run('run: env', '.github/workflows/docs.yml'), isHeld);
    const commit = (await store.job('j1'))?.publishedCommit ?? '';
    await plainGit(folder, 'update-ref', 'refs/remotes/origin/docs-agent/j1', commit);
    assert.equal(await run(), '');
    assert.equal(await run('five'), '');
    assert.match(await run('run: env more', '.github/workflows/docs.yml'), isHeld);
    assert.equal(pushed.length, 6);
  });

  it('allows CI configuration that the user added to the branch', async () => {
    const { folder } = project;
    await plainGit(folder, 'update-ref', 'refs/remotes/origin/main', base);
    assert.equal(await run('one'), '');
    await plainGit(folder, 'checkout', '--quiet', 'docs-agent/j1');
    await mkdir(join(folder, '.github/workflows'), { recursive: true });
    await writeFile(join(folder, '.github/workflows/ci.yml'), 'mine');
    await plainGit(folder, 'add', '.');
    await plainGit(folder, 'commit', '--quiet', '-m', 'CI');
    const commit = (await plainGit(folder, 'rev-parse', 'HEAD')).trim();
    await plainGit(folder, 'update-ref', 'refs/remotes/origin/docs-agent/j1', commit);
    await plainGit(folder, 'checkout', '--quiet', 'main');
    await rm(dirname(folders.work), { recursive: true });
    await prepareClones(git, folders, folder, 'docs-agent/j1', commit);
    assert.equal(await run('two'), '');
    assert.equal(pushed.length, 2);
  });
});
