#!/usr/bin/env bash
# MCP: of a tool's result with text and structured content, the model gets one or the other, depending on the client.
#
# Guess: the model reads `content`, as always. `structuredContent` is for programs (MCP 2025-06-18, “Structured Content”:
#   for older clients, a server should also return it as text). So the text may be the better one: with an explanation,
#   or with a warning that a part of it was written by someone else.
# Seen: Claude Code 2.1.318 (that of the Agent SDK 0.101.0 of ACP) gives its model only the structured
#   content, as JSON, and drops the text. opencode-ai 1.18.33 gives it only the text. (Codex 0.171.0 does as Claude Code.)
#   So whatever a model must know has to be in both, also explanations and warnings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts opencode-ai@1.18.33 @copilotkit/aimock@1.43.0 \
  @modelcontextprotocol/server@2.4.0 @agentclientprotocol/claude-agent-acp@0.101.0 > /dev/null
(cd node_modules/opencode-ai && node postinstall.mjs > /dev/null)
cat > server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const result = { content: [{ type: 'text', text: 'the TEXT of it' }], structuredContent: { it: 'is STRUCTURED' } };
serveStdio(() => {
  const server = new McpServer({ name: 'finding', version: '1' });
  server.registerTool('look', { description: 'Looks.' }, () => result);
  return server;
});
JS
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';

let seen = '';
const model = new LLMock({ port: 0 });
const look = ({ tools = [] }) => tools.find((tool) => tool.function.name.endsWith('look'))?.function.name;
const answered = ({ messages }) => messages.find(({ role }) => role === 'tool');
model.on({ predicate: (request) => answered(request) !== undefined && (seen = JSON.stringify(answered(request))) === '' }, { content: '' });
model.on({ predicate: (request) => look(request) !== undefined && answered(request) === undefined }, (request) => ({
  toolCalls: [{ name: look(request), arguments: '{}' }],
}));
model.on({ predicate: () => true }, { content: 'Done.' });
await model.start();

const server = [process.execPath, `${process.cwd()}/server.mjs`];
const provider = { p: { npm: '@ai-sdk/openai-compatible', options: { baseURL: `${model.url}/v1`, apiKey: 'none' }, models: { m: {} } } };
writeFileSync('opencode.json', JSON.stringify({ provider, model: 'p/m', mcp: { finding: { type: 'local', command: server } } }));
writeFileSync('mcp.json', JSON.stringify({ mcpServers: { finding: { command: server[0], args: server.slice(1) } } }));
const own = readdirSync('node_modules/@anthropic-ai').find((name) => name.startsWith('claude-agent-sdk-'));
const claude = `node_modules/@anthropic-ai/${own}/claude`;
const anthropic = { ANTHROPIC_API_KEY: 'sk-ant-api03-none', ANTHROPIC_BASE_URL: model.url, ENABLE_TOOL_SEARCH: 'false' };

for (const [name, program, args, more] of [
  ['Claude Code', claude, ['--mcp-config', 'mcp.json', '--allowedTools', 'mcp__finding', '--print', 'Go'], anthropic],
  ['opencode', 'node_modules/.bin/opencode', ['run', 'Go'], {}],
]) {
  seen = '';
  const env = { PATH: process.env.PATH, HOME: process.cwd(), ...more };
  await once(spawn(program, args, { env, stdio: 'ignore' }), 'exit');
  console.log(`${name}: ${['TEXT', 'STRUCTURED'].filter((word) => seen.includes(word)).join(', ')}`);
}
await model.stop();
JS
found=$(node run.mjs)
echo "$found"
expected='Claude Code: STRUCTURED
opencode: TEXT'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
