import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { move, removeFile, syncFolder, retryWhileInUse } from '../../../src/base/files';

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
