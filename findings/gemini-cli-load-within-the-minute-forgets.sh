#!/usr/bin/env bash
# Gemini CLI over the Agent Client Protocol: session/load loses a session for good if it was used in the same minute.
#
# Guess: session/load opens a session of an earlier process as it was left, at any time. At worst it fails and can be
#   tried again later.
# Seen: @google/gemini-cli 0.61.0. In the minute in which the session was started, or was last loaded, the request fails
#   with -32603 (“Invalid session identifier …” or “No previous sessions found for this project.”), and so does every
#   later one. In a later minute, the first request succeeds.
#   The name of the file has the minute in it (chats/session-2026-11-30T01-40-<beginning of the ID>.jsonl). The process
#   that loads chooses the same name for itself and adds the beginning of a new session to the file, before it reads it.
#   So a client that sends two prompts in a row, each to a process of its own, must be able to go on without the session.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @google/gemini-cli@0.61.0 @copilotkit/aimock@1.43.0 > /dev/null
mkdir home work
cat > load.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { LLMock } from '@copilotkit/aimock';

const sent = [];
const model = new LLMock({ port: 0 });
model.on({ predicate: ({ messages }) => sent.push(JSON.stringify(messages)) === 0 }, { content: '' });
model.on({ predicate: () => true }, { content: 'Noted.' });
await model.start();

/** Runs one process of the agent. Returns what `use` returns. */
async function withAgent(use) {
  const env = { PATH: process.env.PATH, HOME: `${process.cwd()}/home`, GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model.url };
  const args = ['--acp', '--skip-trust', '-m', 'gemini-2.5-flash'];
  const child = spawn(`${process.cwd()}/node_modules/.bin/gemini`, args, { env, cwd: at.cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let id = 0;
  const request = async (method, params) => {
    id += 1;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result, error } = await answer;
    if (error) throw new Error(JSON.stringify(error));
    return result;
  };
  await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const result = await use(request);
  child.stdin.end();
  await new Promise((resolve) => child.on('exit', resolve));
  return result;
}

const at = { cwd: `${process.cwd()}/work`, mcpServers: [] };
const prompt = (sessionId, text) => ({ sessionId, prompt: [{ type: 'text', text }] });
const untilMinute = async () => delay(60_000 - (Date.now() % 60_000) + 500);
const session = () =>
  withAgent(async (request) => {
    const { sessionId } = await request('session/new', at);
    await request('session/prompt', prompt(sessionId, 'The word is HERON.'));
    return sessionId;
  });
const load = (sessionId) =>
  withAgent(async (request) => {
    const error = await request('session/load', { ...at, sessionId }).then(
      () => undefined,
      ({ message }) => message,
    );
    if (error) return `error ${JSON.parse(error).code}`;
    await request('session/prompt', prompt(sessionId, 'Which word was it?'));
    return `the model ${sent.at(-1).includes('HERON') ? 'knows' : 'does not know'} the first prompt`;
  });

await untilMinute();
const [first, second] = [await session(), await session()];
console.log(`the first, in the same minute: ${await load(first)}`);
await untilMinute();
console.log(`the first, a minute later: ${await load(first)}`);
console.log(`the second, a minute later: ${await load(second)}`);
console.log(`the second, once more: ${await load(second)}`);
await model.stop();
JS
found=$(node load.mjs)
echo "$found"
expected='the first, in the same minute: error -32603
the first, a minute later: error -32603
the second, a minute later: the model knows the first prompt
the second, once more: error -32603'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
