import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { findProgram } from '../../../../src/git/programPaths';
import { AgentSelector } from '../../../../src/local-service/agents/agentSelector';
import { resolveBatchFile } from '../../../../src/local-service/agents/prepareAgentStart';
import { agentTitle, KNOWN_AGENTS } from '../../../../src/local-service/agents/knownAgents';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { agentsAnswerSchema, projectSettingsSchema } from '../../../../src/protocol/localService';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { notOnWindows } from '../../../support/machine';

const settings = (given: object = {}) => projectSettingsSchema.parse(given);

/** Creates a folder with programs that fail when they are run. */
async function programs(...names: string[]): Promise<string> {
  const folder = await temporaryFolder();
  await Promise.all(names.map((name) => writeFile(join(folder, name), '#!/bin/sh\nexit 99\n', { mode: 0o755 })));
  return folder;
}

async function choice(...names: string[]): Promise<AgentSelector> {
  return new AgentSelector({ PATH: await programs(...names) });
}

describe('AgentSelector', () => {
  notOnWindows();

  it('chooses the first installed agent for `auto` and returns its full path', async () => {
    const agent = await (await choice('goose', 'gemini', 'opencode')).choose(settings({ variables: ['MY_KEY'] }));
    assert.deepEqual([agent.name, agent.title, agent.protocol], ['gemini', 'Gemini CLI', 'acp']);
    assert.match(agent.command.join(' '), /^\/.+\/gemini --acp --skip-trust$/);
    assert.ok(['GEMINI_API_KEY', 'HTTPS_PROXY', 'MY_KEY'].every((name) => agent.variables.includes(name)));
    assert.ok(!agent.variables.includes('ANTHROPIC_API_KEY'));
  });

  it('runs the demo agent with the service’s own Node, and never chooses it automatically', async () => {
    const file = '/extension/media/demoAgent.mjs';
    const agents = new AgentSelector({ PATH: await programs() }, file);
    const { title, command, protocol } = await agents.choose(settings({ agent: 'demo', command: ['other'] }));
    assert.deepEqual([title, command, protocol], ['Demo agent', [process.execPath, file], 'stdin']);
    assert.deepEqual(
      agents.listDemo().map(({ name, path }) => [name, path]),
      [['demo', file]],
    );
    await assert.rejects(agents.choose(settings()), /^Error: No coding agent was found/);
    await assert.rejects((await choice()).choose(settings({ agent: 'demo' })), /There is no agent named “demo”/);
  });

  it('chooses the agent named in the settings', async () => {
    const agent = await (await choice('gemini', 'codex-acp')).choose(settings({ agent: 'codex' }));
    assert.deepEqual([agent.name, agent.command.length], ['codex', 1]);
  });

  it('uses the user’s own command unchanged', async () => {
    const own = { agent: 'custom', command: ['/opt/my agent', '--x'], protocol: 'acp', variables: ['A'] };
    const agent = await (await choice()).choose(settings(own));
    const { command, protocol, variables } = own;
    assert.deepEqual(agent, { name: 'custom', title: 'my agent', command, protocol, variables });
  });

  it('looks up the user’s own program on PATH when its name has no slash', async () => {
    const agents = await choice('mine');
    const agent = await agents.choose(settings({ agent: 'custom', command: ['mine', '--x'] }));
    assert.equal(agent.title, 'mine');
    assert.match(agent.command.join(' '), /^\/.+\/mine --x$/);
  });

  for (const program of ['./mine', 'tools/mine', '../mine']) {
    it(`refuses a program path relative to the repository (${program})`, async () => {
      const work = (await choice('mine')).choose(settings({ agent: 'custom', command: [program] }));
      await assert.rejects(work, /^Error: “.+” is a path relative to the repository, .+ absolute path/);
    });
  }

  it('passes cloud credentials only when that cloud is enabled', async () => {
    const seen = async (more: NodeJS.ProcessEnv) => {
      const agents = new AgentSelector({ PATH: await programs('claude-agent-acp'), ...more });
      return (await agents.choose(settings())).variables;
    };
    assert.ok(!(await seen({})).some((name) => /^AWS_|CLOUD_ML_REGION/.test(name)));
    assert.ok(!(await seen({ CLAUDE_CODE_USE_BEDROCK: '0' })).includes('AWS_PROFILE'));
    const bedrock = await seen({ CLAUDE_CODE_USE_BEDROCK: '1' });
    assert.ok(['AWS_REGION', 'AWS_PROFILE', 'AWS_SECRET_ACCESS_KEY'].every((name) => bedrock.includes(name)));
    assert.ok(!bedrock.includes('CLOUD_ML_REGION'));
    assert.ok((await seen({ CLAUDE_CODE_USE_VERTEX: 'true' })).includes('ANTHROPIC_VERTEX_PROJECT_ID'));
  });

  const refusals: [string, string[], object, RegExp][] = [
    [
      'there is none',
      [],
      {},
      /^No coding agent was found\. Install one \(Claude Code, Codex, .+, Auggie\), or set a custom/,
    ],
    [
      'only the adapter is missing',
      ['claude'],
      {},
      /^No usable coding agent was found\. Claude Code is installed \(\/.+\/claude\), but its adapter “claude-agent-acp” isn’t\. Install it with “npm install/,
    ],
    [
      'the one named and its adapter are missing',
      ['goose'],
      { agent: 'codex' },
      /^Codex isn’t installed\. It’s used through “codex-acp”, an adapter that includes it\. Install it with “npm/,
    ],
    ['the one named is missing', ['goose'], { agent: 'cursor' }, /^Cursor CLI isn’t installed: “cursor-agent” wasn’t/],
    ['the name is not known', ['goose'], { agent: 'other' }, /^There is no agent named “other”\. Choose auto, custom/],
    [
      'the own program is missing',
      ['goose'],
      { agent: 'custom', command: ['mine'] },
      /^The agent “mine” wasn’t found\. Install it, or choose another agent \(docsAgent\.local\.agent, or --agent\)\.$/,
    ],
    [
      'the own command is empty',
      ['goose'],
      { agent: 'custom' },
      /^A custom agent is selected, but its command isn’t set/,
    ],
  ];
  for (const [name, installed, given, words] of refusals) {
    it(`explains what to do when ${name}`, async () => {
      const work = (await choice(...installed)).choose(settings(given));
      await assert.rejects(work, (error) => error instanceof TurnFailure && words.test(error.message));
    });
  }

  it('lists the known agents and their paths without running any', async () => {
    const agents = await (await choice('codex-acp', 'codex', 'claude')).list();
    const answer = agentsAnswerSchema.parse({ agents, chosen: 'codex', sandbox: null });
    assert.deepEqual(
      answer.agents.map(({ name }) => name),
      KNOWN_AGENTS.map(({ name }) => name),
    );
    assert.equal(agents[0]?.path, null);
    assert.match(agents[1]?.path ?? '', /\/codex-acp$/);
    assert.match(agents[1]?.how ?? '', /^Found at \/.+\/codex-acp, which starts \/.+\/codex\.$/);
    assert.match(agents[6]?.how ?? '', /^Goose isn’t installed: “goose” wasn’t found\. To install it, see https:/);
  });

  it('returns codes for the editor that say what is missing and how to install it', async () => {
    const [claude, codex, , , , , goose] = await (await choice('codex-acp', 'codex', 'claude')).list();
    assert.ok(claude !== undefined && codex !== undefined && goose !== undefined);
    const codes = [claude, codex, goose].map((agent) => agent.coded.code);
    assert.deepEqual(codes, ['adapterNotInstalled', 'agentFoundWithProgram', 'agentNotInstalled']);
    const command = 'npm install --global @agentclientprotocol/claude-agent-acp';
    assert.deepEqual(claude.coded.params?.['get'], { code: 'getWithCommand', params: { command } });
    const address = 'https://block.github.io/goose';
    assert.deepEqual(goose.coded.params?.['get'], { code: 'getAtAddress', params: { address } });
  });

  it('never passes tokens for Git hosts to an agent', () => {
    const tokens = /^(GH|GITHUB|GITLAB|GITEA|BITBUCKET)_|^GIT_/;
    const seen = KNOWN_AGENTS.flatMap(({ variables }) => variables);
    assert.deepEqual(
      seen.filter((name) => tokens.test(name)),
      [],
    );
  });
});

describe('findProgram', () => {
  notOnWindows();

  it('searches the absolute folders on PATH in order for executable files', async () => {
    const [first, second, third] = await Promise.all([programs(), programs('agent'), programs('agent')]);
    await mkdir(join(first, 'agent'));
    assert.equal(await findProgram('agent', { PATH: [first, second, third].join(delimiter) }), join(second, 'agent'));
    await chmod(join(second, 'agent'), 0o644);
    assert.equal(await findProgram('agent', { PATH: [first, second, third].join(delimiter) }), join(third, 'agent'));
    assert.equal(await findProgram(join(third, 'agent'), {}), join(third, 'agent'));
  });

  it('never finds a program in or relative to the current folder', async () => {
    const here = process.cwd();
    const folder = await programs('agent');
    process.chdir(folder);
    try {
      const found = [
        ['agent', ''],
        ['agent', '.'],
        ['agent', ':'],
        ['./agent', folder],
        ['', folder],
      ] as const;
      for (const [name, path] of found) {
        assert.equal(await findProgram(name, { PATH: path }), undefined, `${name} on ${path}`);
      }
    } finally {
      process.chdir(here);
    }
  });
});

describe('agentTitle for a job that has not started', () => {
  it('returns the title that the job has once it has started', () => {
    assert.equal(agentTitle(settings({ agent: 'claude' })), 'Claude Code');
    assert.equal(agentTitle(settings({ agent: 'auto' })), 'auto');
    assert.equal(agentTitle(settings({ command: ['/opt/tools/writer', '--fast'] })), 'writer');
  });

  it('names the script that an interpreter runs', () => {
    const script = resolve('tools', 'writer.mjs');
    assert.equal(agentTitle(settings({ command: ['/usr/bin/node', script, '--fast'] })), 'writer.mjs');
    assert.equal(agentTitle(settings({ command: ['node.exe', script] })), 'writer.mjs');
    for (const [name, ...args] of [
      ['sh', '-c', `${script} --fast`],
      ['node'],
      ['python3', '-m', script],
      ['writer', script],
    ]) {
      assert.equal(agentTitle(settings({ command: [name ?? '', ...args] })), name);
    }
  });
});

describe('npm batch file', () => {
  it('starts the script that the batch file names, without a shell', async () => {
    const folder = await programs(process.platform === 'win32' ? 'node.exe' : 'node');
    const shim = join(folder, 'gemini.cmd');
    await writeFile(
      shim,
      '@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n)\r\n\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\@google\\gemini-cli\\dist\\index.js" %*\r\n',
    );
    const command = await resolveBatchFile([shim, '--acp'], { PATH: folder }, 'win32');
    assert.match(command[0] ?? '', /node(\.exe)?$/);
    assert.deepEqual(command.slice(1), [join(folder, 'node_modules/@google/gemini-cli/dist/index.js'), '--acp']);
  });

  it('refuses other batch files on Windows and leaves all other commands unchanged', async () => {
    const folder = await programs('node');
    await writeFile(join(folder, 'agent.cmd'), '@echo off\r\nagent.exe %*\r\n');
    const command = [join(folder, 'agent.cmd'), 'x'];
    await assert.rejects(resolveBatchFile(command, { PATH: folder }, 'win32'), /is a batch file/);
    assert.deepEqual(await resolveBatchFile(['agent', 'x'], {}, 'win32'), ['agent', 'x']);
    for (const platform of ['linux', 'darwin'] as const) {
      assert.deepEqual(await resolveBatchFile(command, { PATH: folder }, platform), command);
    }
  });
});
