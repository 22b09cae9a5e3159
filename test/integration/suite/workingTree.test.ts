import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, Uri, window, workspace } from 'vscode';
import { type FetchedBranch, fetchBranch } from '../../../src/extension/features/pull-requests/fetchBranch';
import { switchTo } from '../../../src/extension/features/pull-requests/tryOut';
import { branchToFetch } from '../../../src/extension/platform/branchToFetch';
import { changedFiles } from '../../../src/extension/platform/fileVersions';
import { gitApi, type GitRepository, openRepositories } from '../../../src/extension/platform/gitExtension';
import {
  findBranchBase,
  type JobRepository,
  jobRepository,
  knownBranch,
  openJobRepositories,
  resolveCommit,
} from '../../../src/extension/platform/jobRepository';
import { Repositories } from '../../../src/extension/platform/repositories';
import type { Job } from '../../../src/extension/presentation/apiJob';
import type { Snapshot } from '../../../src/jobs/events';
import { jobBranch, git } from '../../support/temporaryRepository';
import { activatedApi, hostedJob, isOver, moveRemote, untilJob } from './support';

const REF = 'docs-agent/limits';
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

// Must be the last suite: once a commenting range provider exists, the editor keeps each document open for three
// minutes after its tab is closed, and other tests wait for a document to close.
describe('the branch of a job', function () {
  let folder: string;
  let root: string;
  let remote: string;
  let agent: string;
  let repository: GitRepository;

  before(async () => {
    await activatedApi();
    folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    [root, remote, agent] = [join(folder, 'clone'), join(folder, 'remote.git'), join(folder, 'agent')];
    await git(folder, 'clone', '--quiet', '--bare', folder, remote);
    await git(folder, 'clone', '--quiet', remote, agent);
    await git(folder, 'clone', '--quiet', remote, root);
    const api = await gitApi();
    ok(api !== undefined && (await openRepositories(api)).length > 0);
    await (api as unknown as { openRepository(uri: Uri): Promise<unknown> }).openRepository(Uri.file(root));
    const opened = api.getRepository(Uri.file(join(root, 'README.md')));
    ok(opened !== null);
    repository = opened;
    await symlink('README.md', join(agent, 'linked.md'));
    await commitFile('README.md', 'Of others\n');
    await git(agent, 'push', '--quiet', 'origin', 'main');
    await git(agent, 'switch', '--quiet', '-c', REF);
    await rm(join(agent, 'linked.md'));
    await writeFile(join(agent, 'linked.md'), 'A file now\n');
    await commitFile('docs/limits.md', 'A request is sent five times at most.\n');
    await git(agent, 'push', '--quiet', 'origin', REF);
  });
  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await Promise.all([root, remote, agent].map((path) => rm(path, { recursive: true, force: true, maxRetries: 3 })));
  });
  afterEach(async () => {
    await git(root, 'switch', '--quiet', '--force', 'main');
    await git(root, 'branch', '-D', REF).catch(() => undefined);
  });

  async function commitFile(path: string, text: string): Promise<void> {
    await writeFile(join(agent, path), text);
    await git(agent, 'add', '--all');
    await git(agent, 'commit', '--quiet', '-m', `Write ${path}`);
  }

  const at = (address: string | null, ref = REF, more: Partial<Snapshot> = {}) =>
    hostedJob(ref, { repository: address, ...more });
  const own = (): string => Uri.file(remote).toString();

  async function find(address = own()): Promise<JobRepository> {
    const found = await jobRepository(at(address), true);
    ok(found !== undefined);
    return found;
  }

  async function fetched(): Promise<FetchedBranch> {
    const found = await fetchBranch(await find(), false, log);
    ok(found !== undefined);
    return found;
  }

  /** Checks the branch out as the command does. */
  async function checkOut() {
    const { local, remote: start } = await fetched();
    const target = { ref: `refs/heads/${REF}`, start: local === undefined ? start : undefined };
    return switchTo({ repositories: new Repositories(), log } as never, repository, target, async () => undefined);
  }

  const commit = async (name: string, where = root): Promise<string> => (await git(where, 'rev-parse', name)).trim();

  it('is found by the remote of its repository, regardless of how the address is written', async () => {
    deepStrictEqual(await openJobRepositories(at(null), true), []);
    strictEqual((await openJobRepositories(at(own()), true)).length, 1);
    await moveRemote(repository, 'git@github.com:Acme/docs.git');
    try {
      const found = await find('https://github.com/acme/Docs');
      deepStrictEqual([found.repository.rootUri.fsPath, found.remote], [root, 'origin']);
      strictEqual(await jobRepository(at('https://github.com/acme/other'), true), undefined);
    } finally {
      await moveRemote(repository, remote);
    }
  });

  it('is rejected if git could read its name as an option', async () => {
    for (const ref of ['--force', '-f', 'a..b', 'refs/heads/x']) {
      strictEqual(await jobRepository(at(null, ref), true), undefined, ref);
    }
  });

  it('is not confused with one below its name or one in different case', async () => {
    await git(root, 'branch', 'guide/intro', 'main');
    strictEqual(await resolveCommit(repository, 'refs/heads/guide'), undefined);
    strictEqual(await resolveCommit(repository, 'refs/heads/Guide/intro'), undefined);
    strictEqual(await resolveCommit(repository, 'refs/heads/guide/intro'), await commit('main'));
    strictEqual(await resolveCommit(repository, 'refs/remotes/origin/main'), await commit('origin/main'));
  });

  it('is fetched when it is checked out, with its upstream, and keeps what its user makes of it', async () => {
    deepStrictEqual(await checkOut(), { before: 'refs/heads/main' });
    strictEqual((await git(root, 'branch', '--show-current')).trim(), REF);
    strictEqual(await readFile(join(root, 'docs/limits.md'), 'utf8'), 'A request is sent five times at most.\n');
    strictEqual((await git(root, 'rev-parse', '--abbrev-ref', '@{upstream}')).trim(), `origin/${REF}`);
    deepStrictEqual(await checkOut(), {});
    await git(root, 'reset', '--quiet', '--hard', 'main');
    await git(root, 'switch', '--quiet', 'main');
    deepStrictEqual(await checkOut(), { before: 'refs/heads/main' });
    strictEqual(await commit(REF), await commit('main'));
  });

  it('is used as it was last fetched when that fails, and says why', async () => {
    await fetched();
    await git(remote, 'update-ref', '-d', `refs/heads/${REF}`);
    try {
      const found = await fetched();
      ok(found.remote !== undefined);
      match(found.failure ?? '', /couldn't find remote ref/);
      strictEqual(await fetchBranch({ ...(await find()), ref: 'docs-agent/none' }, false, log), undefined);
    } finally {
      await git(agent, 'push', '--quiet', '--force', 'origin', REF);
    }
  });

  it('shows only its own changes, whatever is checked out, based on the commit that the service names', async () => {
    const names = async (): Promise<[string, boolean, boolean][]> => {
      const tip = (await fetched()).remote?.commit ?? '';
      const base = await findBranchBase(await find(), tip);
      strictEqual(base, await commit('origin/main'));
      const opened = await new Repositories().open(repository);
      const files = await changedFiles(repository, opened, { base, commit: tip, jobKey: 'k' });
      return files.map(([{ fsPath }, ...sides]) => [
        fsPath.slice(root.length + 1),
        sides[0] !== undefined,
        sides[1] !== undefined,
      ]);
    };
    const changes: [string, boolean, boolean][] = [
      ['docs/limits.md', false, true],
      ['linked.md', true, true],
    ];
    // `main` is still where the clone was made.
    deepStrictEqual(await names(), changes);
    await checkOut();
    await commitFile('docs/more.md', 'More\n');
    await git(agent, 'push', '--quiet', 'origin', REF);
    deepStrictEqual(await names(), [changes[0], ['docs/more.md', false, true], changes[1]]);
    const [tip, old] = [await commit(`origin/${REF}`), await commit('main')];
    strictEqual(await findBranchBase(await find(), old), undefined);
    strictEqual(await findBranchBase(await find(), tip, old), old);
    strictEqual(await findBranchBase(await find(), tip, '0'.repeat(40)), await commit('origin/main'));
  });

  it('is offered for fetching while it is missing or older than the last prompt, with the commits it started from', async () => {
    const ref = 'docs-agent/unfetched';
    const job = { ...at(own(), ref), endedAt: 1 };
    const offer = (acceptedAt?: number) => branchToFetch({ ...job, acceptedAt }, true);
    await git(agent, 'switch', '--quiet', 'main');
    await commitFile('README.md', 'Also of others\n');
    await git(agent, 'switch', '--quiet', '-c', ref);
    await commitFile('docs/own.md', 'Own\n');
    await git(agent, 'push', '--quiet', 'origin', 'main', ref);
    const before = await offer();
    deepStrictEqual([before?.ref, before?.remote, before?.folder, before?.isThere], [ref, 'origin', 'clone', false]);
    strictEqual(await knownBranch(job, true), undefined);
    await before?.fetch();
    const known = await knownBranch(job, true);
    deepStrictEqual([known?.base, known?.commit], [await commit('main', agent), await commit(ref, agent)]);
    strictEqual(await offer(), undefined);
    strictEqual((await offer(Date.now() + 60_000))?.isThere, true);
    const script = '!GIT_COMMITTER_DATE=2090-01-01T00:00:00Z git commit-tree -p HEAD -m x HEAD:';
    const future = (await git(agent, '-c', `alias.x=${script}`, 'x')).trim();
    await git(agent, 'push', '--quiet', '--force', 'origin', `${future}:refs/heads/${ref}`);
    await before?.fetch();
    // Its date says nothing about when the agent made it.
    strictEqual((await offer(Date.now() - 60_000))?.isThere, true);
    await git(remote, 'update-ref', '-d', `refs/heads/${ref}`);
    await rejects((await offer(Date.now() + 60_000))?.fetch() ?? Promise.resolve());
  });

  it('is checked out and reviewed by command if the local service has put it into the repository', async () => {
    const api = await activatedApi();
    const made = await commands.executeCommand<Job>('docsAgent.createJob', { prompt: 'Document the checkout' });
    const { id } = await untilJob(api, made.key, isOver);
    // The notification with its buttons stays open.
    void commands.executeCommand('docsAgent.checkoutPullRequest', made.key);
    const current = async (): Promise<string> => (await git(folder, 'branch', '--show-current')).trim();
    while ((await current()) !== (await jobBranch(folder, id ?? ''))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await commands.executeCommand('docsAgent.reviewChanges', made.key);
    const views = (): number =>
      window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label.includes('Document the checkout'))
        .length;
    while (views() === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // Opening them again replaces the outdated changes.
    await commands.executeCommand('docsAgent.reviewChanges', made.key);
    strictEqual(views(), 1);
    await git(folder, 'switch', '--quiet', 'main');
    await commands.executeCommand('docsAgent.stopLocalService');
  });
});
