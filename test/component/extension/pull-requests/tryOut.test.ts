import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Uri } from 'vscode';
import { withUserFileSettings } from '../../../../src/git/repositorySettings';
import { Git } from '../../../../src/git/git';
import { commands, editor, gitExtension, window } from '../../../support/fakeEditor';
import { gitRepository, type ReportedRepository } from '../../../support/gitRepository';
import { notOnWindows } from '../../../support/machine';
import { git, sampleRepository, temporaryFolder } from '../../../support/temporaryRepository';
import { ADDS, HARMLESS, HAZARDS, job, REF, replaced } from './hazards';

describe('trying out a job’s branch', function () {
  notOnWindows();
  let tryOut: typeof import('../../../../src/extension/features/pull-requests/tryOut');
  let WayBack: typeof import('../../../../src/extension/features/pull-requests/wayBack').WayBack;
  let Repositories: typeof import('../../../../src/extension/platform/repositories').Repositories;
  let root: string;
  let repository: ReportedRepository;
  let repositories: ReportedRepository[];
  let opened: (repository: ReportedRepository) => void;
  let memento: Map<string, unknown>;
  let status: string | undefined;
  let warned: string[];
  let told: string[];
  let ran: unknown[][];
  /** The buttons to press, if they are offered. */
  let press: string[];

  before(async () => {
    tryOut = await import('../../../../src/extension/features/pull-requests/tryOut');
    ({ WayBack } = await import('../../../../src/extension/features/pull-requests/wayBack'));
    ({ Repositories } = await import('../../../../src/extension/platform/repositories'));
  });
  beforeEach(async () => {
    [warned, told, ran, press] = [[], [], [], []];
    memento = new Map();
    status = undefined;
    const say =
      (heard: string[]) =>
      async (text: string, ...items: unknown[]): Promise<string | undefined> => {
        heard.push(text);
        return press.find((each) => items.includes(each));
      };
    const item = { text: '', show: () => void (status = item.text), hide: () => void (status = undefined) };
    Object.assign(window, {
      showWarningMessage: say(warned),
      showInformationMessage: say(told),
      withProgress: async (_: unknown, run: () => unknown) => run(),
      tabGroups: { activeTabGroup: {}, all: [] },
      setStatusBarMessage: () => undefined,
      createStatusBarItem: () => item,
    });
    Object.assign(commands, { executeCommand: async (...args: unknown[]) => void ran.push(args) });
  });
  afterEach(() => {
    gitExtension.api = undefined;
    Object.assign(commands, { executeCommand: async () => undefined });
  });

  async function prepare(script: string): Promise<void> {
    root = join(await temporaryFolder(), 'docs');
    await git(await sampleRepository(), 'clone', '--quiet', '.', root);
    await git(root, 'remote', 'remove', 'origin');
    await git(root, '-c', `alias.x=!set -e; ${script.trim().replaceAll(/\n\s*/g, ' ')}`, 'x');
    repository = await gitRepository(root);
    repositories = [repository];
    const onDidOpenRepository = (listener: typeof opened): object => {
      opened = listener;
      return { dispose: () => undefined };
    };
    gitExtension.api = {
      state: 'initialized',
      git: { path: 'git' },
      onDidOpenRepository,
      get repositories() {
        return repositories;
      },
    };
    Object.assign(editor.workspace, {
      textDocuments: [],
      isTrusted: true,
      workspaceFolders: [{ uri: repository.rootUri }],
    });
    Object.assign(repository.rootUri, { scheme: 'file' });
  }

  /** As in a new window. */
  function newWindow(): InstanceType<typeof WayBack> {
    const state = {
      get: (key: string, otherwise: unknown) => memento.get(key) ?? otherwise,
      update: async (key: string, value: unknown) => void memento.set(key, value),
    };
    return new WayBack(state as never, log);
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

  function options(ref = REF) {
    const snapshot = { id: 'j', status: 'completed', ref, prLink: null, repository: null };
    const tracked = { key: 'k', location: { service: 'local', projectId: 'p' }, prompts: [], snapshot };
    const wayBack = newWindow();
    return {
      picker: { choose: async () => tracked },
      store: { get: () => undefined },
      milestones: { record: () => undefined },
      localAvailable: true,
      repositories: new Repositories(),
      review: async () => undefined,
      wayBack: async () => wayBack,
      log,
    } as never;
  }

  const checkOut = async (ref?: string): Promise<void> => tryOut.checkoutPullRequest(options(ref), undefined);
  const head = async (): Promise<string> =>
    git(root, 'symbolic-ref', '--short', 'HEAD').then(
      (name) => name.trim(),
      async () => (await git(root, 'rev-parse', 'HEAD')).trim(),
    );
  const mine = async (file: string): Promise<string> => readFile(join(root, file), 'utf8').catch(() => 'gone');

  for (const [what, script, file, outcome] of HAZARDS) {
    it(`${outcome} and keeps ${what}`, async () => {
      await prepare(script);
      const start = await head();
      await checkOut();
      strictEqual(await mine(file), 'Mine\n');
      const [warning = ''] = warned;
      const found =
        told[0]?.startsWith('Checked out') === true
          ? 'switches'
          : warning.includes('uncommitted changes')
            ? 'offers a worktree'
            : warning.startsWith('Git couldn’t check out docs-agent/job: ')
              ? 'git refuses'
              : 'is refused';
      deepStrictEqual([found, await head()], [outcome, outcome === 'switches' ? REF : start], warning);
    });
  }

  for (const [what, script] of HARMLESS) {
    it(`does not stop for ${what}`, async () => {
      await prepare(script);
      await checkOut();
      deepStrictEqual([await head(), warned], [REF, []]);
    });
  }

  it('shows in git’s own words why it refuses, and makes no link of the name of a file', async () => {
    const name = '[Show](command:x).md';
    await prepare(`${job(`echo 1 >'${name}'`)}; echo Mine >'${name}'`);
    await checkOut();
    match(
      warned[0] ?? '',
      /^Git couldn’t check out docs-agent\/job: The following untracked working tree files would be overwritten by checkout: \[Show\].+ Please move or remove them before you switch branches\.$/,
    );
    doesNotMatch(warned[0] ?? '', /\]\(/);
  });

  it('changes nothing during a merge, even when its conflicts are resolved', async () => {
    await prepare(`${ADDS}; git switch -qc other; echo Other >README.md; git commit -qam Other; git switch -q main;
      echo Main >README.md; git commit -qam Main; git merge -q other || true`);
    await checkOut();
    await git(root, 'add', '.');
    await checkOut();
    const text =
      'A “git merge” is in progress in docs. Finish or cancel it, then check out docs-agent/job. Nothing was changed.';
    deepStrictEqual([warned, await head()], [[text, text], 'main']);
  });

  it('refuses if git can’t read the branch', async () => {
    await prepare(`${job('echo 1 >docs/new.md')}; rm -f .git/objects/$(git rev-parse ${REF}:docs | sed "s|..|&/|")`);
    await checkOut();
    deepStrictEqual([await head(), warned.length], ['main', 1]);
  });

  it('reports a hook that failed after the switch', async () => {
    await prepare(ADDS);
    await writeFile(join(root, '.git/hooks/post-checkout'), '#!/bin/sh\necho no luck >&2\nexit 1\n', { mode: 0o755 });
    await checkOut();
    deepStrictEqual([await head(), told], [REF, ['Checked out docs-agent/job in docs. Git reported: no luck.']]);
  });

  it('opens the branch in a worktree beside the repository if the user wants that, and offers it again', async () => {
    await prepare(`${ADDS}; echo Mine >README.md`);
    press = ['Open in Worktree', 'Open Worktree'];
    const place = `${root}.worktrees/docs-agent-job`;
    await checkOut();
    deepStrictEqual(warned, ['1 file in docs has uncommitted changes.']);
    deepStrictEqual([await head(), await mine('README.md')], ['main', 'Mine\n']);
    strictEqual(await readFile(join(place, 'notes.md'), 'utf8'), '1\n');
    await checkOut();
    deepStrictEqual(told, ['docs-agent/job is checked out in another worktree.']);
    deepStrictEqual(
      ran.map(([command, uri, how]) => [command, (uri as { fsPath: string }).fsPath, how]),
      [1, 2].map(() => ['vscode.openFolder', place, { forceNewWindow: true }]),
    );
  });

  describe('and going back', () => {
    const back = async (): Promise<void> => tryOut.leaveBranch(options());

    it('leads to what was checked out before, also after another job’s branch', async () => {
      await prepare(`${ADDS}; git branch other`);
      await checkOut();
      strictEqual(status, '$(git-branch) On docs-agent/job · Back to main');
      await checkOut('other');
      strictEqual(status, '$(git-branch) On other · Back to main');
      await back();
      deepStrictEqual([await head(), told.at(-1), status], ['main', 'Back on main.', undefined]);
      await back();
      match(told.at(-1) ?? '', /^No job’s branch is checked out here\./);
    });

    it('leads to a commit if no branch was checked out', async () => {
      await prepare(`${ADDS}; git switch -q --detach`);
      const commit = await head();
      press = [`Back to ${commit.slice(0, 7)}`];
      await checkOut();
      deepStrictEqual([await head(), told.at(-1)], [commit, `Back on ${commit.slice(0, 7)}.`]);
    });

    it('stops for uncommitted changes, and is still offered then', async () => {
      await prepare(ADDS);
      await checkOut();
      await writeFile(join(root, 'README.md'), 'Mine\n');
      press = ['Open Source Control'];
      await back();
      deepStrictEqual(warned, ['1 file in docs has uncommitted changes. Commit it, then go back to main.']);
      deepStrictEqual([await head(), await mine('README.md'), ran], [REF, 'Mine\n', [['workbench.view.scm']]]);
      strictEqual(status, '$(git-branch) On docs-agent/job · Back to main');
    });

    it('is offered in a new window, and while the branch is checked out, however it came about', async () => {
      await prepare(ADDS);
      await checkOut();
      repositories = [];
      status = undefined;
      await newWindow().refresh();
      strictEqual(status, undefined);
      repositories = [repository];
      opened(repository);
      await until(() => status !== undefined);
      await git(root, 'switch', '--quiet', 'main');
      await repository.status();
      await until(() => status === undefined);
      await git(root, 'switch', '--quiet', REF);
      await repository.status();
      await until(() => status !== undefined);
    });

    it('is not offered after a refusal, or for a branch that was checked out already', async () => {
      await prepare(`${ADDS}; git switch -q ${REF}`);
      await checkOut();
      deepStrictEqual([told, status], [['docs-agent/job is already checked out.'], undefined]);
    });
  });

  describe('or applying its changes', () => {
    async function applyIt(): Promise<void> {
      const { applyChanges } = await import('../../../../src/extension/features/pull-requests/applyChanges');
      const [base, commit] = (await git(root, 'rev-parse', 'main', REF)).trim().split('\n');
      const more = { localAccess: { changes: async () => ({ base, commit }) }, pulls: 'open' };
      await applyChanges(Object.assign(options(), more), undefined);
    }

    it('names the changed files, and says when they have the changes already', async () => {
      await prepare(job('echo 1 >notes.md; git mv README.md more.md; echo 1 >>docs/index.md'));
      await applyIt();
      deepStrictEqual(told, ['Applied 3 changed files: docs/index.md, more.md, notes.md. They aren’t committed.']);
      strictEqual(await git(root, 'diff', '--cached', '--name-only'), '');
      await applyIt();
      deepStrictEqual(warned, ['There’s nothing to apply. Your files already contain these changes.']);
    });

    it('shows in git’s own words why it refuses', async () => {
      await prepare(`${ADDS}; echo Mine >notes.md`);
      await applyIt();
      deepStrictEqual(warned, [
        'Git couldn’t apply the changes: notes.md: already exists in working directory. Nothing was changed.',
      ]);
      strictEqual(await mine('notes.md'), 'Mine\n');
    });

    it('stops for unsaved changes in one of the files', async () => {
      await prepare(job('git mv README.md notes.md'));
      const uri = { toString: () => `file://${root}/README.md` };
      Object.assign(editor.workspace, { textDocuments: [{ isDirty: true, uri }] });
      await applyIt();
      deepStrictEqual(warned, ['Save or revert README.md first. Nothing was changed.']);
    });

    it('stops for a submodule, and keeps what is in it', async () => {
      await prepare(replaced('sub', 'echo 1 >sub'));
      await applyIt();
      deepStrictEqual(warned, ['These changes include submodules (sub). Check out the branch instead.']);
      strictEqual(await mine('sub/own.md'), 'Mine\n');
    });
  });

  describe('or reviewing its changes', () => {
    it('opens a hundred files at a time, all read by one process, and the next ones on request', async () => {
      await prepare(
        job('for i in $(seq 101 240); do echo 1 >$i.md; done; git rm -q README.md; echo 2 >>docs/index.md'),
      );
      const { FileVersions } = await import('../../../../src/extension/platform/fileVersions');
      const { openChanges } = await import('../../../../src/extension/features/pull-requests/openChanges');
      Object.assign(editor.workspace, { registerFileSystemProvider: () => ({ dispose: () => undefined }) });
      const versions = new FileVersions();
      const views: [title: string, texts: string[][]][] = [];
      let started = 0;
      Object.assign(commands, {
        executeCommand: async (_: string, title: string, files: Uri[][]) => {
          // A file that had to be read by itself could not be found.
          gitExtension.api = undefined;
          const read = async (uri?: Uri) =>
            uri === undefined ? '-' : Buffer.from(await versions.readFile(uri)).toString();
          views.push([title, await Promise.all(files.map(async ([, ...sides]) => Promise.all(sides.map(read))))]);
        },
      });
      class CountingGit extends Git {
        override async *stream(...args: Parameters<Git['stream']>): AsyncGenerator<Uint8Array, void> {
          started += 1;
          yield* super.stream(...args);
        }
      }
      const own = new CountingGit(process.env);
      const signal = AbortSignal.timeout(30_000);
      const more = {
        versions,
        repositories: { open: async () => ({ git: own, place: await withUserFileSettings(own, root), signal }) },
        localAccess: { changes: async () => ({ base: (await git(root, 'rev-parse', 'main')).trim() }) },
        opened: { replace: async () => undefined },
        seen: { noteReviewed: async () => undefined },
      };
      press = ['Show Next 42'];
      await openChanges(Object.assign(options(), more), undefined);
      await until(() => views.length === 2);
      deepStrictEqual(
        views.map(([title, texts]) => [title, texts.length]),
        [
          ['Job j: files 1–100 of 142', 100],
          ['Job j: files 101–142 of 142', 42],
        ],
      );
      deepStrictEqual(views[0]?.[1][0], ['-', '1\n']);
      match(views[1]?.[1].find(([, after]) => after === '-')?.[0] ?? '', /^# Lighthouse/);
      deepStrictEqual([told, started], [['Files 1–100 of 142 are open.'], 3]);
    });
  });
});

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) {
    await delay(20);
  }
}
