#!/usr/bin/env bash
# opencode over the Agent Client Protocol: a subagent that needs a permission waits forever, and the client isn't asked.
#
# Guess: what the configuration says to ask about (`"edit": "ask"`) reaches the client as `session/request_permission`,
#   whoever does it: the prompt of a client is answered by one process, and the subagent's work is part of that answer.
# Seen: opencode-ai 1.18.33. The main agent's edit is asked for within seconds. The same edit by a subagent (the tool
#   `task`) is never asked for, nothing more is reported, and `session/prompt` isn't answered within 30 s (it never is).
#   The same happens without that configuration when a subagent reads a file outside the folder. What helps is to deny
#   it to subagents: `"agent": {"general": {"permission": {"edit": "deny"}}}`. Kilo 7.7.7, its fork, does the same.
# The model is a scripted one on this machine (@copilotkit/aimock 1.43.0).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts opencode-ai@1.18.33 @copilotkit/aimock@1.43.0 > /dev/null
(cd node_modules/opencode-ai && node postinstall.mjs > /dev/null)
mkdir home work
cat > run.mjs <<'JS'
import { LLMock } from '@copilotkit/aimock';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const work = `${process.cwd()}/work`;
const text = (request) => JSON.stringify(request.messages);
const isAt = (request, words) => text(request).includes(words) && !request.messages.some(({ role }) => role === 'tool');
const call = (name, input) => ({ toolCalls: [{ name, arguments: JSON.stringify(input) }] });
const write = call('write', { filePath: `${work}/a.md`, content: 'x' });
const model = new LLMock({ port: 0 });
model.on({ predicate: (request) => isAt(request, 'WRITE IT') && !text(request).includes('DELEGATE') }, write);
const input = { description: 'page', prompt: 'WRITE IT', subagent_type: 'general' };
model.on({ predicate: (request) => isAt(request, 'DELEGATE') }, call('task', input));
model.on({ predicate: () => true }, { content: 'done' });
await model.start();

const options = { baseURL: `${model.url}/v1`, apiKey: 'none' };
const provider = { npm: '@ai-sdk/openai-compatible', name: 'Scripted', options, models: { 'test-1': {} } };
const settings = { provider: { scripted: provider }, model: 'scripted/test-1', permission: { edit: 'ask' } };
writeFileSync('config.json', JSON.stringify(settings));

const env = { PATH: process.env.PATH, HOME: `${process.cwd()}/home`, OPENCODE_CONFIG: `${process.cwd()}/config.json` };
const agent = spawn('node_modules/.bin/opencode', ['acp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
const waiting = new Map();
let [next, asked] = [1, 0];
const send = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const request = (method, params) => {
  send({ id: next, method, params });
  return new Promise((resolve) => waiting.set(next++, resolve));
};
createInterface({ input: agent.stdout }).on('line', (line) => {
  const { id, method, result, params } = JSON.parse(line);
  if (method === 'session/request_permission') {
    asked += 1;
    const { optionId } = params.options.find(({ kind }) => kind === 'reject_once');
    send({ id, result: { outcome: { outcome: 'selected', optionId } } });
  } else if (method === undefined) {
    waiting.get(id)?.(result);
  }
});
await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
for (const words of ['WRITE IT', 'DELEGATE']) {
  const { sessionId } = await request('session/new', { cwd: work, mcpServers: [] });
  asked = 0;
  const prompt = [{ type: 'text', text: words }];
  const late = new Promise((resolve) => setTimeout(resolve, 30_000, 'no answer'));
  const end = await Promise.race([request('session/prompt', { sessionId, prompt }).then(() => 'answered'), late]);
  console.log(`${words === 'DELEGATE' ? 'subagent' : 'main agent'}: asked ${asked}, ${end}`);
}
agent.kill('SIGKILL');
process.exit(0);
JS
node run.mjs | tee out
[ "$(cat out)" = "$(printf 'main agent: asked 1, answered\nsubagent: asked 0, no answer')" ] || { echo changed; exit 1; }
