#!/usr/bin/env bash
# opencode over the Agent Client Protocol: it calls fs/write_text_file of a client that says it has no such method.
#
# Guess: an agent uses a client's file methods only if the client has announced them in `initialize`
#   (clientCapabilities.fs), as the protocol demands.
# Seen: opencode-ai 1.18.33 sends fs/write_text_file after each edit that the client has allowed, although the client has
#   announced `"writeTextFile": false`. It writes the file itself as well, and ignores the client's error.
#   So a client must answer requests for methods that it has not announced, for example with -32601. One that announces
#   the method writes each file a second time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts opencode-ai@1.18.33 @copilotkit/aimock@1.43.0 > /dev/null
(cd node_modules/opencode-ai && node postinstall.mjs > /dev/null)
cat > turn.mjs <<'JS'
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { LLMock } from '@copilotkit/aimock';

/** Runs a turn with one step that writes two pages. The client allows both. */
async function turn() {
  const work = `${process.cwd()}/work`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const model = new LLMock({ port: 0 });
  const isDone = ({ messages, tools = [] }) => tools.length === 0 || messages.some(({ role }) => role === 'tool');
  const write = (name) => ({ name: 'write', arguments: JSON.stringify({ filePath: `${work}/${name}`, content: '# Page' }) });
  model.on({ predicate: isDone }, { content: 'Done.' });
  model.on({ predicate: () => true }, { toolCalls: ['a.md', 'b.md'].map(write) });
  await model.start();
  const options = { baseURL: `${model.url}/v1`, apiKey: 'none' };
  const provider = { p: { npm: '@ai-sdk/openai-compatible', options, models: { m: {} } } };
  writeFileSync('opencode.json', JSON.stringify({ provider, model: 'p/m', permission: { edit: 'ask' } }));
  const env = { PATH: process.env.PATH, HOME: process.cwd(), OPENCODE_CONFIG: `${process.cwd()}/opencode.json` };
  const child = spawn('node_modules/.bin/opencode', ['acp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const [waiting, calls] = [new Map(), []];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, params, ...answer } = JSON.parse(line);
    if (method === undefined) {
      waiting.get(id)(answer);
    } else if (method === 'session/request_permission') {
      const { optionId } = params.options.find(({ kind }) => kind === 'allow_once');
      send({ id, result: { outcome: { outcome: 'selected', optionId } } });
    } else if (id !== undefined) {
      calls.push(`${method} ${params.path.slice(-4)}`);
      send({ id, error: { code: -32601, message: 'Method not found' } });
    }
  });
  const request = async (id, method, params) => {
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return (await answered).result;
  };
  await request(1001, 'initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } });
  const { sessionId } = await request(1002, 'session/new', { cwd: work, mcpServers: [] });
  await request(1003, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go' }] });
  child.stdin.end();
  await new Promise((resolve) => child.on('exit', resolve));
  await model.stop();
  const written = ['a.md', 'b.md'].filter((path) => existsSync(`${work}/${path}`));
  return `calls: ${calls.join(', ')}; written: ${written.join(', ')}`;
}

console.log(await turn());
JS
found=$(node turn.mjs)
echo "$found"
expected='calls: fs/write_text_file a.md, fs/write_text_file b.md; written: a.md, b.md'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
