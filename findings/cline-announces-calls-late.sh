#!/usr/bin/env bash
# Cline over the Agent Client Protocol: a tool call is announced after it has begun, and only then.
#
# Guess: `tool_call` announces a call, `tool_call_update` changes it, and the status goes from pending to in_progress to
#   completed. So a client creates its entry at the first and applies each of the others to it.
# Seen: cline 3.0.65 begins with an update of a call that nobody has heard of, asks for permission, and says in_progress.
#   Only then comes the `tool_call`, with the status pending again. A client that ignores updates of unknown calls doesn't
#   know what it is asked about but for the request, and one that replaces its entry shows a call that runs as waiting.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts cline@3.0.65 @copilotkit/aimock@1.43.0 > /dev/null
mkdir -p work .cline/data/settings
cat > turn.mjs <<'JS'
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { LLMock } from '@copilotkit/aimock';

const work = `${process.cwd()}/work`;
const input = `*** Begin Patch\n*** Add File: ${work}/new.md\n+one\n*** End Patch`;
const model = new LLMock({ port: 0 });
const isDone = ({ messages, tools = [] }) => tools.length === 0 || messages.some(({ role }) => role === 'tool');
model.on({ predicate: isDone }, { content: 'Done.' });
model.on({ predicate: () => true }, { toolCalls: [{ name: 'apply_patch', arguments: JSON.stringify({ input }) }] });
await model.start();
// With a model that it doesn't know, it offers the patch tool.
const provider = 'openai-compatible';
const settings = { provider, model: 'm', baseUrl: `${model.url}/v1` };
const providers = { [provider]: { settings, updatedAt: new Date(0).toISOString(), tokenSource: 'manual' } };
writeFileSync('.cline/data/settings/providers.json', JSON.stringify({ version: 1, modes: {}, providers }));
const keys = { CLINE_PROVIDER: provider, CLINE_API_KEY: 'none', CLINE_MODEL: 'm' };
const env = { PATH: process.env.PATH, HOME: process.cwd(), ...keys };
const child = spawn('node_modules/.bin/cline', ['--acp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)(answer);
  } else if (params.update?.toolCallId !== undefined) {
    console.log(params.update.sessionUpdate, params.update.status);
  } else if (method === 'session/request_permission') {
    console.log('session/request_permission');
    const { optionId } = params.options.find(({ kind }) => kind === 'allow_once');
    send({ id, result: { outcome: { outcome: 'selected', optionId } } });
  }
});
const request = async (id, method, params) => {
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  send({ id, method, params });
  return (await answered).result;
};
await request(1001, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await request(1002, 'session/new', { cwd: work, mcpServers: [] });
await request(1003, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go' }] });
child.stdin.end();
await new Promise((resolve) => child.on('exit', resolve));
await model.stop();
JS
found=$(node turn.mjs)
echo "$found"
expected='tool_call_update pending
session/request_permission
tool_call_update in_progress
tool_call pending
tool_call_update completed'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
