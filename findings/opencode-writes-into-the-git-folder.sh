#!/usr/bin/env bash
# opencode and its fork Kilo over the Agent Client Protocol: session/new writes a file into the repository's .git folder.
#
# Guess: opening a session only reads the repository. Whatever an agent keeps for itself is in its own folders.
# Seen: opencode-ai 1.18.33 and @kilocode/cli 7.7.7. After session/new, before any prompt, .git has a file with the name of
#   the agent, in it the ID of the root commit, by which the agent knows the project again. git status shows nothing.
#   Copies of the folder have it, too. A client that takes care that nobody changes .git has to expect it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts opencode-ai@1.18.33 @kilocode/cli@7.7.7 > /dev/null
(cd node_modules/opencode-ai && node postinstall.mjs > /dev/null)
cat > open.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [program, cwd] = process.argv.slice(2);
const env = { PATH: process.env.PATH, HOME: process.cwd() };
const child = spawn(`node_modules/.bin/${program}`, ['acp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
const send = (id, method, params) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
createInterface({ input: child.stdout }).on('line', (line) => {
  const { id } = JSON.parse(line);
  if (id === 1) send(2, 'session/new', { cwd, mcpServers: [] });
  if (id === 2) child.stdin.end();
});
send(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
JS
for program in opencode kilo; do
  git init -q "$program"
  git -C "$program" -c user.name=Robin -c user.email=robin@example.com commit -q --allow-empty -m Start
  node open.mjs "$program" "$folder/$program"
  if [ "$(cat "$program/.git/$program")" = "$(git -C "$program" rev-parse HEAD)" ]; then
    echo "$program: .git/$program has the root commit, git status says: '$(git -C "$program" status --porcelain)'"
  else
    echo 'changed: it has no such file, or another text in it'
    exit 1
  fi
done
