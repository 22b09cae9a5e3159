import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStartTime } from '../../src/base/process';
import { JobEventsClient } from '../../src/client/events';
import type { ActivityEntry } from '../../src/protocol/activity';
import { jobBranch, git } from '../support/temporaryRepository';
import { type LocalBench, localBench, localCalls, waitUntil } from './contractBench';

const stateOf = (entry: ActivityEntry): string | undefined => (entry.kind === 'state' ? entry.state : undefined);

describe('local service, jobs beyond the hosted API', function () {
  let bench: LocalBench;
  let calls: ReturnType<typeof localCalls>;
  before(async () => {
    bench = await localBench({ concurrency: 1 });
    calls = localCalls(bench);
  });
  after(() => bench.close());

  const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;
  const folderOf = (id: string): string => join(bench.service.data, 'jobs', id);
  const create = async (prompt: string): Promise<string> => (await bench.client.createJob(bench.target, prompt)).id;

  it('stream their events live, and replay them from any point', async () => {
    const id = await create('Document the limits [scripted: wait 200]');
    const live = await calls.events(id);
    assert.equal(live.status, 200);
    await bench.ended(id);
    await waitUntil(() => live.events.some(({ entry }) => stateOf(entry) === 'done'));
    live.close();
    const states = live.events.map(({ entry }) => stateOf(entry)).filter((state) => state !== undefined);
    assert.deepEqual(states, ['queued', 'running', 'publishing', 'done']);
    assert.ok(live.events.every(({ turn }) => turn === 1));

    const whole = await calls.events(id, { follow: false });
    await whole.ended;
    assert.deepEqual(whole.events, live.events);
    const last = live.events[1]?.id ?? 0;
    const rest = await calls.events(id, { last, follow: false });
    await rest.ended;
    assert.deepEqual(rest.events, live.events.slice(2));

    await bench.client.sendMessage(bench.target, id, '[scripted: change nothing]');
    await bench.ended(id);
    const more = await calls.events(id, { last: live.events.at(-1)?.id ?? 0, follow: false });
    await more.ended;
    assert.ok(more.events.length >= 4 && more.events.every(({ turn }) => turn === 2));
  });

  it('are reported to an editor at once, even a follow-up that another client sends', async () => {
    const events = new JobEventsClient();
    const gone = new AbortController();
    const told: { jobId: string; at: number }[] = [];
    let isOpen = false;
    const listening = events.listen(bench.target, {
      onOpen: () => (isOpen = true),
      onJob: (_, jobId) => void told.push({ jobId, at: performance.now() }),
      signal: gone.signal,
    });
    listening.catch(() => undefined);
    await waitUntil(async () => isOpen);
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    await bench.ended(id);
    const ended = performance.now();
    await waitUntil(async () => told.length >= 2);
    assert.ok(told.every(({ jobId, at }) => jobId === id && at - ended < 500));
    const before = told.length;
    const { turn } = await bench.client.sendMessage(bench.target, id, 'Document more');
    assert.equal(turn, 2);
    await waitUntil(async () => told.length > before);
    gone.abort();
    await assert.rejects(listening, { kind: 'aborted' });
    await events.dispose();
  });

  it('say that they are queued while as many run as may, and are canceled while running or queued, and continue after a follow-up', async () => {
    const running = await create('First [scripted: wait 60000]');
    const waiting = await create('Second [scripted: wait 60000]');
    await waitUntil(() => exists(join(folderOf(running), 'work')));
    const around = (id: string) => bench.client.retrieveJob(bench.target, id).then((job) => job.surroundings);
    assert.deepEqual(await Promise.all([waiting, running].map(around)), [{ queued: true }, undefined]);
    for (const id of [waiting, running]) {
      const answer = await calls.cancel(id);
      assert.equal(answer.status, 200);
      assert.equal(answer.body['status'], 'failed');
      assert.equal(answer.body['error'], 'You stopped this job. Send a follow-up to continue.');
    }
    assert.equal(await exists(folderOf(waiting)), false);
    assert.equal((await calls.cancel(running)).body['status'], 'failed');
    await bench.client.sendMessage(bench.target, waiting, 'Document the stop');
    const done = await bench.ended(waiting);
    assert.equal(done.status, 'completed');
    assert.equal((await calls.cancel(waiting)).body['status'], 'completed');
    assert.equal((await calls.cancel('nosuchjob')).status, 404);
  });

  it('are archived, which removes their folders, and continue from their branch', async () => {
    const id = await create('Document the archive');
    const done = await bench.ended(id);
    assert.equal(done.status, 'completed');
    // As left behind by a git command that is killed together with the service.
    await writeFile(join(bench.service.data, 'jobs', id, 'host.git', 'index.lock'), '');
    const archived = await calls.archive(id);
    assert.deepEqual([archived.status, archived.body['status']], [200, 'archived']);
    assert.ok(Math.abs(Date.parse(String(archived.body['archivedAt'])) - Date.now()) < 600_000);
    assert.equal(await exists(folderOf(id)), false);
    assert.equal((await calls.archive(id)).status, 200);
    const { body: undone } = await calls.unarchive(id);
    assert.deepEqual([undone['status'], undone['archivedAt']], ['completed', null]);
    assert.equal((await calls.archive(id)).body['status'], 'archived');

    // Work continues from what the user has added to the branch in the meantime.
    await git(bench.repo, 'checkout', '--quiet', await jobBranch(bench.repo, id));
    await writeFile(join(bench.repo, 'own.md'), 'mine\n');
    await git(bench.repo, 'add', '--all');
    await git(bench.repo, 'commit', '--quiet', '-m', 'My own');
    await git(bench.repo, 'checkout', '--quiet', 'main');
    await bench.client.sendMessage(bench.target, id, 'Say more in docs/archive.md');
    const again = await bench.ended(id);
    assert.deepEqual([again.status, again.archivedAt], ['completed', null]);
    const subjects = await git(bench.repo, 'log', '--format=%s', `main..${await jobBranch(bench.repo, id)}`);
    assert.deepEqual(subjects.trim().split('\n'), ['Say more in docs/archive.md', 'My own', 'Document the archive']);
    const files = await git(bench.repo, 'ls-tree', '-r', '--name-only', await jobBranch(bench.repo, id));
    assert.deepEqual(
      ['README.md', 'docs/archive.md', 'docs/getting-started.md', 'own.md', 'src/retry.ts'].filter(
        (file) => !files.includes(file),
      ),
      [],
    );
  });

  it('are not archived while active, or while their work exists nowhere else', async () => {
    const active = await create('[scripted: wait 60000]');
    assert.equal((await calls.archive(active)).status, 409);
    await calls.cancel(active);

    const unsaved = await create('[scripted: fail]');
    await bench.ended(unsaved);
    assert.equal((await calls.archive(unsaved)).status, 200, 'nothing was written');

    const written = await create('Document what is lost');
    await bench.ended(written);
    await writeFile(join(folderOf(written), 'work', 'left.md'), 'left\n');
    const refused = await calls.archive(written);
    assert.equal(refused.status, 409);
    assert.match(String(refused.body['error']), /uncommitted work/);
    assert.equal(refused.body['canDiscard'], true);
    await git(bench.repo, 'branch', '-D', await jobBranch(bench.repo, written));
    const lost = await calls.archive(written, { discard: true });
    assert.equal(lost.status, 409);
    assert.match(String(lost.body['error']), /commits aren’t in any branch/);
    assert.equal(lost.body['canDiscard'], undefined);
    assert.ok(await exists(join(folderOf(written), 'work', 'left.md')));
    assert.equal((await calls.archive(written, { discard: 1 })).status, 400);

    await bench.client.sendMessage(bench.target, written, 'Say more in docs/lost.md');
    assert.equal((await bench.ended(written)).status, 'completed');
    assert.match(await git(bench.repo, 'show', `${await jobBranch(bench.repo, written)}:left.md`), /left/);
    assert.equal((await calls.archive(written)).status, 200);
  });

  it('report the disk space of their folders', async () => {
    const id = await create('Document the storage');
    await bench.ended(id);
    const { body } = await calls.call('GET', '/local/storage');
    const { jobs, bytes } = body as { bytes: number; jobs: { jobId: string; title: string; bytes: number }[] };
    const own = jobs.find(({ jobId }) => jobId === id);
    assert.ok(own);
    assert.equal(own.title, 'Document the storage');
    assert.ok(own.bytes > 0 && bytes >= own.bytes);
  });

  it('lose their folders after a while if their work is safe, including half-removed ones', async () => {
    const other = await localBench();
    const ids: string[] = [];
    for (const prompt of ['Document one', 'Document two']) {
      const { id } = await other.client.createJob(other.target, prompt);
      await other.ended(id);
      ids.push(id);
    }
    const jobs = join(other.service.data, 'jobs');
    await writeFile(join(jobs, ids[1] ?? '', 'work', 'left.md'), 'left\n');
    await other.service.stop();
    const rest = join(jobs, '.removing-x');
    await mkdir(join(rest, 'deep'), { recursive: true });
    const settings = { repo: other.repo, data: other.service.data, key: other.target.apiKey, keepDays: 0 };
    const again = await localBench(settings);
    try {
      await waitUntil(async () => (await readdir(jobs)).join() === ids[1]);
      await again.client.sendMessage(again.target, ids[0] ?? '', 'Say more in docs/one.md');
      assert.equal((await again.ended(ids[0] ?? '')).status, 'completed');
      const files = await git(other.repo, 'ls-tree', '-r', '--name-only', await jobBranch(other.repo, ids[0] ?? ''));
      assert.ok(files.includes('README.md') && files.includes('docs/one.md'));
    } finally {
      await again.close();
      await other.client.dispose();
    }
  });

  it('resume after a clean shutdown, and leave no process', async () => {
    const other = await localBench();
    const { id } = await other.client.createJob(other.target, 'Document the end [scripted: wait 1500]');
    const activity = await localCalls(other).events(id);
    await waitUntil(() => activity.events.some(({ entry }) => stateOf(entry) === 'running'));
    const stopped = await localCalls(other).call('POST', '/local/shutdown', { when: 'now' });
    assert.equal(stopped.status, 202);
    await waitUntil(async () => (await processStartTime(other.service.pid)) === undefined);
    assert.equal(await other.service.stop(), 0, 'its exit code');
    await other.client.dispose();
    const again = await localBench({ repo: other.repo, data: other.service.data, key: other.target.apiKey });
    try {
      const done = await again.ended(id);
      assert.deepEqual([done.status, typeof done.prLink], ['completed', 'string']);
      const told = await localCalls(again).events(id, { follow: false });
      await told.ended;
      const notes = told.events.map(({ entry }) => (entry.kind === 'note' ? entry.text : '')).filter(Boolean);
      assert.match(notes.join(), /The local service was stopped\. This run will resume/);
    } finally {
      await again.close();
    }
  });
});
