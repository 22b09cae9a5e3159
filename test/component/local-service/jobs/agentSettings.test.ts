import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { findAgentSettings } from '../../../../src/local-service/agents/repositorySettings';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { withoutRepositorySettings } from '../../../../src/local-service/jobs/agentSettings';
import { TurnExecutor } from '../../../../src/local-service/jobs/turnExecutor';
import type { Turn } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { claim, createTurn, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import type { CodedText } from '../../../../src/protocol/codedText';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { inEnglish } from '../../../support/codedText';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

const SETTINGS = ['.claude/settings.json', '.mcp.json', 'site/opencode.json'];

/** Uses real git and a real database; the agent is a function. */
describe('job in a repository with coding agent settings', function () {
  let store: SqlJobStore;
  let folder = '';
  let data = '';
  let seen: string[][] = [];

  beforeEach(async () => {
    [folder, data, seen] = [await temporaryFolder(), await temporaryFolder(), []];
    await createSampleRepository(folder);
    await mkdir(join(folder, '.claude'));
    await mkdir(join(folder, 'site'));
    await Promise.all(SETTINGS.map((path) => writeFile(join(folder, path), '{}\n')));
    await plainGit(folder, 'add', '.');
    await plainGit(folder, 'commit', '--quiet', '-m', 'Settings');
    store = await openStore(join(data, 'service.db'));
  });
  afterEach(() => store.close());

  const run = async (turn: Turn, act: (task: AgentTask) => Promise<void>): Promise<void> => {
    const git = new Git(process.env);
    const driver = {
      run: async (task: AgentTask) => {
        seen.push(await findAgentSettings(task.folder));
        await act(task);
        return { summary: 'Done.' };
      },
    };
    const chosen = { name: 'x', title: 'X', command: ['x'], protocol: 'acp' as const, variables: [], driver };
    const work = new TurnExecutor({
      store,
      agents: { choose: () => Promise.resolve(chosen) },
      publisher: { destination: () => Promise.resolve(undefined) },
      git,
      repository: new UserRepository(git),
      check: async () => undefined,
      jobsFolder: join(data, 'jobs'),
      turnTimeoutMs: 60_000,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const { signal } = new AbortController();
    const claimed = await claim(store, turn);
    await work.run(claimed, { work: signal, publish: signal });
    await store.finishTurn(claimed, 'done');
  };
  const write = async (task: AgentTask, path: string): Promise<void> => {
    await writeFile(join(task.folder, path), 'New.\n');
  };
  const project = async (given: object): Promise<void> => {
    const settings = projectSettingsSchema.parse({ agent: 'custom', command: ['x'], ...given });
    await store.putProject({ id: 'p1', name: 'docs', folder, settings });
  };
  const changed = async (from: string): Promise<string[]> => {
    const printed = await plainGit(folder, 'diff', '--name-status', from, `docs-agent/j1`);
    return printed.split('\n').filter((line) => line !== '');
  };
  const notes = async (): Promise<string[]> =>
    (await store.activity('j1', 0, 100)).flatMap(({ entry }) => (entry.kind === 'note' ? [entry.text] : []));

  it('withholds the settings and names them in a note, without changing them, in follow-ups too', async () => {
    await project({});
    await run(await createTurn(store, sampleJob(), 'First'), (task) => write(task, 'first.md'));
    await run(await followUp(store, 'j1', 'Second'), (task) => write(task, 'second.md'));
    assert.deepEqual(seen, [[], []]);
    assert.deepEqual(await changed('HEAD'), ['A\tfirst.md', 'A\tsecond.md']);
    assert.match(
      (await notes())[0] ?? '',
      /^This repository has settings .+ left out: \.claude\/settings\.json, \.mcp\.json, site\//,
    );
  });

  it('withholds what npx would run, including committed packages, and commits none of it', async () => {
    await mkdir(join(folder, 'site', 'node_modules', 'a'), { recursive: true });
    const paths = ['.npmrc', 'site/node_modules/a/index.js'];
    await Promise.all(paths.map((path) => writeFile(join(folder, path), '# x\n')));
    await plainGit(folder, 'add', '--force', '.');
    await plainGit(folder, 'commit', '--quiet', '-m', 'Packages');
    await project({});
    const there: boolean[] = [];
    const act = async (task: AgentTask) => {
      there.push(...['.npmrc', 'site/node_modules'].map((path) => existsSync(join(task.folder, path))));
      await write(task, 'first.md');
    };
    await run(await createTurn(store, sampleJob(), 'First'), act);
    await run(await followUp(store, 'j1', 'Second'), act);
    assert.deepEqual(there, [false, false, false, false]);
    assert.deepEqual(await changed('HEAD'), ['A\tfirst.md']);
    assert.match((await notes())[0] ?? '', /left out: .*\.npmrc, .*site\/node_modules/);
    const work = join(data, 'jobs', 'j1', 'work');
    assert.equal(await readFile(join(work, 'site/node_modules/a/index.js'), 'utf8'), '# x\n');
  });

  it('hides npx programs in package.json, keeps the agent’s edit of it and withholds outside links', async () => {
    const outside = join(data, 'outside.md');
    await writeFile(outside, 'secret');
    const before = '{ "name": "docs",\n\t"bin": {"mcp-remote": "evil.js"}, "workspaces": ["a"] }\n';
    await writeFile(join(folder, 'package.json'), before);
    const links = process.platform === 'win32' ? [] : ['AGENTS.md'];
    await Promise.all(links.map((path) => symlink(outside, join(folder, path))));
    await plainGit(folder, 'add', '.');
    await plainGit(folder, 'commit', '--quiet', '-m', 'Package');
    await project({});
    const packages: string[] = [];
    const file = (task: AgentTask) => join(task.folder, 'package.json');
    await run(await createTurn(store, sampleJob(), 'First'), async (task) => {
      packages.push(await readFile(file(task), 'utf8'));
      assert.deepEqual(
        links.filter((path) => existsSync(join(task.folder, path))),
        [],
      );
      await write(task, 'first.md');
    });
    assert.deepEqual(packages, [before.replace(/"(bin|workspaces)"/g, '"//docs-agent:$1"')]);
    assert.deepEqual(await changed('HEAD'), ['A\tfirst.md']);
    await run(await followUp(store, 'j1', 'Second'), async (task) => {
      await writeFile(file(task), (await readFile(file(task), 'utf8')).replace('docs', 'site'));
    });
    assert.equal(await plainGit(folder, 'show', 'docs-agent/j1:package.json'), before.replace('docs', 'site'));
    assert.match((await notes()).join('\n'), /This repository’s package\.json names programs .+ npx/);
    assert.equal(
      (await notes()).some((note) => note.includes('AGENTS.md')),
      links.length > 0,
    );
    assert.doesNotMatch((await notes()).join('\n'), /The agent wrote/);
  });

  it('commits no renamed field, wherever the agent moved, copied or quoted package.json', async () => {
    const before = '{ "bin": "a.js", "//bin": "see a.js" }\n';
    await mkdir(join(folder, 'b'));
    await Promise.all(['package.json', 'b/package.json'].map((path) => writeFile(join(folder, path), before)));
    await plainGit(folder, 'add', '.');
    await plainGit(folder, 'commit', '--quiet', '-m', 'Package');
    await project({});
    await run(await createTurn(store, sampleJob(), 'First'), async (task) => {
      const text = await readFile(join(task.folder, 'package.json'), 'utf8');
      assert.match(text, /"\/\/docs-agent:bin"/);
      await mkdir(join(task.folder, 'packages/ä'), { recursive: true });
      await rename(join(task.folder, 'package.json'), join(task.folder, 'packages/ä/PACKAGE.JSON'));
      await writeFile(join(task.folder, 'package.json'), `{ "x": "${'y'.repeat(2 ** 21)}" }\n${text}`);
      await writeFile(join(task.folder, 'guide.md'), 'The `//docs-agent:bin` field.\n');
      await writeFile(join(task.folder, 'b/package.json'), before.replace('see', 'see also'));
    });
    const show = (path: string) => plainGit(folder, 'show', `docs-agent/j1:${path}`);
    assert.equal(await show('packages/ä/PACKAGE.JSON'), before);
    assert.equal(await show('guide.md'), 'The `bin` field.\n');
    assert.equal(await show('b/package.json'), before.replace('see', 'see also'));
    const work = join(data, 'jobs', 'j1', 'work');
    assert.equal((await readFile(join(work, 'package.json'), 'utf8')).split('\n')[1], before.trim());
    // Exit code 1 means that it is nowhere.
    await assert.rejects(plainGit(folder, 'grep', '--text', '-l', 'docs-agent:', 'docs-agent/j1'), { code: 1 });
  });

  it('restores the settings after the agent failed', async () => {
    await project({});
    const failing = run(await createTurn(store, sampleJob(), 'First'), () => Promise.reject(new Error('broken')));
    await assert.rejects(failing, /broken/);
    assert.deepEqual(await findAgentSettings(join(data, 'jobs', 'j1', 'work')), SETTINGS);
  });

  it('restores the settings even when the activity log cannot be written', async () => {
    const work = join(data, 'work');
    await mkdir(work);
    await writeFile(join(work, '.mcp.json'), '{}');
    const activity = { note: (text: CodedText) => assert.doesNotMatch(inEnglish(text), /The agent wrote/) };
    const writing = () => writeFile(join(work, '.env'), '');
    await assert.rejects(
      withoutRepositorySettings(new Git(process.env), { work, hostGit: '' }, false, activity, writing),
      /The agent wrote/,
    );
    assert.deepEqual(await findAgentSettings(work), ['.env', '.mcp.json']);
  });

  it('commits and reports settings that the agent wrote in their place', async () => {
    await project({});
    await run(await createTurn(store, sampleJob(), 'First'), (task) => write(task, '.mcp.json'));
    assert.deepEqual(await changed('HEAD'), ['M\t.mcp.json']);
    assert.match(
      (await notes()).join('\n'),
      /The agent wrote settings for coding agents .+: \.mcp\.json\. Review them/,
    );
  });

  it('keeps the settings in place when the project allows it and says so in a note', async () => {
    await project({ repositoryAgentSettings: true });
    await run(await createTurn(store, sampleJob(), 'First'), (task) => write(task, 'first.md'));
    assert.deepEqual(seen, [SETTINGS]);
    assert.match((await notes())[0] ?? '', /for programs they start, are in effect: \.claude\/settings\.json/);
  });
});
