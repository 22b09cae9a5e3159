import { strictEqual } from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExecutable, isPrivateToUser, keepPrivate, makePrivateFolder, makeWritable } from '../../../src/base/files';

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

  it('detects executable files on Linux and macOS but not on Windows', () => {
    strictEqual(isExecutable({ mode: 0o100755 }), true);
    strictEqual(isExecutable({ mode: 0o100644 }), false);
    strictEqual(isExecutable(ON_WINDOWS), false);
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
