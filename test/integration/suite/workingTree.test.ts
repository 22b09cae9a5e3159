import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, Uri, window, workspace } from 'vscode';
import { changedFiles } from '../../../src/extension/platform/changedFiles';
import { type FetchedBranch, fetchBranch } from '../../../src/extension/features/pull-requests/fetchBranch';
import { switchTo } from '../../../src/extension/features/pull-requests/switchTo';
import { gitApi, type GitRepository, openRepositories } from '../../../src/extension/platform/gitExtension';
import {
  findBranchBase,
  resolveCommit,
  type JobRepository,
  jobRepository,
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
describe('checking out the result of a job', function () {
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
    await openClone();
    await git(agent, 'switch', '--quiet', '-c', REF);
    await agentWrites('A request is sent five times at most.\n');
  });
  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await Promise.all([root, remote, agent].map((path) => rm(path, { recursive: true, force: true, maxRetries: 3 })));
  });
  afterEach(async () => {
    await git(root, 'reset', '--quiet', '--hard');
    await git(root, 'clean', '-qfd');
    await git(root, 'switch', '--quiet', 'main');
    await git(root, 'branch', '-D', REF).catch(() => undefined);
  });

  /** Opens the clone in the Git extension, or again if that has closed it. */
  async function openClone(): Promise<void> {
    const api = await gitApi();
    ok(api !== undefined && (await openRepositories(api)).length > 0);
    await (api as unknown as { openRepository(uri: Uri): Promise<unknown> }).openRepository(Uri.file(root));
    const opened = api.getRepository(Uri.file(join(root, 'README.md')));
    ok(opened !== null);
    repository = opened;
  }

  async function agentWrites(text: string): Promise<string> {
    await writeFile(join(agent, 'docs/limits.md'), text);
    await git(agent, 'add', '--all');
    await git(agent, 'commit', '--quiet', '-m', 'Tell the limits');
    await git(agent, 'push', '--quiet', '--force', 'origin', REF);
    return (await git(agent, 'rev-parse', 'HEAD')).trim();
  }

  async function find(more: Partial<Snapshot> = {}): Promise<JobRepository> {
    const found = await jobRepository(hostedJob(REF, { repository: Uri.file(remote).toString(), ...more }), true);
    ok(found !== undefined);
    return found;
  }

  async function fetched(): Promise<FetchedBranch> {
    const at = await fetchBranch(await find(), false, log);
    ok(at !== undefined);
    return at;
  }

  /** Checks the branch out as the command does. */
  async function checkOut() {
    const { local, remote: start } = await fetched();
    const target = { ref: `refs/heads/${REF}`, start: local === undefined ? start : undefined };
    return switchTo({ repositories: new Repositories(), log }, repository, target, async () => undefined);
  }

  const branch = async (): Promise<string> => (await git(root, 'branch', '--show-current')).trim();
  const commit = async (name: string): Promise<string> => (await git(root, 'rev-parse', name)).trim();

  it('finds the repository by its remote, regardless of how the address is written', async () => {
    await moveRemote(repository, 'git@github.com:Acme/docs.git');
    try {
      const found = await find({ repository: 'https://github.com/acme/Docs' });
      deepStrictEqual([found.repository.rootUri.fsPath, found.remote], [root, 'origin']);
      strictEqual(
        await jobRepository(hostedJob(REF, { repository: 'https://github.com/acme/other' }), true),
        undefined,
      );
    } finally {
      await moveRemote(repository, remote);
    }
  });

  it('rejects a branch name that git could read as an option', async () => {
    for (const ref of ['--force', '-f', 'a..b', 'refs/heads/x']) {
      strictEqual(await jobRepository(hostedJob(REF, { repository: null, ref }), true), undefined, ref);
    }
  });

  it('fetches a missing branch, sets its upstream, and keeps what its user makes of it', async () => {
    deepStrictEqual(await checkOut(), { before: 'refs/heads/main' });
    strictEqual(await branch(), REF);
    strictEqual(await readFile(join(root, 'docs/limits.md'), 'utf8'), 'A request is sent five times at most.\n');
    strictEqual((await git(root, 'rev-parse', '--abbrev-ref', '@{upstream}')).trim(), `origin/${REF}`);
    deepStrictEqual(await checkOut(), {});
    await git(root, 'reset', '--quiet', '--hard', 'main');
    await git(root, 'switch', '--quiet', 'main');
    deepStrictEqual(await checkOut(), { before: 'refs/heads/main' });
    strictEqual(await commit(REF), await commit('main'));
  });

  it('does not confuse the branch with one below its name or one in different case', async () => {
    await git(root, 'branch', 'guide/intro', 'main');
    try {
      strictEqual(await resolveCommit(repository, 'refs/heads/guide'), undefined);
      strictEqual(await resolveCommit(repository, 'refs/heads/Guide/intro'), undefined);
      strictEqual(await resolveCommit(repository, 'refs/heads/guide/intro'), await commit('main'));
      strictEqual(await resolveCommit(repository, 'refs/remotes/origin/main'), await commit('origin/main'));
    } finally {
      await git(root, 'branch', '-D', 'guide/intro');
    }
  });

  it('continues with the last fetched commit when the fetch fails, and reports the failure', async () => {
    await fetched();
    await git(folder, '-C', remote, 'update-ref', '-d', `refs/heads/${REF}`);
    try {
      const at = await fetched();
      ok(at.remote !== undefined);
      match(at.failure ?? '', /couldn't find remote ref/);
    } finally {
      await git(agent, 'push', '--quiet', '--force', 'origin', REF);
    }
  });

  it('finds nothing if neither the repository nor the remote has the branch', async () => {
    strictEqual(await fetchBranch({ ...(await find()), ref: 'docs-agent/none' }, false, log), undefined);
  });

  it('lists the changes of the branch, even while it is checked out and after a new commit', async () => {
    const api = await gitApi();
    ok(api !== undefined);
    const names = async (): Promise<string[]> => {
      const at = await fetched();
      const tip = at.remote?.commit ?? '';
      const base = await findBranchBase(await find(), tip);
      ok(base !== undefined);
      strictEqual(base, await commit('origin/main'));
      const opened = await new Repositories().open(repository, AbortSignal.timeout(10_000));
      const files = await changedFiles(repository, opened, { base, commit: tip, jobKey: 'k' });
      return files.map(([uri]) => uri.fsPath.slice(root.length + 1));
    };
    deepStrictEqual(await names(), ['docs/limits.md']);
    await checkOut();
    await writeFile(join(agent, 'docs/more.md'), 'More\n');
    const later = await agentWrites('A request is sent six times at most.\n');
    deepStrictEqual(await names(), ['docs/limits.md', 'docs/more.md']);
    strictEqual(await commit(`origin/${REF}`), later);
    strictEqual(await findBranchBase(await find(), await commit('origin/main')), undefined);
  });

  it('works through the command for a job of the local service, whose branch is in the repository', async () => {
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
