#!/usr/bin/env bash
# opencode, MCP over stdio: when it ends, it also ends processes that a server has detached.
#
# Guess: it closes the server's standard input, waits, and then signals the server (MCP 2025-11-25, “Shutdown”). A process
#   that the server has started with `detached: true`, in a session of its own, goes on. That is what one does for a
#   database or a build service that several clients share, and it works with Claude Code 2.1.318 and Codex 0.171.0.
# Seen: opencode-ai 1.18.33 on Linux. It looks for all descendants of the server by their parents, and sends SIGTERM to
#   each. Only a process whose parent has ended is not found: start it with a process that ends at once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts opencode-ai@1.18.33 @copilotkit/aimock@1.43.0 \
  @modelcontextprotocol/server@2.4.0 > /dev/null
(cd node_modules/opencode-ai && node postinstall.mjs > /dev/null)
cat > server.mjs <<'JS'
import { spawn } from 'node:child_process';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const sleep = `process.on('SIGTERM', () => { require('node:fs').writeFileSync(process.argv[1], ''); process.exit(); }); setTimeout(() => {}, 60_000)`;
const options = { detached: true, stdio: 'ignore' };
spawn(process.execPath, ['-e', sleep, 'child-ended'], options).unref();
// The same with a process between, which ends at once.
const between = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleep)}, 'grandchild-ended'], { detached: true, stdio: 'ignore' }).unref()`;
spawn(process.execPath, ['-e', between], options).unref();
serveStdio(() => new McpServer({ name: 'finding', version: '1' }));
JS
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { LLMock } from '@copilotkit/aimock';

const model = new LLMock({ port: 0 });
model.on({ predicate: () => true }, { content: 'Done.' });
await model.start();
const options = { baseURL: `${model.url}/v1`, apiKey: 'none' };
const provider = { p: { npm: '@ai-sdk/openai-compatible', options, models: { m: {} } } };
const mcp = { finding: { type: 'local', command: [process.execPath, 'server.mjs'] } };
writeFileSync('opencode.json', JSON.stringify({ provider, model: 'p/m', mcp }));
const env = { PATH: process.env.PATH, HOME: process.cwd() };
await once(spawn('node_modules/.bin/opencode', ['run', 'Go'], { env, stdio: 'ignore' }), 'exit');
await setTimeout(2000);
await model.stop();
for (const name of ['child', 'grandchild']) {
  console.log(`detached ${name}: ${existsSync(`${name}-ended`) ? 'got SIGTERM' : 'goes on'}`);
}
JS
found=$(node run.mjs)
echo "$found"
expected='detached child: got SIGTERM
detached grandchild: goes on'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
