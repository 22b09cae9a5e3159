import assert from 'node:assert/strict';
import { systemClock } from '../../src/base/async';
import type { Target } from '../../src/client/agentClient';
import { LocalServiceClient } from '../../src/client/localServiceClient';
import { type FollowOptions, ActivityFollower } from '../../src/client/events';
import { Transport } from '../../src/client/transport';
import type { ActivityEvent } from '../../src/protocol/activity';
import type { JobChanges } from '../../src/protocol/changes';
import { SCRIPTED_ACP } from '../support/agentTask';
import { testNode } from '../support/serviceProcess';
import { jobBranch, git } from '../support/temporaryRepository';
import { type LocalBench, localBench, projectAt, waitUntil } from './contractBench';

/** Changes files the way documentation agents do: writes, moves, deletes, and adds a picture. */
const TIDIES_UP = `cat > /dev/null
printf 'One\\nTwo\\nThree\\n' > new.md
git mv docs/index.md 'docs/the start.md'
git rm -q README.md
printf 'a\\0b' > 'Bild ü.png'`;

describe('local service, events of a job', function () {
  const transport = new Transport(undefined, undefined, 16);
  const follower = new ActivityFollower({ transport, clock: systemClock, random: Math.random });
  const local = new LocalServiceClient(transport);
  let shared: LocalBench;
  before(async () => (shared = await localBench()));
  after(async () => {
    await transport.dispose();
    await shared.close();
  });

  const changesOf = ({ target }: LocalBench, id: string): Promise<JobChanges> =>
    local.changes(target, target.projectId, id);

  /** Follows a job and collects its events. */
  function follow(jobId: string, target: () => Target | undefined, more: Partial<FollowOptions> = {}) {
    const gone = new AbortController();
    const events: ActivityEvent[] = [];
    const ended = follower.follow({
      jobId,
      target: async () => target(),
      stays: () => true,
      signal: gone.signal,
      onEvents: (more) => events.push(...more),
      ...more,
    });
    return {
      events,
      ended,
      end: () => gone.abort(),
      isIn: (state: string) => events.some(({ entry }) => entry.kind === 'state' && entry.state === state),
    };
  }

  it('contain its plan, steps and states, live and again afterward', async () => {
    const acp = await projectAt(shared, { agentCommand: [testNode(), SCRIPTED_ACP], acp: true });
    const prompt = 'Document the limits [scripted: plan] [scripted: wait 300] [scripted: edit notes.md]';
    const { id } = await acp.client.createJob(acp.target, prompt);
    const live = follow(id, () => acp.target);
    await waitUntil(() => live.isIn('done'));
    live.end();
    await live.ended;
    const entries = live.events.map(({ entry }) => entry);
    assert.ok(entries.some((entry) => entry.kind === 'plan' && entry.steps.length > 0));
    assert.ok(entries.some((entry) => entry.kind === 'tool' && entry.files.includes('notes.md')));
    assert.ok(entries.some((entry) => entry.kind === 'permission' && entry.answer === 'allowed'));

    const again = follow(id, () => acp.target, { stays: () => false });
    await again.ended;
    assert.deepEqual(again.events, live.events);
  });

  it('are not available for an unknown job', async () => {
    const empty = shared;
    await assert.rejects(follow('nosuchjob', () => empty.target).ended, { kind: 'notFound' });
    await assert.rejects(changesOf(empty, 'nosuchjob'), { kind: 'notFound' });
    const { id } = await empty.client.createJob(empty.target, '[scripted: change nothing]');
    const stranger = { ...empty.target, apiKey: empty.service.otherKey };
    await assert.rejects(local.changes(stranger, stranger.projectId, id), { status: 403 });
    await empty.ended(id);
    assert.deepEqual(await changesOf(empty, id), {
      base: null,
      commit: null,
      files: [],
      more: 0,
      added: 0,
      deleted: 0,
    });
    assert.deepEqual(await local.diff(empty.target, empty.target.projectId, id), { files: [] });
    await assert.rejects(local.diff(stranger, stranger.projectId, id), { status: 403 });
    const query = { path: 'a.png', of: 'commit' } as const;
    assert.equal(await local.image(empty.target, empty.target.projectId, id, query), null);
  });

  it('name the changed files with their line counts, even after the folders were archived', async () => {
    const tidy = await projectAt(shared, { agentCommand: ['sh', '-c', TIDIES_UP] });
    const lines = (await git(tidy.repo, 'show', 'HEAD:README.md')).trimEnd().split('\n').length;
    const base = (await git(tidy.repo, 'rev-parse', 'HEAD')).trim();
    const { id } = await tidy.client.createJob(tidy.target, 'Tidy up');
    assert.equal((await tidy.ended(id)).status, 'completed');
    const changes = await changesOf(tidy, id);
    const commit = (await git(tidy.repo, 'rev-parse', await jobBranch(tidy.repo, id))).trim();
    const files = changes.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    assert.deepEqual(
      { ...changes, files },
      {
        ...{ base, commit, more: 0, added: 3, deleted: lines, rounds: [{ commit, prompt: 'Tidy up' }] },
        files: [
          { path: 'Bild ü.png', kind: 'added', added: null, deleted: null },
          { path: 'README.md', kind: 'deleted', added: 0, deleted: lines },
          { path: 'docs/the start.md', from: 'docs/index.md', kind: 'renamed', added: 0, deleted: 0 },
          { path: 'new.md', kind: 'added', added: 3, deleted: 0 },
        ],
      },
    );
    const { target } = tidy;
    const diff = await local.diff(target, target.projectId, id);
    const patches = new Map(diff.files.map(({ path, patch, isCut }) => [path, { patch, isCut }]));
    assert.deepEqual([...patches.keys()].toSorted(), files.map(({ path }) => path).toSorted());
    assert.match(patches.get('new.md')?.patch ?? '', /^@@ -0,0 \+1,3 @@\n\+/m);
    assert.match(patches.get('docs/the start.md')?.patch ?? '', /^rename from docs\/index\.md$/m);
    const image = (of: 'base' | 'commit', path = 'Bild ü.png'): Promise<string | null> =>
      local.image(target, target.projectId, id, { path, of });
    assert.deepEqual([await image('base'), await image('commit', 'new.md')], [null, null]);
    const shown = Buffer.from((await image('commit')) ?? '', 'base64');
    assert.equal(shown.toString('latin1'), await git(tidy.repo, 'show', `${commit}:Bild ü.png`));
    await local.archiveJob(target, target.projectId, id);
    assert.deepEqual(await changesOf(tidy, id), changes);
    assert.deepEqual(await local.diff(target, target.projectId, id), diff);
  });
});
