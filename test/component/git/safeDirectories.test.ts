import assert from 'node:assert/strict';
import { chown, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { whyNotTrusted } from '../../../src/git/errors';
import { Git } from '../../../src/git/git';
import { findProgram } from '../../../src/git/programPaths';
import { branchOf, jobFolders, prepareClones } from '../../../src/local-service/git/jobClone';
import { UnusableFolder, UserRepository } from '../../../src/local-service/git/userRepository';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../support/temporaryRepository';

/** No user of this machine. */
const OTHER_USER = 54_321;

describe('a repository of another user', function () {
  this.timeout(120_000);
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

  it('is refused in words that say what to run, and taken once the user has', async () => {
    // To this git each repository is another user's.
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

  it('is cloned when the user trusts it, by its folder or with all', async function () {
    if (process.getuid?.() !== 0) {
      // Nobody else may give a folder away.
      this.skip();
    }
    const base = (await plainGit(folder, 'rev-parse', 'HEAD')).trim();
    for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
      await chown(join(folder, path), OTHER_USER, OTHER_USER);
    }
    const prepare = async () => {
      const folders = jobFolders(join(await temporaryFolder(), 'job'));
      await prepareClones(new Git(environment()), folders, folder, branchOf('j1'), base);
      return (await plainGit(folders.work, 'rev-parse', 'HEAD')).trim();
    };
    for (const trusted of [folder, `${folder}/`, '*']) {
      await trust("/it's elsewhere", trusted);
      assert.equal(await prepare(), base, trusted);
    }
  });
});

describe('whyNotTrusted', () => {
  it('knows the words of each version, and says nothing of others', () => {
    const older =
      "fatal: unsafe repository ('/r' is owned by someone else)\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/r x'\n";
    assert.match(whyNotTrusted(older, '/r') ?? '', /run “git config --global --add safe\.directory '\/r x'”, then/);
    assert.match(whyNotTrusted('fatal: detected dubious ownership in repository', '/r') ?? '', /directory '\/r'”/);
    assert.equal(whyNotTrusted('fatal: not a git repository', '/r'), undefined);
  });
});
