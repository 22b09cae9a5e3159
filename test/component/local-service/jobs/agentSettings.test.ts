import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
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
import { itOnUnix } from '../../../support/machine';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

const FILES = ['.claude/settings.json', '.mcp.json', 'site/opencode.json'];
const SETTINGS = ['.claude', '.mcp.json', 'site/opencode.json'];

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
    await Promise.all(FILES.map((path) => writeFile(join(folder, path), '{}\n')));
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
    assert.match((await notes())[0] ?? '', /^This repository has settings .+ left out: \.claude, \.mcp\.json, site\//);
  });

  itOnUnix('withholds links that lead out, names them in a note, and commits none of it', async () => {
    await writeFile(join(data, 'outside.md'), 'secret');
    await symlink(join(data, 'outside.md'), join(folder, 'AGENTS.md'));
    await plainGit(folder, 'add', '.');
    await plainGit(folder, 'commit', '--quiet', '-m', 'Link');
    await project({});
    await run(await createTurn(store, sampleJob(), 'First'), async (task) => {
      assert.equal(existsSync(join(task.folder, 'AGENTS.md')), false);
      await write(task, 'first.md');
    });
    assert.deepEqual(await changed('HEAD'), ['A\tfirst.md']);
    assert.match((await notes()).join('\n'), /outside this repository are left out .+: AGENTS\.md/);
    assert.doesNotMatch((await notes()).join('\n'), /The agent wrote/);
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
    const writing = () => mkdir(join(work, '.codex'));
    await assert.rejects(withoutRepositorySettings(work, false, activity, writing), /The agent wrote/);
    assert.deepEqual(await findAgentSettings(work), ['.codex', '.mcp.json']);
  });

  it('commits and reports settings that the agent wrote in their place', async () => {
    await project({});
    await run(await createTurn(store, sampleJob(), 'First'), (task) => write(task, '.mcp.json'));
    assert.deepEqual(await changed('HEAD'), ['M\t.mcp.json']);
    assert.match((await notes()).join('\n'), /The agent wrote settings for coding agents: \.mcp\.json\. Review them/);
  });

  for (const repositoryAgentSettings of [false, true]) {
    it(`leaves out what an agent leaves for itself, unless the repository has it (settings ${repositoryAgentSettings})`, async () => {
      const [lock, tasks] = ['.claude/scheduled_tasks.lock', '.claude/scheduled_tasks.json'];
      await writeFile(join(folder, tasks), '{}\n');
      await plainGit(folder, 'add', '.');
      await plainGit(folder, 'commit', '--quiet', '-m', 'Tasks');
      await project({ repositoryAgentSettings });
      await run(await createTurn(store, sampleJob(), 'First'), async (task) => {
        await mkdir(join(task.folder, '.claude'), { recursive: true });
        await Promise.all([lock, 'first.md'].map((path) => write(task, path)));
      });
      assert.deepEqual(await changed('HEAD'), ['A\tfirst.md']);
      assert.doesNotMatch((await notes()).join('\n'), /The agent wrote/);
    });
  }

  it('keeps the settings in place when the project allows it and says so in a note', async () => {
    await project({ repositoryAgentSettings: true });
    await run(await createTurn(store, sampleJob(), 'First'), (task) => write(task, 'first.md'));
    assert.deepEqual(seen, [SETTINGS]);
    assert.match((await notes())[0] ?? '', /settings for coding agents are in effect: \.claude, /);
  });
});
