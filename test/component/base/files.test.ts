import { deepEqual, equal, rejects, strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  isPrivateToUser,
  keepPrivate,
  makePrivateFolder,
  makeWritable,
  move,
  readStart,
  removeFile,
  replaceFile,
  retryWhileInUse,
  syncFolder,
} from '../../../src/base/files';
import { notOnWindows } from '../../support/machine';

const EVERYWHERE = ['linux', 'darwin', 'win32'] as const;

describe('durable renaming', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'names-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('syncs the folder on Linux and macOS and rejects when it cannot be opened', async () => {
    for (const platform of ['linux', 'darwin'] as const) {
      if (process.platform !== 'win32') {
        await syncFolder(folder, platform);
      }
      await rejects(syncFolder(join(folder, 'none'), platform), { code: 'ENOENT' });
    }
  });

  it('does not sync the folder on Windows, which cannot open folders', async () => {
    await syncFolder(join(folder, 'none'), 'win32');
  });

  it('ignores a file system that does not support syncing folders', async function () {
    // procfs is such a file system (EINVAL); without it, none is known to exist.
    const isThere = await stat('/proc/self').then(
      () => true,
      () => false,
    );
    if (!isThere) {
      this.skip();
    }
    await syncFolder('/proc', 'linux');
    await syncFolder('/proc', 'darwin');
  });

  it('replaces an existing file atomically', async () => {
    await writeFile(join(folder, 'old'), 'old');
    await writeFile(join(folder, 'new'), 'new');
    await move(join(folder, 'new'), join(folder, 'old'));
    deepEqual(await readdir(folder), ['old']);
    equal(await readFile(join(folder, 'old'), 'utf8'), 'new');
    await rejects(move(join(folder, 'none'), join(folder, 'old')), { code: 'ENOENT' });
  });
});

describe('removeFile', () => {
  it('removes a file, ignores a missing one and rejects for a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'names-'));
    try {
      await writeFile(join(folder, 'file'), '');
      await removeFile(join(folder, 'file'));
      await removeFile(join(folder, 'file'));
      deepEqual(await readdir(folder), []);
      await rejects(removeFile(folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('operation on a file that another program is using', () => {
  /** A clock on which every wait ends immediately, and the waits that were requested. */
  function hastyClock() {
    const waits: number[] = [];
    const after = (ms: number, callback: () => void) => {
      waits.push(ms);
      queueMicrotask(callback);
      return { dispose: () => undefined };
    };
    return { waits, after };
  }

  /** An action that fails the first `times` times and counts its attempts. */
  function refusing(times: number, code: string) {
    let tries = 0;
    const action = async (): Promise<number> => {
      tries += 1;
      if (tries <= times) {
        throw Object.assign(new Error(code), { code });
      }
      return tries;
    };
    return { action, tries: () => tries };
  }

  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    it(`is retried on Windows after ${code}`, async () => {
      const clock = hastyClock();
      equal(await retryWhileInUse(refusing(3, code).action, clock, 'win32'), 4);
      deepEqual(clock.waits, [10, 20, 30]);
    });

    it(`is not retried on Linux and macOS after ${code}`, async () => {
      for (const platform of ['linux', 'darwin'] as const) {
        const clock = hastyClock();
        const { action, tries } = refusing(1, code);
        await rejects(retryWhileInUse(action, clock, platform), { code });
        equal(tries(), 1);
        deepEqual(clock.waits, []);
      }
    });
  }

  it('is not retried forever', async () => {
    const clock = hastyClock();
    const { action, tries } = refusing(Infinity, 'EBUSY');
    await rejects(retryWhileInUse(action, clock, 'win32'), { code: 'EBUSY' });
    equal(tries(), 40);
    const total = clock.waits.reduce((sum, wait) => sum + wait, 0);
    equal(total, 3450, 'milliseconds in all');
  });

  it('is not retried after other errors', async () => {
    for (const platform of EVERYWHERE) {
      const { action, tries } = refusing(1, 'ENOENT');
      await rejects(retryWhileInUse(action, hastyClock(), platform), { code: 'ENOENT' });
      equal(tries(), 1);
    }
  });
});

describe('replaceFile', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replace-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('creates the folder, writes a private file and leaves no other files', async () => {
    const file = join(folder, 'a', 'state.json');
    await replaceFile(file, 'one');
    await replaceFile(file, 'two');
    equal(await readFile(file, 'utf8'), 'two');
    deepEqual(await readdir(join(folder, 'a')), ['state.json']);
    if (process.platform !== 'win32') {
      equal((await stat(file)).mode & 0o777, 0o600);
    }
  });

  it('rejects and leaves nothing when a folder has the same name', async () => {
    await mkdir(join(folder, 'taken', 'full'), { recursive: true });
    await rejects(replaceFile(join(folder, 'taken'), 'text'));
    deepEqual(await readdir(folder), ['taken']);
  });
});

describe('reading the start of a file', function () {
  notOnWindows();
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reads no more than the given number of bytes, even through a link', async () => {
    await writeFile(join(folder, 'file'), 'content');
    await symlink('file', join(folder, 'link'));
    strictEqual(await readStart(join(folder, 'file'), 100), 'content');
    strictEqual(await readStart(join(folder, 'link'), 4), 'cont');
  });

  it('treats anything but a file as missing, and does not block on a named pipe', async () => {
    await mkdir(join(folder, 'folder'));
    await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
    await symlink('pipe', join(folder, 'link'));
    for (const name of ['none', 'folder', 'pipe', 'link', 'none/below']) {
      strictEqual(await readStart(join(folder, name), 100), undefined, name);
    }
  });
});

/** The mode that Node reports for any writable file on Windows. */
const ON_WINDOWS = { mode: 0o100666, uid: 0 };

describe('file mode handling', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modes-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  for (const platform of ['linux', 'darwin'] as const) {
    it(`treats a file as private on ${platform} when this user owns it and nobody else has access`, () => {
      const isOurs = (mode: number, uid: number, user = 501): boolean => isPrivateToUser({ mode, uid }, user, platform);
      strictEqual(isOurs(0o100600, 501), true);
      strictEqual(isOurs(0o100400, 501), true);
      strictEqual(isOurs(0o100600, 502), false);
      strictEqual(isOurs(0o100600, 0), false);
      strictEqual(isOurs(0o100600, 0, 0), true, 'root has the id 0, which is one');
      for (const open of [0o640, 0o620, 0o610, 0o604, 0o602, 0o601]) {
        strictEqual(isOurs(0o100000 | open, 501), false, open.toString(8));
      }
    });
  }

  it('treats every file as private on Windows, where the folder protects it', () => {
    strictEqual(isPrivateToUser(ON_WINDOWS, undefined, 'win32'), true);
  });

  it('creates private folders and returns the first one that was created', async () => {
    strictEqual(await makePrivateFolder(join(folder, 'a', 'b')), join(folder, 'a'));
    strictEqual(await makePrivateFolder(join(folder, 'a', 'b')), undefined);
    if (process.platform !== 'win32') {
      strictEqual(await modeOf(join(folder, 'a')), 0o700);
      strictEqual(await modeOf(join(folder, 'a', 'b')), 0o700);
    }
  });

  it('makes a file private and keeps its content', async () => {
    const file = join(folder, 'file');
    keepPrivate(file);
    strictEqual(await readFile(file, 'utf8'), '');
    await writeFile(file, 'text');
    await chmod(file, 0o644);
    keepPrivate(file);
    strictEqual(await readFile(file, 'utf8'), 'text');
    if (process.platform !== 'win32') {
      strictEqual(await modeOf(file), 0o600);
    }
  });

  it('makes a read-only folder writable again', async () => {
    await chmod(folder, 0o500);
    await makeWritable(folder);
    if (process.platform !== 'win32') {
      strictEqual(await modeOf(folder), 0o700);
    }
  });
});
