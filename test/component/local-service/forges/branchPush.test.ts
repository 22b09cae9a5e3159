import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Git } from '../../../../src/git/git';
import type { SeenOnHost } from '../../../../src/local-service/forges/publisher';
import { jobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { GitServer } from '../../../support/gitServer';
import { createPublicationFixture, type PublicationFixture } from '../../../support/publicationFixture';
import { HOST_KINDS, ReviewHost } from '../../../support/reviewHost';
import { git, temporaryFolder } from '../../../support/temporaryRepository';

const [JOB, BRANCH] = ['docs-agent/job1', 'refs/heads/docs-agent/job1'];

describe('look at what the remote has', function () {
  let server: GitServer;
  let bench: PublicationFixture;
  /** The repository on the host. */
  let bare: string;
  beforeEach(async () => {
    server = await GitServer.start();
    bench = await createPublicationFixture();
    bare = await server.add('robin/lighthouse', bench.folder);
    await git(bench.folder, 'remote', 'add', 'origin', `${server.origin}/robin/lighthouse.git`);
    await git(bench.hostGit, 'update-ref', BRANCH, 'main');
  });
  afterEach(() => server.close());

  const look = async (
    more: { prLink?: string; signal?: AbortSignal; baseBranch?: string | null } = {},
    { folder, hostGit }: Pick<PublicationFixture, 'folder' | 'hostGit'> = bench,
  ): Promise<SeenOnHost | undefined> => {
    const { baseBranch = 'main', prLink = null, signal = new AbortController().signal } = more;
    const destination = await bench.publisher().destination(folder, baseBranch, signal);
    return destination?.look({ hostGit, branch: JOB, prLink, signal });
  };
  /** Somebody’s commit on a branch of the host. */
  const commitOn = async (branch: string, text: string, repository = bare): Promise<string> => {
    const clone = await temporaryFolder();
    await git(clone, 'clone', '--quiet', '--branch', branch, repository, '.');
    await writeFile(join(clone, 'page.md'), text);
    await git(clone, 'add', '.');
    await git(clone, 'commit', '--quiet', '-m', text);
    await git(clone, 'push', '--quiet', 'origin', branch);
    return (await git(clone, 'rev-parse', 'HEAD')).trim();
  };
  const brought = (hostGit = bench.hostGit) =>
    Promise.all(['branch', 'base'].map((name) => git(hostGit, 'show', `refs/docs-agent/host/${name}:page.md`)));

  for (const [what, address] of [
    ['a Git host', undefined],
    ['a folder', () => bare],
    ['a folder as a URL', () => pathToFileURL(bare).href],
  ] as const) {
    it(`brings others’ commits from ${what}, and tells when there is no branch`, async () => {
      if (address !== undefined) {
        await git(bench.folder, 'remote', 'set-url', 'origin', address());
      }
      const main = (await git(bare, 'rev-parse', 'main')).trim();
      assert.deepEqual(await look(), { branch: null, base: { branch: 'main', commit: main }, pullRequest: null });
      await git(bare, 'update-ref', BRANCH, main);
      const [branch, base] = [await commitOn(JOB, 'Theirs'), await commitOn('main', 'Newer')];
      assert.deepEqual(await look(), { branch, base: { branch: 'main', commit: base }, pullRequest: null });
      assert.deepEqual(await brought(), ['Theirs', 'Newer']);
    });
  }

  it('takes the base from the repository that the remote is a fork of', async () => {
    const upstream = await server.add('team/lighthouse', bench.folder);
    await git(bench.folder, 'remote', 'rename', 'origin', 'mine');
    await git(bench.folder, 'remote', 'add', 'origin', `${server.origin}/team/lighthouse.git`);
    await git(bench.folder, 'config', 'remote.pushDefault', 'mine');
    await git(bare, 'update-ref', BRANCH, 'main');
    const [branch, base] = [await commitOn(JOB, 'Theirs'), await commitOn('main', 'Newer', upstream)];
    assert.deepEqual(await look(), { branch, base: { branch: 'main', commit: base }, pullRequest: null });
    assert.deepEqual(await brought(), ['Theirs', 'Newer']);
  });

  it('takes the default branch for the base when the host lacks that of the job', async () => {
    const commit = await commitOn('main', 'Newer');
    for (const baseBranch of ['gone', null]) {
      assert.deepEqual((await look({ baseBranch }))?.base, { branch: 'main', commit });
    }
  });

  it('fetches only what is new', async () => {
    await commitOn('main', 'Newer');
    await look();
    server.requests.length = 0;
    await look();
    const packs = server.requests.filter(({ path }) => path.endsWith('/git-upload-pack')).length;
    assert.equal(packs, 1, 'only the list of references');
    assert.deepEqual(await git(bench.hostGit, 'fsck', '--connectivity-only'), '');
  });

  it('says nothing about a host that refuses or can’t be reached, and a folder that is gone', async () => {
    server.password = 'robin:secret';
    assert.deepEqual(await look(), { pullRequest: null });
    await server.close();
    assert.deepEqual(await look(), {});
    server = await GitServer.start();
    await git(bench.folder, 'remote', 'set-url', 'origin', join(bench.root, 'gone'));
    assert.deepEqual(await look(), {});
  });

  it('stops when the turn is stopped', async () => {
    server.hangs = true;
    const controller = new AbortController();
    const looking = look({ signal: controller.signal });
    while (server.requests.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    controller.abort(new Error('stopped'));
    await assert.rejects(looking, /^Error: stopped$/);
  });

  const shapes: [string, string[], string[]][] = [
    ['a SHA-256 repository', ['--object-format=sha256'], []],
    ['a shallow clone', [], ['--depth=1']],
    ['a partial clone', [], ['--filter=blob:none']],
    ['a partial clone without trees', [], ['--filter=tree:0']],
  ];
  for (const [shape, make, clone] of shapes) {
    it(`brings what a merge needs into the clone of ${shape}`, async () => {
      const seed = await temporaryFolder();
      await git(seed, 'init', '--quiet', ...make);
      for (const text of ['old', 'now']) {
        await Promise.all(['page.md', 'other.md'].map((name) => writeFile(join(seed, name), text)));
        await git(seed, 'add', '.');
        await git(seed, 'commit', '--quiet', '-m', text);
      }
      const host = await server.add('robin/shaped', seed);
      await git(host, 'config', 'uploadpack.allowFilter', 'true');
      await git(host, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
      const folder = join(bench.root, 'shaped');
      await git(bench.root, 'clone', '--quiet', ...clone, `${server.origin}/robin/shaped.git`, folder);
      const folders = jobFolders(join(bench.root, 'job'));
      const base = (await git(folder, 'rev-parse', 'HEAD')).trim();
      await prepareClones(new Git(bench.environment), folders, folder, JOB, base);
      await git(host, 'update-ref', BRANCH, 'main');
      // What the file had before: a host with bitmaps takes it for known.
      const [branch, newer] = [await commitOn(JOB, 'Theirs', host), await commitOn('main', 'old', host)];
      await git(host, 'repack', '-a', '-d', '-b', '--quiet');
      const at = { folder, hostGit: folders.hostGit };
      assert.deepEqual(await look({}, at), { branch, base: { branch: 'main', commit: newer }, pullRequest: null });
      assert.deepEqual(await brought(folders.hostGit), ['Theirs', 'old']);
    });
  }

  it('pushes from a partial clone although the host is ahead', async () => {
    const seed = await temporaryFolder();
    await git(seed, 'init', '--quiet');
    for (const text of ['old', 'now']) {
      await writeFile(join(seed, 'page.md'), text);
      await git(seed, 'add', '.');
      await git(seed, 'commit', '--quiet', '-m', text);
    }
    const host = await server.add('robin/shaped', seed);
    await git(host, 'config', 'uploadpack.allowFilter', 'true');
    await git(host, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const folder = join(bench.root, 'shaped');
    await git(bench.root, 'clone', '--quiet', '--filter=blob:none', `${server.origin}/robin/shaped.git`, folder);
    const folders = jobFolders(join(bench.root, 'job'));
    const base = (await git(folder, 'rev-parse', 'HEAD')).trim();
    await prepareClones(new Git(bench.environment), folders, folder, JOB, base);
    await commitOn('main', 'Newer', host);
    const { hostGit } = folders;
    const commit = (await git(hostGit, 'commit-tree', `${base}^{tree}`, '-p', base, '-m', 'Work')).trim();
    await git(hostGit, 'update-ref', BRANCH, commit);
    await bench.publisher().publish(await bench.next({ folder, hostGit, commit }));
    assert.equal((await git(host, 'rev-parse', BRANCH)).trim(), commit);
  });

  it('has what a merge needs when the user has fetched into a partial clone', async () => {
    await git(bare, 'config', 'uploadpack.allowFilter', 'true');
    const folder = join(bench.root, 'partial');
    await git(bench.root, 'clone', '--quiet', '--filter=blob:none', `${server.origin}/robin/lighthouse.git`, folder);
    const commit = await commitOn('main', 'Newer');
    await git(folder, 'fetch', '--quiet');
    const folders = jobFolders(join(bench.root, 'job'));
    const base = (await git(folder, 'rev-parse', 'HEAD')).trim();
    await prepareClones(new Git(bench.environment), folders, folder, JOB, base);
    const seen = await look({}, { folder, hostGit: folders.hostGit });
    assert.deepEqual(seen?.base, { branch: 'main', commit });
    assert.equal(await git(folders.hostGit, 'show', `${commit}:page.md`), 'Newer');
  });
});

describe('look at what has become of a job’s pull request', function () {
  for (const kind of HOST_KINDS) {
    it(`finds it on ${kind}, sees it merged or closed, and that the base has the work`, async () => {
      const host = await ReviewHost.start(kind);
      try {
        const bench = await createPublicationFixture();
        const hosted = await host.add('robin/lighthouse', bench.folder);
        await git(bench.folder, 'remote', 'add', 'origin', `${hosted.url}.git`);
        bench.tokens.set(new URL(hosted.url).host, { token: 'token' });
        const publication = await bench.next();
        const publisher = bench.publisher();
        const look = async (known: string | null) => {
          const destination = await publisher.destination(bench.folder, 'main', publication.signal);
          return destination?.look({ ...publication, prLink: known });
        };
        await publisher.hostOf(bench.folder);
        const before = host.asked;
        assert.deepEqual((await look(null))?.pullRequest, null);
        assert.equal(host.asked, before, 'it asks only if the host has the branch');
        const { prLink } = await publisher.publish(publication);
        const pull = hosted.pulls[0] ?? assert.fail('no pull request');
        for (const unknown of [null, `${hosted.url}/compare/main`]) {
          assert.deepEqual((await look(unknown))?.pullRequest, { url: prLink, state: 'open' });
        }
        assert.deepEqual((await look(prLink))?.pullRequest, { url: prLink, state: 'open' });
        await hosted.close(pull);
        assert.deepEqual((await look(prLink))?.pullRequest, { url: prLink, state: 'closed' });
        await hosted.reopen(pull);
        assert.ok(await hosted.merge(pull, 'merge', true));
        const { base, branch, pullRequest } = (await look(prLink)) ?? {};
        assert.deepEqual(pullRequest, { url: prLink, state: 'merged' });
        assert.deepEqual(base, { branch: 'main', commit: await hosted.tip('main') });
        // Gitea keeps the commits of a pull request where work without a branch is, too.
        assert.equal(branch, kind === 'gitea' ? publication.commit : null);
        await git(bench.hostGit, 'merge-base', '--is-ancestor', publication.commit, base.commit);
      } finally {
        await host.close();
      }
    });
  }
});
