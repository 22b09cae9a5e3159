#!/usr/bin/env bash
# opencode over the Agent Client Protocol: a refused call takes other calls of its step with it, also those allowed later.
#
# Guess: each session/request_permission decides about its own call. A client that refuses one page and allows another
#   gets the other one.
# Seen: opencode-ai 1.18.33. The model writes two pages in one step. The client refuses the one that it is asked about
#   first. Then opencode asks about the other all the same and gets “allow”, but writes nothing: that call fails, too, with
#   the words “The user rejected permission to use this specific tool call.” In the other order, one page is written.
#   So a client's record of its answers isn't one of what was done, and a user who has allowed a page may not get it.
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

/** Runs a turn with one step that writes two pages. The client gives these answers, in this order. */
async function turn(...kinds) {
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
  const [waiting, answers] = [new Map(), []];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, params, ...answer } = JSON.parse(line);
    if (method === undefined) {
      waiting.get(id)(answer);
    } else if (method === 'session/request_permission') {
      const kind = kinds[answers.length];
      answers.push(kind);
      const { optionId } = params.options.find((option) => option.kind === kind);
      send({ id, result: { outcome: { outcome: 'selected', optionId } } });
    } else if (id !== undefined) {
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
  return `${answers.join(', ')}: ${written.length} written`;
}

console.log(await turn('reject_once', 'allow_once'));
console.log(await turn('allow_once', 'reject_once'));
JS
found=$(node turn.mjs)
echo "$found"
expected='reject_once, allow_once: 0 written
allow_once, reject_once: 1 written'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
