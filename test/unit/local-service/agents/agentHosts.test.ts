import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reachOf } from '../../../../src/local-service/agents/agentHosts';
import { findKnownAgent } from '../../../../src/local-service/agents/knownAgents';

describe('the hosts that a sandboxed agent may reach', () => {
  const CLAUDE = ['*.anthropic.com', 'claude.ai', '*.claude.ai', '*.claude.com'];
  const CASES: [string, string, NodeJS.ProcessEnv, string[], string[]][] = [
    [
      'a gateway',
      'claude-agent-acp',
      { ANTHROPIC_BASE_URL: 'https://llm.example.com:8443/v1' },
      [],
      ['llm.example.com'],
    ],
    [
      'an address in a private network',
      'codex-acp',
      { OPENAI_BASE_URL: 'http://192.168.1.7:8000' },
      [],
      ['192.168.1.7'],
    ],
    ['an IPv6 address', 'codex-acp', { OPENAI_BASE_URL: 'http://[fd00::7]:8000' }, [], ['[fd00::7]']],
    ['a switch', 'claude-agent-acp', { CLAUDE_CODE_USE_VERTEX: '1' }, [], ['*.googleapis.com']],
    [
      'a region',
      'claude-agent-acp',
      { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-central-1' },
      [],
      ['bedrock-runtime.eu-central-1.amazonaws.com'],
    ],
    ['a provider by its key', 'opencode', { OPENROUTER_API_KEY: 'k' }, [], ['openrouter.ai']],
    ['a provider of a custom agent', 'aider', { OPENROUTER_API_KEY: 'k' }, [], ['openrouter.ai']],
    [
      'those of a custom agent',
      'aider',
      { OPENAI_BASE_URL: 'https://llm.example.com' },
      ['a.example:8080'],
      ['llm.example.com', 'a.example:8080'],
    ],
    ['an address without http', 'goose', { OLLAMA_HOST: '127.0.0.1:11434' }, [], ['127.0.0.1:11434']],
  ];
  for (const [what, program, environment, added, expected] of CASES) {
    it(`include ${what}`, async () => {
      const { hosts } = await reachOf(findKnownAgent(program), environment, [], added);
      deepEqual(
        expected.filter((host) => !hosts.includes(host)),
        [],
      );
      equal(
        hosts.some((host) => /REGION|:\/\//.test(host)),
        false,
      );
    });
  }

  it('are only its own while nothing else is switched on', async () => {
    const { hosts } = await reachOf(findKnownAgent('claude-agent-acp'), { CLAUDE_CODE_USE_VERTEX: '0' }, [], []);
    deepEqual(hosts, CLAUDE);
  });

  it('include those that its configuration names, and no name without a dot there', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'hosts-')), 'config.toml');
    writeFileSync(
      file,
      '[model_providers.own]\nbase_url = "https://llm.example.com/v1"\n# http://box:1/ http://localhost:11434/v1\n',
    );
    const { hosts, local, beyond } = await reachOf(findKnownAgent('codex-acp'), {}, [file, '/missing'], []);
    deepEqual(hosts.slice(3), ['llm.example.com', 'localhost:11434']);
    deepEqual([local, beyond], [['localhost:11434'], undefined]);
  });

  const LOCAL: [string, string[]][] = [
    ['http://localhost:11434', ['localhost:11434']],
    ['http://127.0.0.1', ['127.0.0.1:80']],
    ['https://[::1]/v1', ['[::1]:443']],
    ['http://0.0.0.0:4000', ['localhost:4000']],
    ['https://example.com', []],
  ];
  for (const [address, expected] of LOCAL) {
    it(`are forwarded if they are on this machine: ${address}`, async () => {
      const { local } = await reachOf(findKnownAgent('codex-acp'), { OPENAI_BASE_URL: address }, [], []);
      deepEqual(local, expected);
    });
  }

  it('are named if the sandbox can’t allow one', async () => {
    const { beyond } = await reachOf(findKnownAgent('codex-acp'), { OPENAI_BASE_URL: 'http://litellm:4000' }, [], []);
    equal(beyond, 'litellm');
  });
});
