import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireJob } from '../../src/protocol/job';
import { pathOf } from '../../src/protocol/routes';
import { HOST_SECRET, type HostedPull, type HostedRepository, ReviewHost } from '../support/reviewHost';
import { createSampleRepository, git, temporaryFolder } from '../support/temporaryRepository';
import { type LocalBench, localBench, localCalls, waitUntil } from './contractBench';

const PAGE = 'docs/index.md';

/** Writes what the prompt says after `write PATH:` to a file; with `resolve`, removes conflict markers and keeps both sides. */
const AGENT = `
const { existsSync, readFileSync, writeFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');
const message = readFileSync(0, 'utf8').split('--- New message ---\\n').pop();
for (const [, path] of message.matchAll(/^until (\\S+)$/gm)) {
  writeFileSync(path + '.waiting', '');
  while (!existsSync(path)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}
for (const [, path, text] of message.matchAll(/^write (\\S+): (.*)$/gm)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replaceAll('|', '\\n') + '\\n');
}
for (const [, path] of message.matchAll(/^resolve (\\S+)$/gm)) {
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^(<<<<<<<|=======|>>>>>>>).*\\n/gm, ''));
}
for (const [, path] of message.matchAll(/^show (\\S+)$/gm)) {
  console.log(readFileSync(path, 'utf8'));
}
console.log('Done.');
`;

describe('a job among other people’s work', () => {
  let host: ReviewHost;
  let bench: LocalBench;
  let hosted: HostedRepository;
  let colleague: string;
  let settings: NonNullable<Parameters<typeof localBench>[0]>;

  beforeEach(async () => {
    host = await ReviewHost.start('github');
    const [repo, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(repo);
    await writeFile(join(repo, PAGE), 'one\ntwo\nthree\n');
    await git(repo, 'commit', '--quiet', '-am', 'Lines');
    hosted = await host.add('team/docs', repo);
    await git(repo, 'remote', 'add', 'origin', `${hosted.url}.git`);
    await git(repo, 'fetch', '--quiet');
    const helper = '!f() { echo username=robin; echo password=a-token; }; f';
    await writeFile(
      join(home, '.gitconfig'),
      `[credential]\n\thelper = "${helper}"\n[user]\n\tname = Robin\n\temail = r@x.example\n`,
    );
    const agent = join(home, 'agent.cjs');
    await writeFile(agent, AGENT);
    settings = {
      repo,
      publish: true,
      environment: { HOME: home },
      agentCommand: [process.execPath, agent],
    };
    bench = await localBench(settings);
    colleague = await temporaryFolder();
    await git(colleague, 'clone', '--quiet', hosted.folder, '.');
  });
  afterEach(async () => {
    await bench.close();
    await host.close();
  });

  const start = async (prompt: string): Promise<WireJob> => {
    const { id } = await bench.client.createJob(bench.target, prompt);
    return bench.ended(id);
  };
  const followUp = async ({ id }: WireJob, prompt: string): Promise<WireJob> => {
    await bench.client.sendMessage(bench.target, id, prompt);
    return bench.ended(id);
  };
  /** Someone else's commit, pushed to the host. */
  const commit = async (branch: string, files: Record<string, string>, message: string): Promise<void> => {
    await git(colleague, 'fetch', '--quiet', 'origin');
    await git(colleague, 'checkout', '--quiet', '-B', branch, `origin/${branch}`);
    for (const [path, text] of Object.entries(files)) {
      await writeFile(join(colleague, path), text);
    }
    await git(colleague, 'add', '--all');
    await git(colleague, 'commit', '--quiet', '-m', message);
    await git(colleague, 'push', '--quiet', 'origin', branch);
  };
  /** The job as it is known some time later. */
  const afterRestart = async (job: WireJob): Promise<WireJob> => {
    const { data, key } = bench.service;
    await bench.close();
    bench = await localBench({ ...settings, data, key });
    const known = () => bench.client.retrieveJob(bench.target, job.id);
    await waitUntil(
      async () => JSON.stringify((await known()).surroundings) !== JSON.stringify(job.surroundings),
      20_000,
    );
    return known();
  };
  const update = ({ id: jobId }: WireJob) =>
    localCalls(bench).call('POST', pathOf('updateJob', { projectId: bench.target.projectId, jobId }));
  const onHost = (branch: string, path = PAGE) => git(hosted.folder, 'show', `${branch}:${path}`);
  const branchOf = (job: WireJob): string =>
    job.source?.ref ?? assert.fail(`no branch: ${job.error ?? ''} ${job.note ?? ''}`);
  const onlyPull = (): HostedPull => {
    assert.equal(hosted.pulls.length, 1);
    return hosted.pulls[0] ?? assert.fail();
  };
  const completed = (job: WireJob): WireJob => {
    assert.deepEqual([job.status, job.error, job.note], ['completed', undefined, undefined]);
    return job;
  };

  it('gives the agent a reviewer’s commit, and adds to it', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await commit(branchOf(job), { [PAGE]: 'ONE, as suggested\ntwo\nthree\n' }, 'Apply suggestion');
    completed(await followUp(job, 'Now the rest\nwrite docs/other.md: more'));
    assert.equal(await onHost(branchOf(job)), 'ONE, as suggested\ntwo\nthree\n');
    assert.equal(await onHost(branchOf(job), 'docs/other.md'), 'more\n');
    assert.equal(onlyPull().state, 'open');
  });

  it('merges a commit that comes while the agent works', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    const file = join(await temporaryFolder(), 'pushed');
    const done = followUp(job, `Now the rest\nuntil ${file}\nwrite docs/other.md: more`);
    await waitUntil(() => existsSync(`${file}.waiting`));
    await commit(branchOf(job), { [PAGE]: 'ONE\ntwo\nTHREE, says the reviewer\n' }, 'Apply suggestion');
    await writeFile(file, '');
    completed(await done);
    assert.equal(await onHost(branchOf(job)), 'ONE\ntwo\nTHREE, says the reviewer\n');
    assert.equal(await onHost(branchOf(job), 'docs/other.md'), 'more\n');
  });

  it('works on the present state of the base', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await commit('main', { 'docs/new.md': 'new on main\n' }, 'Add a page');
    completed(await followUp(job, 'Go on\nwrite docs/other.md: more\nshow docs/new.md'));
    assert.equal(await onHost(branchOf(job), 'docs/new.md'), 'new on main\n');
    assert.deepEqual((await bench.client.retrieveJob(bench.target, job.id)).changes, {
      files: 2,
      added: 2,
      deleted: 1,
    });
  });

  it('lets the agent resolve a conflict with the base, and commits no marker', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await commit('main', { [PAGE]: 'Uno\ntwo\nthree\n' }, 'In Spanish');
    const failed = await followUp(job, 'Go on\nwrite docs/other.md: more');
    assert.equal(failed.status, 'failed');
    assert.match(failed.error ?? '', /Conflict markers are left in docs\/index\.md/);
    assert.match(String((await update(job)).body['error']), /conflict with this job’s work in docs\/index\.md/);
    assert.equal(await onHost(branchOf(job)), 'ONE\ntwo\nthree\n');
    const resolved = completed(await followUp(job, 'Resolve it\nresolve docs/index.md'));
    assert.deepEqual(resolved.surroundings, { pullRequest: { url: job.prLink, state: 'open', base: 'main' } });
    assert.equal(await onHost(branchOf(job)), 'ONE\nUno\ntwo\nthree\n');
    assert.equal(await onHost(branchOf(job), 'docs/other.md'), 'more\n');
    assert.ok(await hosted.merge(onlyPull(), 'merge', true), 'it merges without a conflict');
  });

  it('says which conflict without markers the agent has left', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await rm(join(colleague, PAGE));
    await commit('main', {}, 'Remove a page');
    const left = await followUp(job, 'Go on\nwrite docs/other.md: more');
    assert.match(left.note ?? '', /^Others changed docs\/index\.md too/);
    assert.equal(await onHost(branchOf(job)), 'ONE\ntwo\nthree\n');
    completed(await followUp(job, 'Go on\nwrite docs/index.md: Uno|two|three'));
  });

  it('moves a new page along with its folder', async () => {
    const job = completed(await start('Add a page\nwrite docs/added.md: added'));
    await rename(join(colleague, 'docs'), join(colleague, 'pages'));
    await commit('main', {}, 'Move the pages');
    assert.equal((await update(job)).status, 200);
    assert.equal(await onHost(branchOf(job), 'pages/added.md'), 'added\n');
  });

  it('goes on with a pull request that was closed and opened again', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    const pull = onlyPull();
    await hosted.close(pull);
    await hosted.enforce('secret');
    await followUp(job, `Show how to set the key\nwrite docs/key.md: ${HOST_SECRET}`);
    await hosted.enforce(undefined);
    await hosted.reopen(pull);
    completed(await followUp(job, 'Use a placeholder\nwrite docs/key.md: YOUR-KEY'));
    assert.ok(await hosted.merge(onlyPull(), 'squash', true));
    const next = completed(await followUp(job, 'Add another page\nwrite docs/other.md: more'));
    assert.equal(branchOf(next), `${branchOf(job)}-2`);
  });

  for (const method of ['merge', 'squash', 'rebase'] as const) {
    it(`starts anew from the base after the pull request was merged (${method})`, async () => {
      const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
      const pull = onlyPull();
      assert.ok(await hosted.merge(pull, method, true));
      await commit('main', { [PAGE]: 'One!\ntwo\nthree\n' }, 'Shout less');
      const next = completed(await followUp(job, 'Add another page\nwrite docs/other.md: more'));
      assert.equal(branchOf(next), `${branchOf(job)}-2`);
      const second = hosted.pulls[1] ?? assert.fail('no second pull request');
      assert.equal(second.title, 'Add another page');
      assert.ok(second.body.startsWith(`Continues [#1](${job.prLink ?? ''}).\n\n`), second.body);
      assert.equal(next.surroundings?.continues, job.prLink);
      assert.notEqual(next.prLink, job.prLink);
      const changed = await git(hosted.folder, 'diff', '--name-only', `main...${branchOf(next)}`);
      assert.equal(changed, 'docs/other.md\n');
      assert.ok(await hosted.merge(second, 'squash', true));
    });
  }

  it('says what others have done, and updates the branch from its base without a prompt', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await commit('main', { 'docs/new.md': 'new on main\n' }, 'Add a page');
    await commit('main', { 'docs/newer.md': 'newer\n' }, 'Add another');
    assert.deepEqual((await afterRestart(job)).surroundings, {
      base: { branch: 'main', newCommits: 2, conflicts: [] },
      pullRequest: { url: job.prLink, state: 'open', base: 'main' },
    });
    const updated = await update(job);
    assert.equal(updated.status, 200);
    assert.deepEqual(updated.body['surroundings'], { pullRequest: { url: job.prLink, state: 'open', base: 'main' } });
    assert.equal(await onHost(branchOf(job), 'docs/newer.md'), 'newer\n');
    assert.deepEqual(updated.body['changes'], { files: 1, added: 1, deleted: 1 });
    const again = await update(job);
    assert.deepEqual(
      [again.status, again.body['error']],
      [409, 'This job’s branch already has the newest commits of its base branch.'],
    );
  });

  it('says which files conflict, and doesn’t update then', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await commit('main', { [PAGE]: 'Uno\ntwo\nthree\n' }, 'In Spanish');
    const { surroundings } = await afterRestart(job);
    assert.deepEqual(surroundings?.base, { branch: 'main', newCommits: 1, conflicts: [PAGE] });
    const updated = await update(job);
    assert.equal(updated.status, 409);
    assert.match(String(updated.body['error']), /conflict with this job’s work in docs\/index\.md/);
    assert.equal(await onHost(branchOf(job)), 'ONE\ntwo\nthree\n');
  });

  it('learns that its pull request was merged', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    assert.ok(await hosted.merge(onlyPull(), 'squash', true));
    assert.deepEqual((await afterRestart(job)).surroundings, {
      pullRequest: { url: job.prLink, state: 'merged', base: 'main' },
    });
  });

  it('replaces commits that the host refused', async () => {
    await hosted.enforce('secret');
    const job = await start(`Show how to set the key\nwrite docs/key.md: ${HOST_SECRET}`);
    assert.equal(job.status, 'failed');
    assert.match(job.error ?? '', /rules\/1/);
    const next = completed(await followUp(job, 'Use a placeholder\nwrite docs/key.md: YOUR-KEY'));
    assert.equal((await git(hosted.folder, 'rev-list', '--count', `main..${branchOf(next)}`)).trim(), '1');
    const refused = await followUp(next, `Another key\nwrite docs/more.md: ${HOST_SECRET}`);
    assert.equal(refused.status, 'failed');
    await commit('main', { 'docs/new.md': 'new on main\n' }, 'Add a page');
    completed(await followUp(next, 'Without it\nwrite docs/more.md: more'));
    const log = await git(hosted.folder, 'log', '--first-parent', '--format=%s', `main..${branchOf(next)}`);
    assert.deepEqual(log.trim().split('\n'), [
      'Without it',
      `Merge branch 'main' into ${branchOf(next)}`,
      'Use a placeholder',
    ]);
  });

  it('pushes what the user has committed to the job’s branch', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await git(bench.repo, 'checkout', '--quiet', branchOf(job));
    await writeFile(join(bench.repo, PAGE), 'ONE\ntwo, by hand\nthree\n');
    await git(bench.repo, 'commit', '--quiet', '-am', 'By hand');
    const marker = join(await temporaryFolder(), 'ran');
    const refused = await followUp(job, `More\nwrite ${marker}: ran`);
    assert.match(refused.error ?? '', /is checked out in your repository\. Switch to another branch/);
    assert.equal(existsSync(marker), false, 'no agent ran in vain');
    await git(bench.repo, 'checkout', '--quiet', 'main');
    completed(await followUp(job, 'More\nwrite docs/more.md: more'));
    assert.equal(await onHost(branchOf(job)), 'ONE\ntwo, by hand\nthree\n');
    assert.equal(await readFile(join(bench.repo, PAGE), 'utf8'), 'one\ntwo\nthree\n');
  });

  it('keeps a commit of the user’s although the host refused what came with it', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await git(bench.repo, 'checkout', '--quiet', branchOf(job));
    await git(bench.repo, 'commit', '--quiet', '--allow-empty', '-m', 'By hand');
    const own = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    await git(bench.repo, 'checkout', '--quiet', 'main');
    await hosted.enforce('signOff');
    assert.equal((await followUp(job, 'More\nwrite docs/more.md: more')).status, 'failed');
    await hosted.enforce(undefined);
    completed(await followUp(job, 'Once more\nwrite docs/more.md: once more'));
    await git(hosted.folder, 'merge-base', '--is-ancestor', own, branchOf(job));
  });

  it('continues from a branch that someone has rewritten on the host', async () => {
    const job = completed(await start('Change it\nwrite docs/index.md: ONE|two|three'));
    await commit('main', { 'docs/new.md': 'new on main\n' }, 'Add a page');
    await git(colleague, 'fetch', '--quiet');
    await git(colleague, 'checkout', '--quiet', branchOf(job));
    await git(colleague, 'rebase', '--quiet', 'origin/main');
    await git(colleague, 'push', '--quiet', '--force', 'origin', branchOf(job));
    completed(await followUp(job, 'More\nwrite docs/more.md: more'));
    assert.equal((await git(hosted.folder, 'rev-list', '--count', `main..${branchOf(job)}`)).trim(), '2');
    assert.equal(onlyPull().state, 'open');
  });

  it('resolves a conflict between two jobs without a remote, as the refused merge advises', async () => {
    await git(bench.repo, 'remote', 'remove', 'origin');
    const [first, second] = [
      completed(await start('Shout\nwrite docs/index.md: ONE|two|three')),
      completed(await start('In Spanish\nwrite docs/index.md: Uno|two|three')),
    ];
    const at = ({ id: jobId }: WireJob) => ({ projectId: bench.target.projectId, jobId });
    const preview = (job: WireJob) => localCalls(bench).call('GET', pathOf('previewMerge', at(job)));
    const merge = async (job: WireJob) => {
      const { commit: shown, into, head } = (await preview(job)).body;
      return localCalls(bench).call('POST', pathOf('mergeJob', at(job)), { commit: shown, into, head });
    };
    assert.equal((await merge(first)).status, 200);
    // Sooner than a request for the job would make the service look.
    const known = () => bench.client.retrieveJob(bench.target, second.id);
    await waitUntil(async () => (await known()).surroundings?.base?.conflicts.includes(PAGE) === true, 8_000);
    const { into, text } = (await preview(second)).body;
    assert.equal(into, '');
    assert.match(String(text), /Ask the agent to resolve that in a follow-up/);
    completed(await followUp(second, 'Update your work\nresolve docs/index.md'));
    assert.equal((await merge(second)).status, 200);
    assert.equal(await readFile(join(bench.repo, PAGE), 'utf8'), 'Uno\nONE\ntwo\nthree\n');
  });
});
