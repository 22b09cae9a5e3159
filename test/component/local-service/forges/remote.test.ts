import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../../src/git/environment';
import { Git } from '../../../../src/git/git';
import { tooManySettings } from '../../../../src/git/readSettings';
import { findRemote } from '../../../../src/local-service/forges/remote';
import { git, temporaryFolder } from '../../../support/temporaryRepository';

describe('findRemote', function () {
  const own = new Git(process.env);
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await git(folder, 'init', '--quiet');
  });

  const add = (name: string): Promise<string> =>
    git(folder, 'config', `remote.${name}.url`, `https://git.example.org/${name}/x.git`);
  const found = async (base: string | null = 'main') => {
    const remote = await findRemote(own, [], folder, base);
    return remote && [remote.name, remote.base];
  };

  it('returns nothing without a remote or when no remote has a URL', async () => {
    assert.equal(await found(), undefined);
    await git(folder, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    assert.equal(await found(), undefined);
  });

  it('prefers the base branch’s remote, then origin, then the only remote', async () => {
    await add('fork.of.mine');
    assert.deepEqual(await found(), ['fork.of.mine', 'main']);
    await add('other');
    assert.equal(await found(), undefined);
    await add('origin');
    assert.deepEqual(await found(), ['origin', 'main']);
    await git(folder, 'config', 'branch.main.remote', 'other');
    await git(folder, 'config', 'branch.main.merge', 'refs/heads/trunk');
    assert.deepEqual(await found(), ['other', 'trunk']);
    assert.deepEqual(await found('elsewhere'), ['origin', 'elsewhere']);
    assert.deepEqual(await found(null), ['origin', null]);
  });

  it('reads none of the settings of other branches, which can be many', async () => {
    await add('origin');
    await add('other');
    await git(folder, 'config', 'branch.a+b.remote', 'other');
    const sections = Array.from(
      { length: 10_000 },
      (_, index) => `[branch "b${index}"]\n\tremote = origin\n\tmerge = refs/heads/b${index}\n`,
    );
    await appendFile(join(folder, '.git/config'), sections.join(''));
    assert.deepEqual(await found('a+b'), ['other', 'a+b']);
    assert.deepEqual(await found('b9999'), ['origin', 'b9999']);
  });

  it('rejects a repository with too many remotes', async () => {
    const sections = Array.from({ length: 20_000 }, (_, index) => `[remote "r${index}"]\n\turl = x\n`);
    await appendFile(join(folder, '.git/config'), sections.join(''));
    await assert.rejects(found(), tooManySettings());
  });

  it('uses the configured push remote and the tracked remote as upstream', async () => {
    for (const name of ['origin', 'mine', 'theirs']) {
      await add(name);
    }
    await git(folder, 'config', 'branch.main.remote', 'origin');
    await git(folder, 'config', 'branch.main.merge', 'refs/heads/trunk');
    const both = async (settings: Settings = []) => {
      const remote = await findRemote(own, settings, folder, 'main');
      return [remote?.name, remote?.base, remote?.upstream?.pushUrl];
    };
    assert.deepEqual(await both(), ['origin', 'trunk', undefined]);
    const upstream = 'https://git.example.org/origin/x.git';
    assert.deepEqual(await both([['remote.pushdefault', 'mine']]), ['mine', 'trunk', upstream]);
    await git(folder, 'config', 'remote.pushDefault', 'theirs');
    assert.deepEqual(await both([['remote.pushdefault', 'mine']]), ['theirs', 'trunk', upstream]);
    await git(folder, 'config', 'branch.main.pushRemote', 'mine');
    assert.deepEqual(await both(), ['mine', 'trunk', upstream]);
    await git(folder, 'config', 'branch.main.pushRemote', 'gone');
    assert.deepEqual(await both(), ['theirs', 'trunk', upstream]);
    await git(folder, 'config', 'remote.pushDefault', 'origin');
    assert.deepEqual(await both(), ['origin', 'trunk', undefined]);
  });

  it('ignores an invalid branch name in the configuration', async () => {
    await add('origin');
    await git(folder, 'config', 'branch.main.remote', 'origin');
    for (const merge of ['refs/heads/a\nb', 'refs/heads/-x', 'refs/heads/a:b', 'refs/tags/x']) {
      await git(folder, 'config', 'branch.main.merge', merge);
      assert.deepEqual(await found(), ['origin', 'main']);
    }
  });

  it('uses the first push URL', async () => {
    await add('origin');
    await git(folder, 'config', '--add', 'remote.origin.pushurl', 'git@git.example.org:a/b.git');
    await git(folder, 'config', '--add', 'remote.origin.pushurl', 'https://evil.example/a/b.git');
    const remote = await findRemote(own, [], folder, 'main');
    assert.equal(remote?.pushUrl, 'git@git.example.org:a/b.git');
    assert.deepEqual(remote.address, { host: 'git.example.org', origin: 'https://git.example.org', path: 'a/b' });
  });
});
