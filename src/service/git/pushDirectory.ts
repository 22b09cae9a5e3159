import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../../git/git';
import { makePrivateFolder } from '../../shared/util/fileModes';

/** The list of commits whose parents a shallow repository does not have: one id a line. */
const SHALLOW = /^([0-9a-f]{40,64}\n)+$/;

/** The names that `mkdtemp` makes below. */
const MADE = /^push-[A-Za-z0-9]{6}$/;

/**
 * Has `use` work with a new bare git directory that sees the objects of another and has nothing else of it: no
 * configuration, no references, no hooks. It goes afterwards.
 *
 * @param parent a folder of the service's own, where no confined agent can write: git runs there with the user's
 *   credentials, and follows the configuration of that directory
 * @param commit tells how long ids are in that repository
 */
export async function withPushDirectory<T>(
  git: Git,
  parent: string,
  hostGit: string,
  commit: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  await makePrivateFolder(parent);
  const directory = await mkdtemp(join(parent, 'push-'));
  try {
    const format = commit.length === 64 ? ['--object-format=sha256'] : [];
    await git.run({ folder: directory }, ['init', '--quiet', '--bare', '--template=', ...format, '--', directory]);
    await writeFile(join(directory, 'objects', 'info', 'alternates'), `${join(hostGit, 'objects')}\n`);
    const shallow = await readPlainFile(join(hostGit, 'shallow'));
    if (SHALLOW.test(shallow)) {
      await writeFile(join(directory, 'shallow'), shallow);
    }
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Empty for what is no file: nothing is read through a link, and a pipe would be waited for without end. */
async function readPlainFile(path: string): Promise<string> {
  const isFile = await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? readFile(path, 'utf8') : '';
}

/** Removes what a service left that was killed, and nothing else. To be called before anything is pushed. */
export async function removeLeftPushDirectories(parent: string): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((each) => each.isDirectory() && MADE.test(each.name))) {
    await rm(join(parent, entry.name), { recursive: true, force: true, maxRetries: 3 });
  }
}
