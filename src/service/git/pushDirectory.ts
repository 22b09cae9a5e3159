import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from './git';

const PREFIX = 'docs-agent-push-';
/** One that is older was left by a service that was killed, in milliseconds. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** The list of commits whose parents a shallow repository does not have: one id a line. */
const SHALLOW = /^([0-9a-f]{40,64}\n)+$/;

/**
 * Has `use` work with a new bare git directory that sees the objects of another and has nothing else of it: no
 * configuration, no references, no hooks. It goes afterwards.
 *
 * @param commit tells how long ids are in that repository
 */
export async function withPushDirectory<T>(
  git: Git,
  hostGit: string,
  commit: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  void removeStale();
  const directory = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    const format = commit.length === 64 ? ['--object-format=sha256'] : [];
    await git.run({ folder: directory }, ['init', '--quiet', '--bare', '--template=', ...format, '--', directory]);
    await writeFile(join(directory, 'objects', 'info', 'alternates'), `${join(hostGit, 'objects')}\n`);
    const shallow = await readFile(join(hostGit, 'shallow'), 'utf8').catch(() => '');
    if (SHALLOW.test(shallow)) {
      await writeFile(join(directory, 'shallow'), shallow);
    }
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function removeStale(): Promise<void> {
  try {
    for (const name of await readdir(tmpdir())) {
      const path = join(tmpdir(), name);
      if (name.startsWith(PREFIX) && Date.now() - (await stat(path)).mtimeMs > STALE_MS) {
        await rm(path, { recursive: true, force: true });
      }
    }
  } catch {
    // Another user's, or gone already.
  }
}
