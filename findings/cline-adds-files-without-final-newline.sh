#!/usr/bin/env bash
# Cline's patch tool: a file that a patch adds has no newline at its end, although the same patch format is Codex's.
#
# Guess: `*** Add File:` makes a text file of the lines that begin with `+`, each ended by a newline, as `apply_patch` of
#   Codex does and as POSIX defines a line. Models of the GPT family were trained on that.
# Seen: cline 3.0.65 joins the lines with newlines between them, so the last line has none. A patch that updates a file
#   keeps the newline at its end. So each new page shows “\ No newline at end of file” in its diff.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts cline@3.0.65 @copilotkit/aimock@1.43.0 > /dev/null
mkdir -p work .cline/data/settings
printf 'old\n' > work/old.md
cat > turn.mjs <<'JS'
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { LLMock } from '@copilotkit/aimock';

const work = `${process.cwd()}/work`;
const lines = ['Begin Patch', `Add File: ${work}/new.md`, '+one', '+two', `Update File: ${work}/old.md`, '@@', '-old', '+changed', 'End Patch'];
const input = lines.map((line) => (/^[-+@]/.test(line) ? line : `*** ${line}`)).join('\n');
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
  } else if (method === 'session/request_permission') {
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
for (const name of ['new', 'old']) {
  console.log(`${name}.md: ${JSON.stringify(readFileSync(`${work}/${name}.md`, 'utf8'))}`);
}
JS
found=$(node turn.mjs)
echo "$found"
expected='new.md: "one\ntwo"
old.md: "changed\n"'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
