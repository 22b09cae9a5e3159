import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, Uri, window, workspace } from 'vscode';
import {
  popWithoutConflict,
  type CheckoutResult,
  checkOut,
  isNewest,
  locateStash,
} from '../../../src/extension/features/pull-requests/checkOut';
import { changedFiles } from '../../../src/extension/platform/changedFiles';
import { type FetchedBranch, fetchBranch } from '../../../src/extension/features/pull-requests/fetchBranch';
import { gitApi, type GitRepository, openRepositories } from '../../../src/extension/platform/gitExtension';
import {
  findBranchBase,
  resolveCommit,
  type JobRepository,
  jobRepository,
} from '../../../src/extension/platform/jobRepository';
import { Repositories } from '../../../src/extension/platform/repositories';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { Git } from '../../../src/git/git';
import type { Snapshot } from '../../../src/jobs/events';
import { jobBranch, git } from '../../support/temporaryRepository';
import { activatedApi, expectGivenBack, hostedJob, isOver, moveRemote, stashInOlderEditor, untilJob } from './support';

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
    await git(root, 'stash', 'clear');
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

  /**
   * Runs the checkout as the command does. `stash` is the user's answer when asked; `meanwhile` runs right before the
   * switch.
   */
  async function tryIt(
    stash?: boolean,
    meanwhile?: () => Promise<unknown>,
  ): Promise<{ end: CheckoutResult; asked: number[]; steps: (string | undefined)[] }> {
    const asked: number[] = [];
    const steps: (string | undefined)[] = [];
    const questions = {
      stash: async (files: number) => {
        asked.push(files);
        return stash === true;
      },
      stashByCommand: async () => stashInOlderEditor(repository, 'Before the branch'),
    };
    const end = await checkOut({
      repository,
      git: new Git(process.env),
      ref: REF,
      at: await fetched(),
      message: 'Before the branch',
      questions,
      keep: async (progress) => {
        steps.push(progress?.step);
        await (progress?.step === 'switching' ? meanwhile?.() : undefined);
      },
    });
    return { end, asked, steps };
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

  it('fetches a missing branch and sets its upstream', async () => {
    const { end, asked } = await tryIt();
    deepStrictEqual(
      [end, asked],
      [{ is: 'done', before: 'main', stash: undefined, error: undefined, differs: false }, []],
    );
    strictEqual(await branch(), REF);
    strictEqual(await readFile(join(root, 'docs/limits.md'), 'utf8'), 'A request is sent five times at most.\n');
    strictEqual((await git(root, 'rev-parse', '--abbrev-ref', '@{upstream}')).trim(), `origin/${REF}`);
    deepStrictEqual((await tryIt()).end, { is: 'there', differs: false });
  });

  it('asks before stashing, and changes nothing when the user declines', async () => {
    await writeFile(join(root, 'README.md'), 'Mine\n');
    const { end, asked } = await tryIt(false);
    deepStrictEqual([end, asked], [{ is: 'cancelled' }, [1]]);
    deepStrictEqual([await branch(), await readFile(join(root, 'README.md'), 'utf8')], ['main', 'Mine\n']);
    strictEqual(await git(root, 'stash', 'list'), '');
  });

  it('stashes changes, including staged ones, with a message, and restores them unchanged', async () => {
    await writeFile(join(root, 'README.md'), 'Mine\n');
    await writeFile(join(root, 'src/retry.ts'), 'staged\n');
    await git(root, 'add', 'src');
    await writeFile(join(root, 'notes.md'), 'git does not know this\n');
    const { end, asked } = await tryIt(true);
    ok(end.is === 'done' && end.stash?.hasIndex === true && (await isNewest(repository, end.stash)));
    deepStrictEqual([end.before, end.differs, asked], ['main', false, [2]]);
    match(await git(root, 'stash', 'list'), /Before the branch/);
    strictEqual(await readFile(join(root, 'notes.md'), 'utf8'), 'git does not know this\n');
    await repository.checkout('main');
    await commands.executeCommand('git.stashPopLatest', repository.rootUri);
    strictEqual(await readFile(join(root, 'README.md'), 'utf8'), 'Mine\n');
    strictEqual(await readFile(join(root, 'src/retry.ts'), 'utf8'), 'staged\n');
  });

  it('restores the stash when git refuses the checkout, and overwrites no untracked file', async () => {
    await writeFile(join(root, 'README.md'), 'Mine\n');
    const own = join(root, 'docs/limits.md');
    const { end } = await tryIt(true, async () => {
      await mkdir(own);
      await writeFile(join(own, 'own.md'), 'Mine, and not known to git\n');
    });
    ok(end.is === 'failed');
    match(String((end.error as { stderr?: string }).stderr), /would lose untracked files/);
    await expectGivenBack(repository, end);
    deepStrictEqual(
      [await branch(), await readFile(join(root, 'README.md'), 'utf8'), await git(root, 'stash', 'list')],
      ['main', 'Mine\n', ''],
    );
    strictEqual(await readFile(join(own, 'own.md'), 'utf8'), 'Mine, and not known to git\n');
  });

  it('records each step, and restores the stash only where it cannot conflict', async () => {
    await writeFile(join(root, 'README.md'), 'Mine\n');
    const { end, steps } = await tryIt(true);
    deepStrictEqual(steps, ['stashing', 'switching', 'there']);
    ok(end.is === 'done' && end.stash !== undefined);
    const { stash } = end;
    // The state of a window that closed before it could save the commit of the stash.
    const cut = await locateStash(repository, { stash: undefined, message: stash.message });
    deepStrictEqual(cut, { stash, place: 'newest' });
    await repository.checkout('main');
    await writeFile(join(root, 'src/retry.ts'), 'Changed since\n');
    strictEqual(await popWithoutConflict(repository, stash), false);
    await git(root, 'checkout', '--quiet', 'src');
    await git(root, 'commit', '--quiet', '--allow-empty', '-m', 'Later');
    strictEqual(await popWithoutConflict(repository, stash), false);
    await git(root, 'reset', '--quiet', '--hard', 'HEAD~1');
    deepStrictEqual(await locateStash(repository, { stash, message: stash.message }), { stash, place: 'newest' });
    // Older editors cannot pop a stash through the API, so it stays.
    const can = repository.popStash !== undefined;
    strictEqual(await popWithoutConflict(repository, stash), can);
    strictEqual(
      await readFile(join(root, 'README.md'), 'utf8'),
      can ? 'Mine\n' : await git(root, 'show', 'main:README.md'),
    );
    const { place } = await locateStash(repository, { stash, message: stash.message });
    strictEqual(place, can ? 'gone' : 'newest');
  });

  describe('with a submodule at another commit, which git never stashes', () => {
    const files = async (): Promise<string[]> =>
      Promise.all(['README.md', 'sub/own.md'].map(async (name) => readFile(join(root, name), 'utf8')));
    const tryOther = async (): Promise<{ end: CheckoutResult; asked: number[] }> => {
      const asked: number[] = [];
      const stash = async (count: number): Promise<boolean> => asked.push(count) > 0;
      const stashByCommand = async (): Promise<void> => stashInOlderEditor(repository, 'Before the branch');
      const at = { local: await commit('other') };
      const questions = { stash, stashByCommand };
      const options = {
        repository,
        git: new Git(process.env),
        ref: 'other',
        at,
        message: 'Before the branch',
        questions,
      };
      return { end: await checkOut(options), asked };
    };

    beforeEach(async () => {
      await git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', remote, 'sub');
      await git(root, 'commit', '--quiet', '-m', 'Add a submodule');
      await git(root, 'branch', 'other');
      await writeFile(join(root, 'sub/own.md'), 'Own\n');
      await git(join(root, 'sub'), 'add', 'own.md');
      await git(join(root, 'sub'), 'commit', '--quiet', '-m', 'Own');
      // It closes a repository whose submodule it finds half removed, as after the test before.
      await openClone();
    });
    afterEach(async () => {
      await git(root, 'submodule', '--quiet', 'deinit', '--force', 'sub');
      await git(root, 'switch', '--quiet', 'main');
      await git(root, 'reset', '--quiet', '--hard', 'origin/main');
      await git(root, 'branch', '-D', 'other');
      await Promise.all(
        ['sub', '.git/modules/sub'].map((path) => rm(join(root, path), { recursive: true, force: true })),
      );
    });

    it('checks out without asking when nothing else has changed', async () => {
      const { end, asked } = await tryOther();
      deepStrictEqual([end.is, asked, await branch()], ['done', [], 'other']);
      strictEqual((await files())[1], 'Own\n');
    });

    it('stashes the other changes and restores them', async () => {
      await writeFile(join(root, 'README.md'), 'Mine\n');
      const { end, asked } = await tryOther();
      ok(end.is === 'done' && end.stash !== undefined, `the checkout ended as ${end.is}`);
      deepStrictEqual([asked, await branch()], [[1], 'other']);
      await repository.checkout('main');
      const can = repository.popStash !== undefined;
      strictEqual(await popWithoutConflict(repository, end.stash), can);
      ok(!can || (await files()).join('') === 'Mine\nOwn\n', 'the changes are not back');
    });
  });

  it('does not move an existing local branch of the same name and reports that it differs', async () => {
    await git(root, 'branch', REF, 'main');
    const mine = await commit(REF);
    const { end } = await tryIt();
    deepStrictEqual(end, { is: 'done', before: 'main', stash: undefined, error: undefined, differs: true });
    deepStrictEqual([await branch(), await commit(REF)], [REF, mine]);
  });

  it('keeps the stash when git refuses the checkout and something was staged, so that no version is lost', async () => {
    await writeFile(join(root, 'README.md'), 'Staged\n');
    await git(root, 'add', 'README.md');
    await writeFile(join(root, 'README.md'), 'Changed further\n');
    const { end } = await tryIt(true, async () => {
      await mkdir(join(root, 'docs/limits.md'));
      await writeFile(join(root, 'docs/limits.md/own.md'), 'Mine, and not known to git\n');
    });
    ok(end.is === 'failed' && end.stash?.hasIndex === true && !end.isIntact);
    strictEqual(await git(root, 'show', 'stash@{0}^2:README.md'), 'Staged\n');
    strictEqual(await git(root, 'show', 'stash@{0}:README.md'), 'Changed further\n');
  });

  it('succeeds when a hook fails after the switch, and does not apply the stash to the branch', async () => {
    const hook = join(root, '.git/hooks/post-checkout');
    await writeFile(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    try {
      await writeFile(join(root, 'README.md'), 'Mine\n');
      const { end } = await tryIt(true);
      ok(end.is === 'done' && end.stash !== undefined && end.error !== undefined);
      strictEqual(await branch(), REF);
      match(await git(root, 'stash', 'list'), /Before the branch/);
      strictEqual(await git(root, 'status', '--porcelain'), '');
    } finally {
      await rm(hook);
    }
  });

  it('changes nothing during a merge, even when its conflicts are resolved', async () => {
    await git(root, 'switch', '--quiet', '-c', 'other');
    await writeFile(join(root, 'README.md'), 'Other\n');
    await git(root, 'commit', '--quiet', '-am', 'Other');
    await git(root, 'switch', '--quiet', 'main');
    await writeFile(join(root, 'README.md'), 'Main\n');
    await git(root, 'commit', '--quiet', '-am', 'Main');
    await git(root, 'merge', 'other').catch(() => undefined);
    try {
      const refused = { end: { is: 'unfinished', command: 'merge' }, asked: [], steps: [] };
      deepStrictEqual(await tryIt(true), refused);
      await git(root, 'add', 'README.md');
      deepStrictEqual(await tryIt(true), refused);
    } finally {
      await git(root, 'reset', '--quiet', '--hard', 'origin/main');
      await git(root, 'branch', '-D', 'other');
    }
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
      const files = await changedFiles({ api, repository }, opened, { base, commit: tip, jobKey: 'k' });
      return files.map(([uri]) => uri.fsPath.slice(root.length + 1));
    };
    deepStrictEqual(await names(), ['docs/limits.md']);
    await tryIt();
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
