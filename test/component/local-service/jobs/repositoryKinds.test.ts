import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Git } from '../../../../src/git/git';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import { ProjectRegistry } from '../../../../src/local-service/jobs/projectRegistry';
import { TurnExecutor } from '../../../../src/local-service/jobs/turnExecutor';
import { reviewActions } from '../../../../src/local-service/review/reviewActions';
import { ReviewReader } from '../../../../src/local-service/review/reviewReader';
import type { Turn } from '../../../../src/local-service/store/jobStore';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { claim, createTurn, openStore, sampleJob } from '../../../support/sampleTurn';
import { notOnWindows } from '../../../support/machine';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** A kind of repository that documentation teams have. */
interface Kind {
  name: string;
  /** Makes the user's work tree in the folder `C`, with `docs/page.md` in it, beside a plain repository `R` with three commits. */
  make: string;
  /** What the agent does first, instead of adding a line to the page. */
  work?: string;
  /** Why the first run is refused. */
  refused?: RegExp;
  /** Why the work can't be merged here. */
  unmerged?: RegExp;
  /** What `git version` must be at least; for a format that older ones don't know. */
  needs?: string;
}

const CLONE = 'git clone --quiet R C';
const COMMIT = (script: string): string => `${CLONE}; cd C; ${script}; git add --all; git commit --quiet -m Kind`;
const PARTIAL = 'git -C R config uploadpack.allowFilter true; git -C R config uploadpack.allowAnySHA1InWant true';

const KINDS: readonly Kind[] = [
  { name: 'a clone of a folder', make: CLONE },
  { name: 'a repository without a remote', make: 'cp -r R C' },
  { name: 'a shallow clone', make: 'git clone --quiet --depth 1 file://$PWD/R C' },
  { name: 'a partial clone', make: `${PARTIAL}; git clone --quiet --filter=blob:none file://$PWD/R C` },
  { name: 'a partial clone without trees', make: `${PARTIAL}; git clone --quiet --filter=tree:0 file://$PWD/R C` },
  {
    name: 'a partial clone whose remote is gone',
    make: `${PARTIAL}; git clone --quiet --filter=blob:none file://$PWD/R C; mv R gone`,
  },
  {
    name: 'a partial clone with a sparse checkout',
    make: `${PARTIAL}; git clone --quiet --filter=blob:none --sparse file://$PWD/R C; git -C C sparse-checkout set docs`,
  },
  {
    name: 'the same without a cone',
    make: `${PARTIAL}; git clone --quiet --filter=blob:none --no-checkout file://$PWD/R C
cd C; git sparse-checkout set --no-cone '/docs/*.md'; git checkout --quiet main`,
  },
  {
    name: 'a partial clone without the files',
    make: `${PARTIAL}; git clone --quiet --filter=blob:none --no-checkout file://$PWD/R C`,
    refused:
      /The repository is a partial clone, and files that the job starts from aren’t on this machine: .*docs\/page\.md/,
  },
  { name: 'a sparse checkout', make: `${CLONE}; git -C C sparse-checkout set docs` },
  {
    name: 'a sparse index, and the agent changes files outside of it',
    make: `${CLONE}; git -C C sparse-checkout set --sparse-index docs`,
    work: 'echo more >> docs/page.md; echo more >> src/a.c; echo x > src/new.c',
  },
  { name: 'alternates', make: 'git clone --quiet --shared R C' },
  {
    name: 'SHA-256',
    make: 'git init --quiet --object-format=sha256 C; cp -r R/docs R/src C; cd C; git add .; git commit --quiet -m One',
  },
  {
    name: 'a .bare folder with a worktree',
    make: `git clone --quiet --bare R B/.bare 2>/dev/null || { mkdir B; git clone --quiet --bare R B/.bare; }
echo 'gitdir: ./.bare' > B/.git; git -C B worktree add --quiet ../C main`,
  },
  {
    name: 'a linked worktree with settings of its own',
    make: `git -C R config extensions.worktreeConfig true; git -C R worktree add --quiet -b mine ../C
git -C C config --worktree core.autocrlf true; git -C C config --worktree user.name Other`,
  },
  {
    name: 'a superproject, and the agent works in the submodule',
    make: `git clone --quiet R C; cd C; git -c protocol.file.allow=always submodule --quiet add ../R manual; git commit --quiet -m Sub`,
    work: 'echo x > manual/page.md',
    refused: /The agent worked in “manual”, a submodule/,
  },
  {
    name: 'a submodule',
    make: `git clone --quiet R S; cd S; git -c protocol.file.allow=always submodule --quiet add ../R manual
git commit --quiet -m Sub; cd ..; ln -s S/manual C; git -C S/manual checkout --quiet main`,
  },
  { name: 'Git LFS, pages only', make: COMMIT("echo '*.png filter=lfs diff=lfs merge=lfs -text' > .gitattributes") },
  {
    name: 'Git LFS, and the agent adds a picture',
    make: COMMIT("echo '*.png filter=lfs diff=lfs merge=lfs -text' > .gitattributes"),
    work: 'echo more >> docs/page.md; echo picture > docs/a.png',
    unmerged: /A filter such as Git LFS manages docs\/a\.png/,
  },
  {
    name: 'pages in UTF-16',
    make: COMMIT(
      `echo '*.md text working-tree-encoding=UTF-16LE-BOM' > .gitattributes
printf '\\377\\376v\\0003\\000\\n\\000' > docs/page.md`,
    ),
    work: `printf 'm\\000o\\000r\\000e\\000\\n\\000' >> docs/page.md`,
  },
  {
    name: 'core.autocrlf',
    make: `${CLONE}; cd C; git config core.autocrlf true; rm -r docs; git checkout --quiet docs`,
  },
  {
    name: 'ident and export-subst',
    make: COMMIT("echo '*.md ident export-subst' > .gitattributes; echo '$Id$' > docs/page.md"),
  },
  { name: 'a replaced commit', make: `${CLONE}; cd C; git replace --graft HEAD` },
  { name: 'a branch named HEAD', make: `${CLONE}; git -C C update-ref refs/heads/HEAD HEAD~1` },
  { name: 'a tag with the branch’s name', make: `${CLONE}; git -C C tag main HEAD~1` },
  {
    name: 'no commit',
    make: 'git init --quiet C; mkdir C/docs; echo x > C/docs/page.md',
    refused: /has no commits\. Create the first commit, then try again/,
  },
  {
    name: 'a detached HEAD',
    make: `${CLONE}; git -C C checkout --quiet --detach; git -C C branch --quiet -D main`,
    unmerged: /No branch is checked out/,
  },
  {
    name: 'a rebase in progress',
    make: `${CLONE}; mkdir C/.git/rebase-merge`,
    unmerged: /A rebase is in progress/,
  },
  {
    name: 'a cherry-pick in progress',
    make: `${CLONE}; git -C C update-ref CHERRY_PICK_HEAD HEAD`,
    unmerged: /A cherry-pick is in progress/,
  },
  {
    name: 'failing hooks',
    make: `${CLONE}; cd C/.git/hooks; for hook in pre-commit commit-msg post-commit pre-merge-commit post-merge post-checkout reference-transaction
do printf '#!/bin/sh\\nexit 1\\n' > $hook; chmod +x $hook; done`,
  },
  { name: 'docs as a link inside the repository', make: COMMIT('git mv docs manual; ln -s manual docs') },
  {
    name: 'docs as a link out of the repository',
    make: `mkdir other; echo x > other/page.md; ${COMMIT('git rm -rq docs; ln -s ../other docs')}`,
    work: 'mkdir -p docs; echo more >> docs/page.md; echo new > docs/new.md',
    refused:
      /“docs” leads to “\.\.\/other”, outside this repository, and the agent worked there\. Nothing was committed/,
  },
  {
    name: 'unusual names',
    make: COMMIT(
      `for name in '"q"' 'a\\b' 'ü' "$(printf 'tab\\tand\\nline')" "$(printf 'byte\\377')"; do echo x > "docs/$name"; done`,
    ),
    work: `for file in docs/*; do echo more >> "$file"; done`,
  },
  {
    name: 'reftable',
    make: 'git init --quiet --ref-format=reftable C; cp -r R/docs R/src C; cd C; git add .; git commit --quiet -m One',
    needs: '2.45',
  },
  {
    name: 'reftable with a cherry-pick in progress',
    make: 'git init --quiet --ref-format=reftable C; cp -r R/docs R/src C; cd C; git add .; git commit --quiet -m One; git update-ref CHERRY_PICK_HEAD HEAD',
    unmerged: /A cherry-pick is in progress/,
    needs: '2.45',
  },
  {
    name: 'a relative linked worktree',
    make: 'git -C R worktree add --quiet --relative-paths -b mine ../C',
    needs: '2.48',
  },
];

const CONFIGURATION = `[user]
	name = Robin Example
	email = robin@example.org
[init]
	defaultBranch = main
[filter "lfs"]
	clean = cat
`;

const EDIT = 'echo more >> docs/page.md';

/** The programs to try: that on the PATH, and a newer one where there is one. */
const PROGRAMS = ['git', process.env['DOCS_AGENT_TEST_GIT'] ?? ''].filter((program) => program !== '');
const versions = await Promise.all(
  PROGRAMS.map(async (program) => {
    const { stdout } = await promisify(execFile)(program, ['version']);
    return { program, version: /\d+\.\d+/.exec(stdout)?.[0] ?? '' };
  }),
);

const isOlder = (version: string, than: string): boolean => version.localeCompare(than, 'en', { numeric: true }) < 0;

for (const { program, version } of versions) {
  describe(`a job with git ${version} in`, function () {
    notOnWindows();
    const environment =
      program === 'git'
        ? process.env
        : { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}` };
    let template = '';
    before(async () => {
      template = await temporaryFolder();
      await writeFile(join(template, 'gitconfig'), CONFIGURATION);
      await shell(
        template,
        `git init --quiet R; cd R; mkdir docs src
for i in 1 2 3; do echo v$i > docs/page.md; echo s$i > src/a.c; git add .; git commit --quiet -m c$i; done`,
      );
    });

    async function shell(folder: string, script: string): Promise<string> {
      const user = { GIT_CONFIG_GLOBAL: join(template, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1', HOME: folder };
      const options = { cwd: folder, env: { ...environment, ...user } };
      return (await promisify(execFile)('sh', ['-c', `set -e\n${script}`], options)).stdout;
    }

    for (const kind of KINDS) {
      it(`${kind.name}${kind.needs === undefined ? '' : ` (git ${kind.needs} or newer)`}`, async function () {
        if (kind.needs !== undefined && isOlder(version, kind.needs)) {
          this.skip();
        }
        const root = await temporaryFolder();
        await shell(root, `cp -r '${template}/R' R; ${kind.make}`);
        await runThrough(root, kind);
      });
    }

    /** Prompt, changes, follow-up, preview, merge, undo, close and reopen, with the parts of the service. */
    async function runThrough(root: string, { work = EDIT, refused, unmerged }: Kind): Promise<void> {
      const git = new Git({ ...environment, GIT_CONFIG_GLOBAL: join(template, 'gitconfig') });
      const repository = new UserRepository(git);
      const store = await openStore(join(root, 'service.db'));
      try {
        const scripts: string[] = [];
        const driver = {
          run: async (task: AgentTask) => {
            await shell(root, `cd '${task.folder}'; ${scripts.shift() ?? ''}`);
            return { summary: 'Done.' };
          },
        };
        const chosen = { name: 'x', title: 'X', command: ['x'], protocol: 'acp' as const, variables: [], driver };
        const agents = { choose: () => Promise.resolve(chosen) };
        const registry = new ProjectRegistry({ store, repository, agents, hostOf: async () => undefined });
        const executor = new TurnExecutor({
          ...{ store, agents, git, repository, check: async () => undefined },
          publisher: { destination: () => Promise.resolve(undefined) },
          ...{ jobsFolder: join(root, 'jobs'), turnTimeoutMs: 60_000 },
          log: { info: () => undefined, warn: () => undefined, error: () => undefined },
        });
        const run = async (turn: Turn, script: string): Promise<void> => {
          scripts.push(script);
          const { signal } = new AbortController();
          const claimed = await claim(store, turn);
          await executor.run(claimed, { work: signal, publish: signal });
          await store.finishTurn(claimed, 'done');
        };
        const first = async () => {
          const { id, ...project } = await registry.identify(join(root, 'C'));
          const settings = projectSettingsSchema.parse({ agent: 'custom', command: ['x'], publish: false });
          await store.putProject({ id, ...project, settings });
          const { commit, branch } = await repository.head(project.folder);
          const job = sampleJob({ projectId: id, baseCommit: commit, baseBranch: branch });
          await run(await createTurn(store, job, 'Improve docs/page.md'), work);
          return { projectId: id, folder: project.folder };
        };
        const before = refused === undefined ? await stateOf() : '';
        if (refused !== undefined) {
          await assert.rejects(first(), refused);
          return;
        }
        const { projectId, folder } = await first();
        assert.equal(await stateOf(), before, 'the checkout is untouched');
        const job = async () => (await store.job('j1'))!;
        const reader = new ReviewReader({ git, store, jobsFolder: join(root, 'jobs') });
        const signal = AbortSignal.timeout(30_000);
        const { publishedCommit, baseCommit } = await job();
        const listed = await shell(
          folder,
          `git -C '${folder}' -c core.quotePath=false diff --name-only -z ${baseCommit ?? ''} ${publishedCommit ?? ''}`,
        );
        const changes = await reader.changes(await job(), signal);
        assert.deepEqual(changes.files.map(({ path }) => path).toSorted(), listed.split('\0').slice(0, -1).toSorted());
        const admission = await store.addFollowUp({ id: 'j1', projectId }, 'Go on', 1000);
        const turn = (await store.turns('j1')).at(-1);
        assert.ok(admission !== undefined && turn !== undefined);
        await run(turn, work === EDIT ? EDIT : 'echo second > docs/second.md');
        const actions = reviewActions({ git, store, repository, locks: new JobLocks() });
        const { into, head, commit } = await actions.preview(await job());
        const merge = async () => actions.merge(await job(), { into, head, commit });
        if (unmerged !== undefined) {
          await assert.rejects(merge(), unmerged);
          assert.equal(await stateOf(), before);
          return;
        }
        await merge();
        assert.equal(await shell(root, 'git -C C status --porcelain'), '', 'clean after the merge');
        assert.equal((await actions.undoMerge(await job())).branch, into);
        assert.equal(await stateOf(), before, 'as before after the undo');
        await actions.close(await job());
        await actions.reopen(await job());
      } finally {
        await store.close();
      }

      /** What the user has checked out and changed, and the branches besides the job's. */
      async function stateOf(): Promise<string> {
        return shell(
          root,
          `cd C; git status --porcelain=v2 --ignored; git rev-parse HEAD; git symbolic-ref -q HEAD || true
git for-each-ref --format='%(refname) %(objectname)' | grep -v docs-agent || true`,
        );
      }
    }
  });
}
