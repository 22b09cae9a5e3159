import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../../../src/base/async';
import type { CheckedRange, CheckedResult } from '../../../../src/checks/process/runCheck';
import { Git } from '../../../../src/git/git';
import { checkBlock } from '../../../../src/local-service/forges/pullRequestText';
import { TokenStore } from '../../../../src/local-service/forges/credentials';
import {
  type BranchToPush,
  type Destination,
  type PublishResult,
  type PullRequestText,
} from '../../../../src/local-service/forges/publisher';
import { ForgePublisher } from '../../../../src/local-service/forges/forgePublisher';
import { jobFolders, prepareClones, resolveCloneBase } from '../../../../src/local-service/git/jobClone';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { publishTurn } from '../../../../src/local-service/jobs/publishTurn';
import { TurnActivityLog } from '../../../../src/local-service/jobs/turnActivityLog';
import type { JobRecord, Turn } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { toRounds } from '../../../../src/protocol/changes';
import { type ProjectSettings, projectSettingsSchema } from '../../../../src/protocol/localService';
import { inEnglish } from '../../../support/codedText';
import { claim, createTurn, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import { coverage, unknownName } from '../../../support/findings';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

const ORIGIN = 'https://git.example/docs.git';
const BRANCH = 'docs-agent/j1';
const ON_REMOTE = 'refs/remotes/origin/main';
const CONFIDENTIAL = /^The branch wasn’t pushed because it’s based on one of your commits/;

describe('publishTurn', function () {
  const git = new Git(process.env);
  const repository = new UserRepository(git);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let [repo, data, base] = ['', '', ''];
  let store: SqlJobStore;
  /** Each branch that was pushed, and each pull request that was opened. */
  let pushed: BranchToPush[];
  let opened: PullRequestText[];
  let checked: CheckedRange[];
  /** The result of each check; `unexpected` if publishing must not wait for one. */
  let found: CheckedResult | undefined | 'unexpected';
  /** The remote; undefined for none. */
  let remote: Omit<Destination, 'look' | 'push'> | undefined;
  let open: () => PublishResult;
  beforeEach(async () => {
    [repo, data] = [await temporaryFolder(), await temporaryFolder()];
    await createSampleRepository(repo);
    base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    store = await openStore(join(data, 'service.db'));
    [pushed, opened, checked, found] = [[], [], [], 'unexpected'];
    remote = { name: 'origin', url: ORIGIN, references: ['refs/remotes/origin/*'] };
    open = () => ({ prLink: `https://git.example/${pushed.length}` });
  });
  afterEach(() => store.close());

  const check = (range: CheckedRange) => {
    checked.push(range);
    return found === 'unexpected' ? assert.fail('it waited for a check') : Promise.resolve(found);
  };
  const publisher = {
    destination: async (): Promise<Destination | undefined> =>
      remote && {
        ...remote,
        look: async () => ({}),
        push: async (branch) => {
          pushed.push(branch);
          return {
            openPullRequest: async (text) => {
              opened.push(text);
              return open();
            },
          };
        },
      },
  };
  const folders = () => jobFolders(join(data, 'job'));

  interface Run {
    prompt?: string;
    /** What the agent writes. */
    files?: Record<string, string>;
    summary?: string;
    settings?: Partial<ProjectSettings>;
    by?: Pick<ForgePublisher, 'destination'>;
    baseBranch?: string;
  }

  /** Publishes a turn of the job: a new one, or the given one again. */
  async function publish({ files = {}, by = publisher, ...run }: Run, again?: Turn): Promise<Turn> {
    const settings = { ...projectSettingsSchema.parse({}), ...run.settings };
    const project = { id: 'p1', name: 'docs', folder: repo, gitDir: null, settings };
    await store.putProject(project);
    const known = await store.job('j1');
    const { prompt = known === undefined ? 'Document it' : 'Go on', baseBranch = 'main' } = run;
    const turn =
      again ??
      (await claim(
        store,
        known === undefined
          ? await createTurn(store, sampleJob({ baseCommit: base, baseBranch }), prompt)
          : await followUp(store, 'j1', prompt),
      ));
    const start = await resolveCloneBase(repository, repo, { ...(await store.job('j1'))!, baseCommit: base });
    await prepareClones(git, folders(), repo, BRANCH, start);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folders().work, path)), { recursive: true });
      await writeFile(join(folders().work, path), text);
    }
    if (run.summary !== undefined) {
      await store.startPublishing(turn, run.summary);
    }
    const activity = new TurnActivityLog(store, turn, log);
    const { signal } = new AbortController();
    let ended: JobRecord = {};
    try {
      ended = await publishTurn(
        { store, git, repository, publisher: by, check, log },
        { turn, project, folders: folders(), activity, signal },
      );
    } finally {
      await activity.write();
    }
    await (again ? store.record(turn, ended) : store.finishTurn(turn, 'done', undefined, ended));
    return turn;
  }
  const noteAfter = async (run: Run): Promise<string> => {
    await publish(run);
    return inEnglish((await store.job('j1'))?.note ?? undefined);
  };

  it('reports in the job and its activity log which ignored files are not in the commit, until they are gone', async () => {
    await writeFile(join(repo, '.gitignore'), 'private*\n');
    await plainGit(repo, 'add', '.gitignore');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Ignore');
    base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await writeFile(join(data, 'everywhere'), '.env\n');
    await plainGit(repo, 'config', 'core.excludesFile', join(data, 'everywhere'));
    const leftOut = async (files: Record<string, string> = {}): Promise<string> => {
      await publish({ files, settings: { publish: false } });
      return inEnglish((await store.job('j1'))?.leftOut ?? undefined);
    };
    const notes = async () => (await store.activity('j1', 0, 9)).filter(({ entry }) => entry.kind === 'note').length;
    const expected = `Git ignores files that the agent wrote, so they aren’t in the commit: .env, docs/private.md. They stay in “${folders().work}” until you archive the job.`;
    assert.equal(await leftOut({ '.env': 'new', 'docs/private.md': 'new' }), expected);
    assert.equal(await leftOut(), expected);
    assert.equal(await notes(), 1);
    assert.equal((await store.job('j1'))?.publishedCommit, null);
    await rm(join(folders().work, '.env'));
    await rm(join(folders().work, 'docs/private.md'));
    assert.equal(await leftOut(), '');
    assert.equal(await notes(), 1);
    assert.deepEqual(pushed, []);
  });

  it('records the commit of each turn, and counts only what was not merged before', async () => {
    const settings = { publish: false };
    await publish({ settings, prompt: 'One', files: { 'docs/one.md': 'new\n' } });
    await publish({ settings, prompt: 'Nothing' });
    await plainGit(repo, 'merge', '--quiet', BRANCH);
    await publish({ settings, prompt: 'Two', files: { 'docs/two.md': 'new\n' } });
    assert.deepEqual((await store.job('j1'))?.changes, { files: 1, added: 1, deleted: 0 });
    const rounds = toRounds(await store.turns('j1')).map(async ({ prompt, commit }) => [
      prompt,
      commit && (await plainGit(repo, 'diff', '--name-only', `${commit}~1`, commit)),
    ]);
    assert.deepEqual(await Promise.all(rounds), [
      ['One', 'docs/one.md\n'],
      ['Nothing', null],
      ['Two', 'docs/two.md\n'],
    ]);
  });

  it('goes on after the last step that was recorded, and repeats what was not', async () => {
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    open = () => {
      throw new Error('killed');
    };
    await assert.rejects(publish({ files: { 'docs/new.md': 'new' } }), /killed/);
    const commit = (await plainGit(repo, 'rev-parse', BRANCH)).trim();
    const facts = async () => {
      const { publishedCommit, pushedCommit, pushedTo, prLink } = (await store.job('j1'))!;
      return [publishedCommit, pushedCommit, pushedTo, prLink];
    };
    assert.deepEqual(await facts(), [commit, commit, ORIGIN, null]);
    open = () => ({ prLink: 'https://git.example/1' });
    const turn = (await store.unfinishedTurns())[0]!;
    await publish({}, turn);
    assert.deepEqual(await facts(), [commit, commit, ORIGIN, 'https://git.example/1']);
    await publish({}, turn);
    assert.deepEqual([pushed.length, opened.length], [2, 2], 'nothing is left to do');
  });

  it('pushes nothing while the work is based on commits that no remote has', async () => {
    assert.match(await noteAfter({ files: { 'docs/new.md': 'new' } }), CONFIDENTIAL);
    assert.deepEqual(pushed, []);
    assert.notEqual((await store.job('j1'))?.publishedCommit, null);
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    assert.equal(await noteAfter({}), '');
    assert.equal((await store.job('j1'))?.prLink, 'https://git.example/1');
    await publish({ files: { 'docs/new.md': 'newer' } });
    assert.equal(pushed.length, 2);
  });

  it('pushes no commits of the user to a remote that lacks them', async () => {
    const remotes = { origin: await temporaryFolder(), internal: await temporaryFolder() };
    for (const [name, folder] of Object.entries(remotes)) {
      await plainGit(folder, 'init', '--quiet', '--bare');
      await plainGit(repo, 'remote', 'add', name, folder);
      await plainGit(repo, 'push', '--quiet', name, 'main');
    }
    const commit = async (message: string): Promise<string> => {
      await plainGit(repo, 'commit', '--quiet', '--allow-empty', '-m', message);
      return (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    };
    await plainGit(repo, 'checkout', '--quiet', '-b', 'secret', '--no-track');
    base = await commit('Confidential');
    await plainGit(repo, 'push', '--quiet', 'internal', 'secret');
    const parts = { git, tokens: new TokenStore(() => undefined), pushFolder: join(data, 'push') };
    const by = new ForgePublisher({ ...parts, environment: process.env, clock: systemClock, log });
    const note = (text: string) => noteAfter({ files: { 'docs/new.md': text }, by, baseBranch: 'secret' });
    const onRemote = () => plainGit(remotes.origin, 'log', '--topo-order', '--format=%s', '--all', '--not', 'main');
    try {
      assert.match(await note('one'), CONFIDENTIAL);
      assert.equal(await onRemote(), '');
      await plainGit(repo, 'push', '--quiet', 'origin', 'secret');
      assert.equal(await note('two'), '');
      assert.equal(await onRemote(), 'Go on\nDocument it\nConfidential\n');
      // What the user adds to the job's branch belongs to it, also after the job's clone was removed.
      await plainGit(repo, 'checkout', '--quiet', BRANCH);
      await commit('Own words');
      await plainGit(repo, 'checkout', '--quiet', 'secret');
      await rm(join(data, 'job'), { recursive: true });
      assert.equal(await note('three'), '');
      assert.equal(await onRemote(), 'Go on\nOwn words\nGo on\nDocument it\nConfidential\n');
    } finally {
      await by.close();
    }
  });

  it('holds back commits that the user has removed from the repository', async () => {
    assert.match(await noteAfter({ files: { 'docs/new.md': 'one' } }), CONFIDENTIAL);
    await rm(repo, { recursive: true });
    await createSampleRepository(repo);
    await plainGit(repo, 'commit', '--quiet', '--amend', '-m', 'Without the secret');
    const gone = /^The branch wasn’t pushed because your repository no longer has the agent’s last commit/;
    assert.match(await noteAfter({}), gone);
    assert.match(await noteAfter({ files: { 'docs/new.md': 'two' } }), CONFIDENTIAL);
    assert.deepEqual(pushed, []);
  });

  it('counts what was pushed before as published, but only on the same remote', async () => {
    const note = (text: string) => noteAfter({ files: { 'docs/new.md': text } });
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    assert.equal(await note('one'), '');
    // A fetch that prunes removes it after the branch was deleted there.
    await plainGit(repo, 'update-ref', '-d', ON_REMOTE);
    assert.equal(await note('two'), '');
    assert.equal(pushed.length, 2);
    remote = { ...remote!, url: 'https://git.example/public.git' };
    assert.match(await note('three'), CONFIDENTIAL);
    remote = { ...remote, url: null };
    assert.match(await note('four'), CONFIDENTIAL);
    assert.equal(pushed.length, 2);
    remote = { ...remote, url: ORIGIN };
    assert.equal(await note('five'), '');
    assert.equal(pushed.length, 3);
  });

  it('holds back the agent’s CI configuration until the user has pushed it or the agent has undone it', async () => {
    const isHeld = /^The branch wasn’t pushed because the agent changed CI configuration.*: (\S+)\. Ask/;
    const note = (text?: string, file = 'docs/new.md') =>
      noteAfter(text === undefined ? {} : { files: { [file]: text } });
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    for (const file of ['.github/workflows/docs.yml', '.GitLab-CI.yml', 'Jenkinsfile']) {
      assert.equal(isHeld.exec(await note('run: env', file))?.[1], file);
      assert.match(await note('more'), isHeld);
      await rm(join(folders().work, file));
      assert.equal(await note(), '');
    }
    assert.equal(await note('text', 'docs/Jenkinsfile'), '');
    assert.equal(pushed.length, 4);
    assert.match(await note('run: env', '.github/workflows/docs.yml'), isHeld);
    const commit = (await store.job('j1'))?.publishedCommit ?? '';
    await plainGit(repo, 'update-ref', `refs/remotes/origin/${BRANCH}`, commit);
    assert.equal(await note(), '');
    assert.equal(await note('five'), '');
    assert.match(await note('run: env more', '.github/workflows/docs.yml'), isHeld);
    assert.equal(pushed.length, 6);
  });

  it('allows CI configuration that the user added to the branch', async () => {
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    assert.equal(await noteAfter({ files: { 'docs/new.md': 'one' } }), '');
    await plainGit(repo, 'checkout', '--quiet', BRANCH);
    await mkdir(join(repo, '.github/workflows'), { recursive: true });
    await writeFile(join(repo, '.github/workflows/ci.yml'), 'mine');
    await plainGit(repo, 'add', '.');
    await plainGit(repo, 'commit', '--quiet', '-m', 'CI');
    await plainGit(repo, 'update-ref', `refs/remotes/origin/${BRANCH}`, 'HEAD');
    await plainGit(repo, 'checkout', '--quiet', 'main');
    await rm(join(data, 'job'), { recursive: true });
    assert.equal(await noteAfter({ files: { 'docs/new.md': 'two' } }), '');
    assert.equal(pushed.length, 2);
  });

  // Built at run time, so that secret scanners do not flag this file.
  const SECRET = `ghp_${'a1B2'.repeat(9)}`;

  it('holds back lines with a secret until the user has pushed them or the agent has replaced it', async () => {
    const note = (text: string, file = 'docs/new.md') => noteAfter({ files: { [file]: text } });
    const isHeld = /^The branch wasn’t pushed because lines that the agent added seem to contain secrets: (\S+)\. Ask/;
    await writeFile(join(repo, 'docs/old.md'), `${SECRET}\n`);
    await plainGit(repo, 'add', '.');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Old');
    base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    const held = await note(`# Keys\n\n    export KEY=${SECRET}\n`);
    assert.equal(isHeld.exec(held)?.[1], 'docs/new.md:3');
    assert.ok(!held.includes(SECRET) && held.includes(`“git push origin ${BRANCH}”`), held);
    assert.match(await note('more', 'docs/more.md'), isHeld);
    assert.equal(await note('# Keys\n\n    export KEY=ghp_your-token\n'), '');
    assert.equal(await note(`${SECRET}\nand more\n`, 'docs/old.md'), '', 'a line that the host has');
    assert.equal(pushed.length, 2);
    assert.match(await note(SECRET), isHeld);
    const commit = (await store.job('j1'))?.publishedCommit ?? '';
    await plainGit(repo, 'update-ref', `refs/remotes/origin/${BRANCH}`, commit);
    assert.equal(await note('two', 'docs/more.md'), '');
    assert.equal(pushed.length, 3);
  });

  /** Commits the rules of the repository, and publishes a turn. Returns the note about the commit. */
  const underRules = async (text: string, run: Run = {}): Promise<string> => {
    await mkdir(join(repo, '.docs-agent'), { recursive: true });
    await writeFile(join(repo, '.docs-agent/settings.json'), text);
    await plainGit(repo, 'add', '.');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Rules');
    base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await publish({ files: { 'docs/new.md': 'one' }, settings: { publish: false }, ...run });
    return inEnglish((await store.job('j1'))?.leftOut ?? undefined);
  };

  it('keeps the rules of the repository for commits, as they were in the commit that the job started from', async () => {
    await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(data, 'key')]);
    await plainGit(repo, 'config', 'gpg.format', 'ssh');
    await plainGit(repo, 'config', 'user.signingKey', join(data, 'key.pub'));
    const rules = JSON.stringify({ commits: { signOff: true, subjectPrefix: 'docs: ', sign: true } });
    const files = { 'docs/new.md': 'one', '.docs-agent/settings.json': '{}' };
    assert.equal(await underRules(rules, { files, prompt: 'Document it\nplease', summary: 'Done.' }), '');
    const [name = '', email = ''] = (await plainGit(repo, 'log', '-1', '--format=%an%n%ae', BRANCH)).split('\n');
    const commit = await plainGit(repo, 'cat-file', 'commit', BRANCH);
    assert.match(commit, /^gpgsig -----BEGIN SSH SIGNATURE-----$/m);
    const message = `docs: Document it\n\nplease\n\nDone.\n\nDocs-Agent-Job: j1\nSigned-off-by: ${name} <${email}>\n`;
    assert.equal((await plainGit(repo, 'log', '-1', '--format=%B', BRANCH)).trimEnd(), message.trimEnd());
    const trailers = (await plainGit(repo, 'log', '-1', '--format=%(trailers:only)', BRANCH)).trim().split('\n');
    assert.equal(trailers.length, 2);
  });

  it('says that a commit isn’t signed, and which rules can’t be used', async () => {
    const isUnsigned = /^The commit isn’t signed: /;
    assert.match(await underRules('{"commits":{"sign":true}}', { prompt: 'Sign' }), isUnsigned);
    assert.equal((await plainGit(repo, 'log', '-1', '--format=%s', BRANCH)).trim(), 'Sign');
  });

  for (const [text, where] of [
    ['{', ''],
    ['{"commits":{"program":"x"}}', ' (commits.program)'],
    ['{"commits":{"subjectPrefix":"a\\nb"}}', ' (commits.subjectPrefix)'],
    [`{"commits":{}}${' '.repeat(70_000)}`, ''],
  ] as const) {
    it(`ignores rules that can’t be used, and says so: ${text.slice(0, 40)}`, async () => {
      const expected = `The rules in “.docs-agent/settings.json” were ignored: the file isn’t valid JSON, or has something that can’t be used${where}.`;
      assert.equal(await underRules(text), expected);
    });
  }

  it('adds what the check found to the description if the settings say so, and publishes without it otherwise', async () => {
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    const settings = { checkInPullRequest: true };
    found = { findings: [unknownName({ name: SECRET })], more: 0, coverage: coverage(1) };
    await publish({ settings, files: { 'docs/new.md': 'one' } });
    const commit = (await plainGit(repo, 'rev-parse', BRANCH)).trim();
    assert.deepEqual(checked, [{ folder: repo, base, commit, code: [] }]);
    const [first] = opened;
    assert.match(first?.check ?? '', /: 1 problem\n\n- `docs\/a\.md`, line 3: `\[redacted: GitHub token\]` was not/);
    assert.ok(first?.body.startsWith(checkBlock(first.check ?? '')));
    // The check failed or took too long.
    found = undefined;
    await publish({ settings, files: { 'docs/new.md': 'two' } });
    assert.equal(opened[1]?.check, '');
    found = 'unexpected';
    await publish({ files: { 'docs/new.md': 'three' } });
    assert.equal(opened[2]?.check, undefined);
    assert.equal(opened.length, 3);
  });

  it('redacts secrets in the commit and pull request and shortens a long prompt in the commit', async () => {
    await writeFile(join(repo, 'pull_request_template.md'), '## Checklist\n');
    await plainGit(repo, 'add', '.');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Template');
    base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await plainGit(repo, 'update-ref', ON_REMOTE, base);
    const prompt = `Document ${SECRET}\ntoken: ${SECRET}\n${'a line of code\n'.repeat(30_000)}`;
    const summary = `I found ${SECRET} and left it out.`;
    await publish({ prompt, summary, files: { 'docs/new.md': 'new' } });
    const message = await plainGit(repo, 'log', '-1', '--format=%B', BRANCH);
    assert.match(message, /^Document \[redacted: GitHub token\]\n/);
    assert.match(message, /\n… 29,98\d more lines\n\nI found \[redacted: GitHub token\] and left it out\.\n/);
    assert.ok(message.length < 2_000, `${message.length} characters`);
    assert.equal(pushed[0]?.title, 'Document [redacted: GitHub token]');
    const body = opened[0]?.body ?? '';
    assert.match(body, /left it out\.\n\n## Checklist\n\nThe prompt was:/);
    assert.ok(body.includes('token: [redacted: GitHub token]'));
    assert.ok(!`${message}${body}`.includes(SECRET));
  });
});
