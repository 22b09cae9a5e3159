import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { move, removeFile, syncFolder, whenFree } from '../../../src/base/files';

const EVERYWHERE = ['linux', 'darwin', 'win32'] as const;

describe('names that are to last', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'names-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('are synced with their folder on Linux and macOS, and a folder that can’t be opened is told', async () => {
    for (const platform of ['linux', 'darwin'] as const) {
      if (process.platform !== 'win32') {
        await syncFolder(folder, platform);
      }
      await rejects(syncFolder(join(folder, 'none'), platform), { code: 'ENOENT' });
    }
  });

  it('are left to Windows, which opens no folder for that', async () => {
    await syncFolder(join(folder, 'none'), 'win32');
  });

  it('are left to a file system that syncs no folders', async function () {
    // The file system of processes is one (EINVAL); where it isn't there, no such one can be counted on.
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

  it('take the place of others in one step', async () => {
    await writeFile(join(folder, 'old'), 'old');
    await writeFile(join(folder, 'new'), 'new');
    await move(join(folder, 'new'), join(folder, 'old'));
    deepEqual(await readdir(folder), ['old']);
    equal(await readFile(join(folder, 'old'), 'utf8'), 'new');
    await rejects(move(join(folder, 'none'), join(folder, 'old')), { code: 'ENOENT' });
  });
});

describe('a file that is removed', () => {
  it('is gone, and no fault when it was not there; a folder is left', async () => {
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

describe('a file that another program looks at', () => {
  /** A clock on which every wait is over at once, and what it was asked for. */
  function hastyClock() {
    const waits: number[] = [];
    const after = (ms: number, callback: () => void) => {
      waits.push(ms);
      queueMicrotask(callback);
      return { dispose: () => undefined };
    };
    return { waits, after };
  }

  /** Fails as often as said, and counts how often it was tried. */
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
    it(`is waited for on Windows (${code}), which refuses meanwhile`, async () => {
      const clock = hastyClock();
      equal(await whenFree(refusing(3, code).action, clock, 'win32'), 4);
      deepEqual(clock.waits, [10, 20, 30]);
    });

    it(`is in nobody’s way on Linux and macOS (${code})`, async () => {
      for (const platform of ['linux', 'darwin'] as const) {
        const clock = hastyClock();
        const { action, tries } = refusing(1, code);
        await rejects(whenFree(action, clock, platform), { code });
        equal(tries(), 1);
        deepEqual(clock.waits, []);
      }
    });
  }

  it('is not waited for without end', async () => {
    const clock = hastyClock();
    const { action, tries } = refusing(Infinity, 'EBUSY');
    await rejects(whenFree(action, clock, 'win32'), { code: 'EBUSY' });
    equal(tries(), 40);
    const total = clock.waits.reduce((sum, wait) => sum + wait, 0);
    equal(total, 3450, 'milliseconds in all');
  });

  it('is not waited for when something else is wrong', async () => {
    for (const platform of EVERYWHERE) {
      const { action, tries } = refusing(1, 'ENOENT');
      await rejects(whenFree(action, hastyClock(), platform), { code: 'ENOENT' });
      equal(tries(), 1);
    }
  });
});
