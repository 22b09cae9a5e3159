import assert from 'node:assert/strict';
import { chown, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { whyNotTrusted } from '../../../src/git/errors';
import { Git } from '../../../src/git/git';
import { findProgram } from '../../../src/git/programPaths';
import { jobFolders, prepareClones } from '../../../src/local-service/git/jobClone';
import { UnusableFolder, UserRepository } from '../../../src/local-service/git/userRepository';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../support/temporaryRepository';

/** A user ID that does not exist on this machine. */
const OTHER_USER = 54_321;

describe('repository owned by another user', function () {
  let folder: string;
  let home: string;
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });
  beforeEach(async () => {
    [folder, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(folder);
  });

  const trust = (...directories: string[]) =>
    writeFile(join(home, '.gitconfig'), `[safe]\n${directories.map((each) => `directory = ${each}\n`).join('')}`);
  const environment = (bin = '') => {
    const PATH = [bin, process.env['PATH']].join(delimiter);
    return { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  };

  it('is refused with the command that trusts it and accepted once the user has run it', async () => {
    // Makes git treat each repository as another user’s.
    const bin = await temporaryFolder();
    const real = await findProgram('git', process.env);
    const script = `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real ?? ''}' "$@"\n`;
    await writeFile(join(bin, 'git'), script, { mode: 0o755 });
    const repository = new UserRepository(new Git(environment(bin)));
    const refused = (error: unknown): boolean => {
      assert.ok(error instanceof UnusableFolder);
      assert.match(error.message, /^git does not trust this repository, because its folder belongs to another user\./);
      assert.ok(error.message.includes(`run “git config --global --add safe.directory ${folder}”`), error.message);
      return true;
    };
    await assert.rejects(repository.topLevel(folder), refused);
    await trust('/elsewhere');
    await assert.rejects(repository.topLevel(folder), refused);
    await trust('/elsewhere', folder);
    assert.equal(await repository.topLevel(folder), folder);
    assert.equal((await repository.head(folder)).branch, 'main');
  });

  it('is cloned when the user trusts its folder or all folders', async function () {
    if (process.getuid?.() !== 0) {
      // Only root can change the owner of a folder.
      this.skip();
    }
    const base = (await plainGit(folder, 'rev-parse', 'HEAD')).trim();
    for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
      await chown(join(folder, path), OTHER_USER, OTHER_USER);
    }
    const prepare = async () => {
      const folders = jobFolders(join(await temporaryFolder(), 'job'));
      await prepareClones(new Git(environment()), folders, folder, 'docs-agent/j1', base);
      return (await plainGit(folders.work, 'rev-parse', 'HEAD')).trim();
    };
    for (const trusted of [folder, `${folder}/`, '*']) {
      await trust("/it's elsewhere", trusted);
      assert.equal(await prepare(), base, trusted);
    }
  });
});

describe('whyNotTrusted', () => {
  it('recognizes git’s message in each version and ignores other errors', () => {
    const older =
      "fatal: unsafe repository ('/r' is owned by someone else)\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/r x'\n";
    assert.match(whyNotTrusted(older, '/r') ?? '', /run “git config --global --add safe\.directory '\/r x'”, then/);
    assert.match(whyNotTrusted('fatal: detected dubious ownership in repository', '/r') ?? '', /directory '\/r'”/);
    assert.equal(whyNotTrusted('fatal: not a git repository', '/r'), undefined);
  });
});
