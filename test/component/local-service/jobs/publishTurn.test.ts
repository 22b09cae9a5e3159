import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../src/base/async';
import type { Finding } from '../../../../src/checks/finding';
import { Git } from '../../../../src/git/git';
import type { CheckedRange, CheckedResult } from '../../../../src/checks/process/checkResult';
import { checkBlock } from '../../../../src/local-service/forges/checkInDescription';
import { TokenStore } from '../../../../src/local-service/forges/credentials';
import { ForgePublisher, type Publication } from '../../../../src/local-service/forges/publisher';
import { jobFolders, prepareClones, resolveCloneBase } from '../../../../src/local-service/git/jobClone';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { publishTurn } from '../../../../src/local-service/jobs/publishTurn';
import { TurnActivityLog } from '../../../../src/local-service/jobs/turnActivityLog';
import { openStore } from '../../../support/openStore';
import { toRounds } from '../../../../src/protocol/changes';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { inEnglish } from '../../../support/codedText';
import { coverage, UNKNOWN_NAME } from '../../../support/sampleFindings';
import { claim, createTurn, followUp, sampleJob } from '../../../support/sampleTurn';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

describe('publishTurn', function () {
  let checked: CheckedRange[];
  /** The result of each check; `unexpected` if publishing must not wait for one. */
  let found: CheckedResult | undefined | 'unexpected';
  const check = (range: CheckedRange) => {
    checked.push(range);
    return found === 'unexpected' ? assert.fail('it waited for a check') : Promise.resolve(found);
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  beforeEach(() => {
    checked = [];
    found = 'unexpected';
  });
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  it('reports in the job and its activity log which ignored files are not in the commit, until they are gone', async () => {
    const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    await writeFile(join(repo, '.gitignore'), 'private*\n');
    await plainGit(repo, 'add', '.gitignore');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Ignore');
    await writeFile(join(data, 'everywhere'), '.env\n');
    await plainGit(repo, 'config', 'core.excludesFile', join(data, 'everywhere'));
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const store = await openStore(join(data, 'service.db'));
    const project = { id: 'p1', name: 'docs', folder: repo, settings: projectSettingsSchema.parse({ publish: false }) };
    await store.putProject(project);
    const queued = await createTurn(store, sampleJob({ baseCommit: base, baseBranch: 'main' }), 'Write private.md');
    const turn = await claim(store, queued);
    const git = new Git(process.env);
    const folders = jobFolders(join(data, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', base);
    const publish = async (): Promise<string> => {
      const activity = new TurnActivityLog(store, turn, log);
      const publisher = {
        destination: () => assert.fail('it was pushed'),
        publish: () => assert.fail('it was pushed'),
      };
      const parts = { store, git, repository: new UserRepository(git), publisher, check, log };
      await publishTurn(parts, { turn, project, folders, activity, signal: new AbortController().signal });
      await activity.write();
      return inEnglish((await store.job('j1'))?.leftOut ?? undefined);
    };
    const notes = async () => (await store.activity('j1', 0, 9)).filter(({ entry }) => entry.kind === 'note').length;
    try {
      await writeFile(join(folders.work, '.env'), 'new');
      await writeFile(join(folders.work, 'docs/private.md'), 'new');
      const expected = `Git ignores files that the agent wrote, so they aren’t in the commit: .env, docs/private.md. They stay in “${folders.work}” until you archive the job.`;
      assert.equal(await publish(), expected);
      assert.equal(await publish(), expected);
      assert.equal(await notes(), 1);
      assert.equal((await store.job('j1'))?.publishedCommit, null);
      await rm(join(folders.work, '.env'));
      await rm(join(folders.work, 'docs/private.md'));
      assert.equal(await publish(), '');
      assert.equal(await notes(), 1);
    } finally {
      await store.close();
    }
  });

  it('records the commit of each turn, and counts only what was not merged before', async () => {
    const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const store = await openStore(join(data, 'service.db'));
    const project = { id: 'p1', name: 'docs', folder: repo, settings: projectSettingsSchema.parse({ publish: false }) };
    await store.putProject(project);
    const job = sampleJob({ baseCommit: base, baseBranch: 'main' });
    let turn = await claim(store, await createTurn(store, job, 'One'));
    const next = async (prompt: string) => {
      await store.finishTurn(turn, 'done');
      return claim(store, await followUp(store, 'j1', prompt));
    };
    const git = new Git(process.env);
    const folders = jobFolders(join(data, 'job'));
    await prepareClones(git, folders, repo, job.branch, base);
    const publish = async (file?: string): Promise<void> => {
      await (file && writeFile(join(folders.work, file), 'new\n'));
      const publisher = {
        destination: () => assert.fail('it was pushed'),
        publish: () => assert.fail('it was pushed'),
      };
      const parts = { store, git, repository: new UserRepository(git), publisher, check, log };
      const activity = new TurnActivityLog(store, turn, log);
      await publishTurn(parts, { turn, project, folders, activity, signal: new AbortController().signal });
    };
    try {
      await publish('docs/one.md');
      turn = await next('Nothing');
      await publish();
      await plainGit(repo, 'merge', '--quiet', job.branch);
      turn = await next('Two');
      await publish('docs/two.md');
      assert.deepEqual((await store.job('j1'))?.changes, { files: 1, added: 1, deleted: 0 });
      const rounds = toRounds(await store.turns('j1'));
      assert.deepEqual(
        await Promise.all(
          rounds.map(async ({ prompt, commit }) => [
            prompt,
            commit && (await plainGit(repo, 'diff', '--name-only', `${commit}~1`, commit)),
          ]),
        ),
        [
          ['One', 'docs/one.md\n'],
          ['Nothing', null],
          ['Two', 'docs/two.md\n'],
        ],
      );
    } finally {
      await store.close();
    }
  });

  it('pushes nothing while the work is based on commits that no remote has', async () => {
    const [repo, data, remote] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    await plainGit(remote, 'init', '--quiet', '--bare');
    await plainGit(repo, 'remote', 'add', 'origin', remote);
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const store = await openStore(join(data, 'service.db'));
    const project = { id: 'p1', name: 'docs', folder: repo, settings: projectSettingsSchema.parse({}) };
    await store.putProject(project);
    const queued = await createTurn(store, sampleJob({ baseCommit: base, baseBranch: 'main' }), 'Document it');
    const turn = await claim(store, queued);
    const git = new Git(process.env);
    const folders = jobFolders(join(data, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', base);
    await writeFile(join(folders.work, 'docs/new.md'), 'new');
    let pushes = 0;
    const publisher = {
      destination: () => Promise.resolve({ name: 'origin', url: null, references: ['refs/remotes/origin/*'] }),
      publish: () => Promise.resolve({ prLink: `https://git.example/${++pushes}` }),
    };
    const publish = async (): Promise<string> => {
      const activity = new TurnActivityLog(store, turn, log);
      const parts = { store, git, repository: new UserRepository(git), publisher, check, log };
      await publishTurn(parts, { turn, project, folders, activity, signal: new AbortController().signal });
      return inEnglish((await store.job('j1'))?.note ?? undefined);
    };
    try {
      assert.match(await publish(), /^The branch wasn’t pushed because it’s based on one of your commits/);
      assert.equal(pushes, 0);
      assert.notEqual((await store.job('j1'))?.publishedCommit, null);
      await plainGit(repo, 'push', '--quiet', 'origin', 'main');
      assert.equal(await publish(), '');
      assert.equal((await store.job('j1'))?.prLink, 'https://git.example/1');
      await writeFile(join(folders.work, 'docs/new.md'), 'newer');
      await publish();
      assert.equal(pushes, 2);
    } finally {
      await store.close();
    }
  });

  it('pushes no commits of the user to a remote that lacks them', async () => {
    const [repo, data, open, internal] = await Promise.all([1, 2, 3, 4].map(() => temporaryFolder()));
    await createSampleRepository(repo!);
    for (const [name, folder] of [
      ['origin', open!],
      ['internal', internal!],
    ] as const) {
      await plainGit(folder, 'init', '--quiet', '--bare');
      await plainGit(repo!, 'remote', 'add', name, folder);
      await plainGit(repo!, 'push', '--quiet', name, 'main');
    }
    const commit = async (message: string): Promise<string> => {
      await plainGit(repo!, 'commit', '--quiet', '--allow-empty', '-m', message);
      return (await plainGit(repo!, 'rev-parse', 'HEAD')).trim();
    };
    await plainGit(repo!, 'checkout', '--quiet', '-b', 'secret', '--no-track');
    const base = await commit('Confidential');
    await plainGit(repo!, 'push', '--quiet', 'internal', 'secret');
    const store = await openStore(join(data!, 'service.db'));
    const project = { id: 'p1', name: 'docs', folder: repo!, settings: projectSettingsSchema.parse({}) };
    await store.putProject(project);
    const job = sampleJob({ baseCommit: base, baseBranch: 'secret' });
    let turn = await claim(store, await createTurn(store, job, 'Document it'));
    const next = async (prompt: string) => {
      await store.finishTurn(turn, 'done');
      return claim(store, await followUp(store, 'j1', prompt));
    };
    const git = new Git(process.env);
    const folders = jobFolders(join(data!, 'job'));
    const parts = { git, tokens: new TokenStore(() => undefined), pushFolder: join(data!, 'push') };
    const publisher = new ForgePublisher({ ...parts, environment: process.env, clock: systemClock, log });
    const publish = async (text: string): Promise<string> => {
      const start = await resolveCloneBase(new UserRepository(git), repo!, {
        ...(await store.job('j1'))!,
        baseCommit: base,
      });
      await prepareClones(git, folders, repo!, job.branch, start);
      await writeFile(join(folders.work, 'docs/new.md'), text);
      const activity = new TurnActivityLog(store, turn, log);
      const { signal } = new AbortController();
      const repository = new UserRepository(git);
      await publishTurn(
        { store, git, repository, publisher, check, log },
        { turn, project, folders, activity, signal },
      );
      return inEnglish((await store.job('j1'))?.note ?? undefined);
    };
    const pushed = async (): Promise<string> =>
      plainGit(open!, 'log', '--topo-order', '--format=%s', '--all', '--not', 'main');
    try {
      assert.match(await publish('one'), /^The branch wasn’t pushed because it’s based on one of your commits/);
      assert.equal(await pushed(), '');
      await plainGit(repo!, 'push', '--quiet', 'origin', 'secret');
      turn = await next('Go on');
      assert.equal(await publish('two'), '');
      assert.equal(await pushed(), 'Go on\nDocument it\nConfidential\n');
      // The user adds a commit to the job's branch, and the job's clone is removed after some time.
      await plainGit(repo!, 'checkout', '--quiet', job.branch);
      await commit('Private');
      await plainGit(repo!, 'checkout', '--quiet', 'secret');
      await rm(join(data!, 'job'), { recursive: true });
      turn = await next('More');
      assert.match(await publish('three'), /^The branch wasn’t pushed because it’s based on one of your commits/);
      assert.equal(await pushed(), 'Go on\nDocument it\nConfidential\n');
    } finally {
      await store.close();
      await publisher.close();
    }
  });

  it('adds what the check found to the description if the settings say so, and publishes without it otherwise', async () => {
    const [repo, data, remote] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    await plainGit(remote, 'init', '--quiet', '--bare');
    await plainGit(repo, 'remote', 'add', 'origin', remote);
    await plainGit(repo, 'push', '--quiet', 'origin', 'main');
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const store = await openStore(join(data, 'service.db'));
    const settings = projectSettingsSchema.parse({ checkInPullRequest: true });
    const project = { id: 'p1', name: 'docs', folder: repo, settings };
    await store.putProject(project);
    const queued = await createTurn(store, sampleJob({ baseCommit: base, baseBranch: 'main' }), 'Document it');
    let turn = await claim(store, queued);
    const git = new Git(process.env);
    const folders = jobFolders(join(data, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', base);
    const published: Publication[] = [];
    const publisher = {
      destination: () => Promise.resolve({ name: 'origin', url: null, references: ['refs/remotes/origin/*'] }),
      publish: (publication: Publication) => {
        published.push(publication);
        return Promise.resolve({ prLink: 'https://git.example/1' });
      },
    };
    const publish = async (text: string): Promise<Publication | undefined> => {
      await writeFile(join(folders.work, 'docs/new.md'), text);
      const parts = { store, git, repository: new UserRepository(git), publisher, check, log };
      const activity = new TurnActivityLog(store, turn, log);
      await publishTurn(parts, { turn, project, folders, activity, signal: new AbortController().signal });
      return published.at(-1);
    };
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    try {
      found = { findings: [{ ...UNKNOWN_NAME, name: secret } as Finding], more: 0, coverage: coverage(1) };
      const first = await publish('one');
      const commit = (await plainGit(repo, 'rev-parse', 'docs-agent/j1')).trim();
      assert.deepEqual(checked, [{ folder: repo, base, commit, code: [] }]);
      assert.match(first?.check ?? '', /: 1 problem\n\n- `docs\/a\.md`, line 3: `\[redacted: GitHub token\]` was not/);
      assert.ok(first?.body.startsWith(checkBlock(first.check ?? '')));
      // The check failed or took too long.
      found = undefined;
      turn = await claim(store, await followUp(store, 'j1', 'Go on'));
      assert.equal((await publish('two'))?.check, '');
      turn = await claim(store, await followUp(store, 'j1', 'Go on'));
      settings.checkInPullRequest = false;
      found = 'unexpected';
      assert.equal((await publish('three'))?.check, undefined);
      assert.equal(published.length, 3);
    } finally {
      await store.close();
    }
  });

  it('redacts secrets in the commit and pull request and shortens a long prompt in the commit', async () => {
    // Built at run time, so that secret scanners do not flag this file.
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const [repo, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    await writeFile(join(repo, 'pull_request_template.md'), '## Checklist\n');
    await plainGit(repo, 'add', '.');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Template');
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const store = await openStore(join(data, 'service.db'));
    const project = { id: 'p1', name: 'docs', folder: repo, settings: projectSettingsSchema.parse({}) };
    await store.putProject(project);
    const prompt = `Document ${secret}\ntoken: ${secret}\n${'a line of code\n'.repeat(30_000)}`;
    const queued = await createTurn(store, sampleJob({ baseCommit: base, baseBranch: 'main' }), prompt);
    const turn = await claim(store, queued);
    await store.startPublishing(turn, `I found ${secret} and left it out.`);
    const git = new Git(process.env);
    const folders = jobFolders(join(data, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', base);
    await writeFile(join(folders.work, 'docs/new.md'), 'new');
    const published: Publication[] = [];
    const publisher = {
      destination: () => Promise.resolve(undefined),
      publish: (publication: Publication) => {
        published.push(publication);
        return Promise.resolve({ prLink: null });
      },
    };
    const activity = new TurnActivityLog(store, turn, log);
    const { signal } = new AbortController();
    await publishTurn(
      { store, git, repository: new UserRepository(git), publisher, check, log },
      { turn, project, folders, activity, signal },
    );
    await store.close();
    const message = await plainGit(repo, 'log', '-1', '--format=%B', 'docs-agent/j1');
    assert.match(message, /^Document \[redacted: GitHub token\]\n/);
    assert.match(message, /\n… 29,98\d more lines\n\nI found \[redacted: GitHub token\] and left it out\.\n/);
    assert.ok(message.length < 2_000, `${message.length} characters`);
    const [publication] = published;
    assert.equal(publication?.title, 'Document [redacted: GitHub token]');
    assert.match(publication.body, /left it out\.\n\n## Checklist\n\nThe prompt was:/);
    assert.ok(publication.body.includes('token: [redacted: GitHub token]'));
    assert.ok(!`${message}${publication.body}`.includes(secret));
  });
});
