import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  getVisibilityNotes,
  repositoryFacts,
} from '../../../../../src/extension/features/prompt/context/visibilityNotes';
import { withUserFileSettings } from '../../../../../src/git/disableRepositoryPrograms';
import { type ChangeRepository, Git } from '../../../../../src/git/git';
import { isNotVisible } from '../../../../../src/prompt/permalink';
import { git as plainGit, sampleRepository, temporaryFolder } from '../../../../support/temporaryRepository';

const SECRET = 'https://robin:secret-token@github.com/robin/lighthouse.git';
const LINES = { start: 2, end: 4 };

describe('getVisibilityNotes', function () {
  let folder: string;
  let head: string;
  beforeEach(async () => {
    folder = await sampleRepository();
    head = await git('rev-parse', 'HEAD');
  });
  const git = async (...args: string[]) => (await plainGit(folder, ...args)).trim();
  /** Simulates a push of the current commit. */
  const push = () => git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  const addRemote = (url = SECRET) => git('remote', 'add', 'origin', url);
  const notes = async (path: string, isLocal = false, isDirty = false): Promise<string[]> => {
    const environment = { PATH: process.env['PATH'], HOME: folder };
    const found = new Git(environment);
    const signal = new AbortController().signal;
    const repository: ChangeRepository = { git: found, place: await withUserFileSettings(found, folder), signal };
    const facts = await repositoryFacts(repository, environment, 'git');
    return getVisibilityNotes(repository, facts, { path, isDirty, lines: LINES }, isLocal);
  };

  it('links to the file on the remote without the credentials in the remote’s URL', async () => {
    await addRemote();
    await push();
    assert.deepEqual(await notes('README.md'), [
      `Permalink: \`robin/lighthouse@${head} README.md#L2-L4\` (https://github.com/robin/lighthouse/blob/${head}/README.md#L2-L4)`,
    ]);
  });

  it('builds links for other hosts and names the host', async () => {
    const addresses = {
      'git@gitlab.com:group/sub/project.git': 'gitlab.com/group/sub/project/-/blob/x/README.md#L2-4',
      'https://codeberg.org/a/b': 'codeberg.org/a/b/src/commit/x/README.md#L2-L4',
      'ssh://git@bitbucket.org/a/b.git': 'bitbucket.org/a/b/src/x/README.md#lines-2:4',
    };
    await addRemote();
    await push();
    for (const [url, address] of Object.entries(addresses)) {
      await git('remote', 'set-url', 'origin', url);
      const [note = ''] = await notes('README.md');
      assert.ok(note.includes(`(https://${address.replace('/x/', `/${head}/`)})`), note);
      assert.match(note, /^Permalink: `(gitlab\.com\/group\/sub\/project|codeberg\.org\/a\/b|bitbucket\.org\/a\/b)@/);
    }
    await git('remote', 'set-url', 'origin', 'git@git.example.org:a/b.git');
    assert.deepEqual(await notes('README.md'), [`Permalink: \`git.example.org/a/b@${head} README.md#L2-L4\``]);
  });

  it('links to pushed content and names unpushed, uncommitted and untracked parts', async () => {
    await addRemote();
    await push();
    await writeFile(join(folder, 'README.md'), 'Later\n');
    await git('commit', '--quiet', '--all', '-m', 'Later');
    assert.match((await notes('docs/index.md'))[0] ?? '', new RegExp(`^Permalink: .robin/lighthouse@${head} `));
    assert.deepEqual(await notes('README.md'), ['Not visible to the hosted agent: commits that are not pushed']);
    await writeFile(join(folder, 'README.md'), 'Later still\n');
    await writeFile(join(folder, 'new.md'), 'New\n');
    assert.deepEqual(await notes('README.md'), ['Not visible to the hosted agent: uncommitted changes']);
    assert.deepEqual(await notes('new.md'), ['Not visible to the hosted agent: not in git']);
    assert.ok((await notes('new.md')).every(isNotVisible));
    assert.deepEqual(await notes('docs/index.md', false, true), [
      'Not visible to the hosted agent: uncommitted changes',
    ]);
  });

  it('treats everything committed as visible to a local agent', async () => {
    assert.deepEqual(await notes('README.md', true), []);
    await addRemote();
    assert.deepEqual(await notes('README.md', true), []);
    await writeFile(join(folder, 'README.md'), 'Typed\n');
    assert.deepEqual(await notes('README.md', true), ['Not visible to the agent: uncommitted changes']);
  });

  it('warns when no remote is on a Git host', async () => {
    const none = ['This repository has no remote on a Git host, so a hosted agent may not see it'];
    assert.deepEqual(await notes('README.md'), none);
    await addRemote('../elsewhere.git');
    await push();
    assert.deepEqual(await notes('README.md'), none);
  });

  it('runs no filter of the repository and ignores line endings that git changes on checkout', async () => {
    const marks = await temporaryFolder();
    await addRemote();
    await push();
    await git('config', 'core.autocrlf', 'true');
    const text = await readFile(join(folder, 'README.md'), 'utf8');
    await writeFile(join(folder, 'README.md'), text.replaceAll('\n', '\r\n'));
    assert.match((await notes('README.md'))[0] ?? '', /^Permalink/);
    await git('config', 'filter.x.clean', `touch ${marks}/sprung; cat`);
    await writeFile(join(folder, '.git/info/attributes'), '* filter=x\n');
    await writeFile(join(folder, 'README.md'), `${text}more\n`);
    assert.deepEqual(await notes('README.md'), ['Not visible to the hosted agent: uncommitted changes']);
    assert.deepEqual(await readdir(marks), []);
  });
});
