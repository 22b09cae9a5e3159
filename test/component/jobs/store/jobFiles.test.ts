import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, chmod, constants, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FailureReason, JobEvent, RecordedEvent, ServiceLocation, Snapshot } from '../../../../src/jobs/events';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { RecordChanges } from '../../../../src/jobs/store/recordChanges';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { HeardLog, intent, KEY, RecordsOnDisk, seen } from './recordsOnDisk';

/** Any text that a person or a service may provide, including lone surrogates and line separators. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('', '\u2028', '\ud800', '"\\\n'));
const maybeText = fc.option(text);
const at = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const promptId = fc.stringMatching(/^[a-z0-9]{16}$/);
const attempt = fc.nat();

/** An arbitrary for records with a normal prototype, like parsed JSON. */
function plain<T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true });
}

const location: fc.Arbitrary<ServiceLocation> = fc.record(
  { service: text, projectId: text, baseUrl: text, projectName: text },
  { noNullPrototype: true, requiredKeys: ['service', 'projectId'] },
);

const job: fc.Arbitrary<Snapshot> = fc.record(
  {
    id: text,
    status: text,
    // A blank link is read as null.
    prLink: maybeText.map((link) => (link?.trim() === '' ? null : link)),
    ref: maybeText,
    repository: maybeText,
    model: maybeText,
    createdAt: maybeText,
    error: maybeText,
    note: text,
    turn: fc.nat(),
    stopped: fc.constant(true),
  },
  {
    noNullPrototype: true,
    requiredKeys: ['id', 'status', 'prLink', 'ref', 'repository', 'model', 'createdAt', 'error'],
  },
);

const reason: fc.Arbitrary<FailureReason> = fc.record(
  {
    kind: fc.constantFrom(
      'unauthorized',
      'forbidden',
      'notFound',
      'rejected',
      'limit',
      'unreachable',
      'timeout',
      'notUnderstood',
      'aborted',
    ),
    status: fc.integer({ min: 100, max: 599 }),
    code: text,
    detail: text,
    until: at,
  },
  { noNullPrototype: true, requiredKeys: ['kind'] },
);

type Kind = JobEvent['type'];

/** One arbitrary per event type; the compiler reports a missing one when a type is added. */
const eventsByType: Record<Kind, fc.Arbitrary<JobEvent>> = {
  send: fc.record(
    {
      type: fc.constant('send'),
      at,
      promptId,
      kind: fc.constantFrom('create', 'followUp'),
      text,
      location,
      replaces: promptId,
      afterRun: fc.constant(true),
    },
    { noNullPrototype: true, requiredKeys: ['type', 'at', 'promptId', 'kind', 'text', 'location'] },
  ),
  created: fc.record(
    { type: fc.constant('created'), at, promptId, job, location },
    { noNullPrototype: true, requiredKeys: ['type', 'at', 'promptId', 'job'] },
  ),
  rejected: plain({ type: fc.constant('rejected'), at, promptId, attempt, reason }),
  needsKey: plain({ type: fc.constant('needsKey'), at, promptId, attempt, reason }),
  notSent: plain({ type: fc.constant('notSent'), at, promptId, attempt, reason }),
  throttled: plain({ type: fc.constant('throttled'), at, promptId, attempt, reason }),
  unconfirmed: plain({ type: fc.constant('unconfirmed'), at, promptId, attempt, reason }),
  discarded: plain({ type: fc.constant('discarded'), at, promptId }),
  tracked: plain({ type: fc.constant('tracked'), at, location, job }),
  changed: plain({ type: fc.constant('changed'), at, run: text, job, end: fc.boolean() }),
  resumed: plain({ type: fc.constant('resumed'), at, run: text, job, end: fc.boolean() }),
  renamed: plain({ type: fc.constant('renamed'), at, title: text }),
  pinned: plain({ type: fc.constant('pinned'), at }),
  unpinned: plain({ type: fc.constant('unpinned'), at }),
  seen: plain({ type: fc.constant('seen'), at }),
  untracked: plain({ type: fc.constant('untracked'), at }),
  restored: plain({ type: fc.constant('restored'), at }),
};

describe('JobFiles', () => {
  let disk: RecordsOnDisk;

  beforeEach(async () => {
    disk = await RecordsOnDisk.make();
  });

  afterEach(() => disk.clear());

  const times = (records: readonly RecordedEvent[]): number[] => records.map(({ event }) => event.at);

  it('reads back every event exactly as it was written', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(...Object.values(eventsByType)), async (event) => {
        const key = `job${String(count++).padStart(16, '0')}`;
        const written = { stamp: '000000001-a', event };
        await disk.files.write(key, written);
        assert.deepEqual(await disk.files.read(key), [written]);
      }),
      { numRuns: 300 },
    );
    assert.deepEqual(disk.log.lines, []);
  });

  it('reads events in stamp order regardless of write order', async () => {
    for (const at of [500, 3, 99, 1_700_000_000_000, 36]) {
      await disk.files.write(KEY, seen(at));
    }
    assert.deepEqual(times(await disk.files.read(KEY)), [3, 36, 99, 500, 1_700_000_000_000]);
  });

  it('returns send claims after all other events, with their attempt number and file time', async () => {
    await disk.files.write(KEY, intent(10, 'first'));
    await disk.files.write(KEY, intent(20, 'second'));
    await disk.files.write(KEY, seen(30));
    assert.equal(await disk.files.claim(KEY, 'claim-first'), true);
    await utimes(disk.path('claim-first'), 1_700_000_000, 1_700_000_000);
    assert.equal(await disk.files.claim(KEY, 'claim-first-2'), true);
    const records = await disk.files.read(KEY);
    assert.deepEqual(
      records.map(({ event }) => event.type),
      ['send', 'send', 'seen', 'claimed', 'claimed'],
    );
    assert.deepEqual(records[3]?.event, { type: 'claimed', at: 1_700_000_000_000, promptId: 'first', attempt: 1 });
    assert.equal(records[4]?.event.type === 'claimed' && records[4].event.attempt, 2);
  });

  it('takes the time of a send claim from its outcome, or from its file when there is none', async () => {
    const reason = { kind: 'unreachable' as const };
    await disk.files.write(KEY, intent(10, 'first'));
    await disk.files.write(KEY, intent(20, 'second'));
    await disk.files.write(KEY, {
      stamp: '000000030-a',
      event: { type: 'notSent', at: 30, promptId: 'first', attempt: 2, reason },
    });
    const snapshot = { id: 'j', status: 'active', prLink: null } as const;
    const none = { ref: null, repository: null, model: null, createdAt: null, error: null };
    const created: JobEvent = { type: 'created', at: 40, promptId: 'second', job: { ...snapshot, ...none } };
    await disk.files.write(KEY, { stamp: '000000040-a', event: created });
    for (const name of ['claim-first', 'claim-first-2', 'claim-first-3', 'claim-second']) {
      await disk.files.claim(KEY, name);
      await utimes(disk.path(name), 1_700_000_000, 1_700_000_000);
    }
    const claims = (await disk.files.read(KEY)).filter(({ event }) => event.type === 'claimed');
    assert.deepEqual(times(claims), [30, 30, 1_700_000_000_000, 40]);
  });

  it('does not read known events again', async () => {
    await disk.files.write(KEY, intent(10, 'first'));
    await disk.files.claim(KEY, 'claim-first');
    const known = new Set((await disk.files.read(KEY)).map(({ stamp }) => stamp));
    await disk.files.write(KEY, seen(30));
    assert.deepEqual(await disk.files.read(KEY, known), [seen(30)]);
  });

  it('ignores notice files', async () => {
    await disk.files.write(KEY, seen(1));
    await disk.files.claim(KEY, 'notice-run');
    assert.deepEqual(await disk.files.read(KEY), [seen(1)]);
  });

  it('lists only folders with valid job keys', async () => {
    assert.deepEqual(await disk.files.list(), []);
    await disk.files.write(KEY, seen(1));
    await disk.files.write('a1'.repeat(16), seen(1));
    for (const foreign of ['short', 'UPPER'.repeat(4), 'with-dash-with-dash', '.git', 'x'.repeat(65), 'ü'.repeat(16)]) {
      await mkdir(disk.folder(foreign));
    }
    await writeFile(disk.folder('f'.repeat(16)), 'a file, no folder');
    assert.deepEqual((await disk.files.list()).toSorted(), ['a1'.repeat(16), KEY]);
  });

  it('leaves unrelated files untouched', async () => {
    await disk.files.write(KEY, seen(1));
    for (const foreign of ['notes.txt', '.DS_Store', 'go', 'seen.json~']) {
      await writeFile(disk.path(foreign), 'foreign');
    }
    for (const folder of ['folder.json', '000000009-a.json', 'claim-s', 'old.json.tmp']) {
      await mkdir(disk.path(folder));
      await utimes(disk.path(folder), 1, 1);
    }
    const before = await readdir(disk.folder());
    assert.deepEqual(await disk.files.read(KEY), [seen(1)]);
    assert.deepEqual(await readdir(disk.folder()), before);
  });

  it('leaves symlinks and named pipes untouched and does not block on them', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    await disk.files.write(KEY, seen(1));
    for (const loop of ['000000008-a.json', 'claim-l', 'loop.json.tmp']) {
      await symlink(loop, disk.path(loop));
    }
    await symlink(disk.path(`${seen(1).stamp}.json`), disk.path('000000009-a.json'));
    for (const pipe of ['00000000a-a.json', 'claim-p', 'pipe.json.tmp']) {
      execFileSync('mkfifo', [disk.path(pipe)]);
      await utimes(disk.path(pipe), 1, 1);
    }
    const before = await readdir(disk.folder());
    assert.deepEqual(await disk.files.read(KEY), [seen(1)]);
    assert.deepEqual(await readdir(disk.folder()), before);
    assert.deepEqual(disk.log.lines, []);
  });

  it('rejects while a record is unreadable so that no event is silently lost', async function () {
    await disk.files.write(KEY, seen(1));
    await disk.files.write(KEY, seen(2));
    const path = disk.path(`${seen(1).stamp}.json`);
    await chmod(path, 0o000);
    if (await mayAll(path, constants.R_OK)) {
      this.skip();
    }
    await assert.rejects(disk.files.read(KEY), { code: 'EACCES' });
    await chmod(path, 0o600);
    assert.deepEqual(await disk.files.read(KEY), [seen(1), seen(2)]);
  });

  it('makes its files and folders readable only by their owner', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    await disk.files.write(KEY, intent(1, 's'));
    await disk.files.claim(KEY, 'claim-s');
    for (const name of await readdir(disk.folder())) {
      assert.equal((await stat(disk.path(name))).mode & 0o777, 0o600, name);
    }
    assert.equal((await stat(disk.folder())).mode & 0o777, 0o700);
  });

  it('keeps a file of a newer version unchanged, reports it and reads the rest', async () => {
    await disk.files.write(KEY, seen(1));
    const newer = JSON.stringify({ version: 2, event: { type: 'merged', at: 'later' } });
    await writeFile(disk.path('000000002-x.json'), newer);
    assert.deepEqual(await disk.files.read(KEY), [seen(1)]);
    assert.equal(await readFile(disk.path('000000002-x.json'), 'utf8'), newer);
    assert.match(disk.log.lines.join(), /^warn [^,]*000000002-x\.json[^,]*newer/);
    assert.equal(disk.newer, 1);
  });

  it('deletes old temporary files left by a crash and keeps recent ones', async () => {
    await disk.files.write(KEY, seen(1));
    const longAgo = Date.now() / 1000 - 3600;
    for (const name of ['old.json.tmp', 'young.json.tmp']) {
      await writeFile(disk.path(name), '{"version":1,');
    }
    await utimes(disk.path('old.json.tmp'), longAgo, longAgo);
    assert.deepEqual(await disk.files.read(KEY), [seen(1)]);
    assert.deepEqual((await readdir(disk.folder())).toSorted(), [`${seen(1).stamp}.json`, 'young.json.tmp']);
  });

  it('rejects and leaves nothing behind when records cannot be written', async () => {
    const occupied = join(disk.root, 'occupied');
    await writeFile(occupied, 'a file where the root should be');
    const files = new JobFiles(occupied, new HeardLog());
    await assert.rejects(files.write(KEY, seen(1)));
    await assert.rejects(files.claim(KEY, 'claim-s'));
    await assert.rejects(files.list(), { code: 'ENOTDIR' });
    assert.deepEqual(await readdir(disk.root), ['occupied']);
    assert.equal(await readFile(occupied, 'utf8'), 'a file where the root should be');
  });

  it('rejects reads and claims for a job without a folder', async () => {
    await assert.rejects(disk.files.read(KEY), { code: 'ENOENT' });
    await assert.rejects(disk.files.claim(KEY, 'claim-s'), { code: 'ENOENT' });
  });

  it('still reads from a read-only folder', async function () {
    await disk.files.write(KEY, seen(1));
    await writeFile(disk.path('torn00000-a.json'), '{');
    await writeFile(disk.path('old.json.tmp'), '{');
    await utimes(disk.path('old.json.tmp'), 1, 1);
    await chmod(disk.folder(), 0o500);
    try {
      if (await mayAll(disk.folder(), constants.W_OK)) {
        this.skip();
      }
      await assert.rejects(disk.files.write(KEY, seen(2)), { code: 'EACCES' });
      assert.deepEqual(await disk.files.read(KEY), [seen(1)]);
    } finally {
      await chmod(disk.folder(), 0o700);
    }
    assert.equal((await readdir(disk.folder())).length, 3);
  });
});

/** True for root and on Windows, where file modes do not restrict access. */
function mayAll(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

describe('changes by other windows without file events', () => {
  let root: string;
  beforeEach(async () => (root = join(await temporaryFolder(), 'jobs')));

  it('are found once through the modification times of the folders', async () => {
    const files = new JobFiles(root, new HeardLog());
    const write = (key: string, n: number): Promise<void> => {
      const stamped: RecordedEvent<JobEvent> = { stamp: `00000000${n}-x`, event: { type: 'seen', at: n } };
      return files.write(key, stamped);
    };
    const [a, b] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'];
    // A later clock, so that no modification time counts as recent.
    const changes = new RecordChanges(root, () => Date.now() + 60_000);
    assert.deepEqual(await changes.find(), [], 'there is no folder yet');
    await write(a, 1);
    assert.deepEqual(await changes.find(), [a]);
    assert.deepEqual(await changes.find(), []);
    await write(b, 1);
    await utimes(join(root, a), new Date(), new Date(Date.now() + 5000));
    assert.deepEqual((await changes.find()).toSorted(), [a, b]);
    assert.deepEqual(await changes.find(), []);
  });

  it('are looked for again while a folder is so new that a coarse clock could hide a write', async () => {
    await new JobFiles(root, new HeardLog()).write('aaaaaaaaaaaaaaaa', {
      stamp: '000000001-x',
      event: { type: 'seen', at: 1 },
    });
    const changes = new RecordChanges(root);
    assert.deepEqual([(await changes.find()).length, (await changes.find()).length], [1, 1]);
  });
});
