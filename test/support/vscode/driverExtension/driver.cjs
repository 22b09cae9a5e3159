// Test-only companion: lets the test process run code inside the extension host of a window, over loopback. It listens
// only if a test named a folder for it, and accepts only clients that can read the secret in the file that it writes
// there.
const { Buffer } = require('node:buffer');
const { randomBytes, timingSafeEqual } = require('node:crypto');
const { renameSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const path = require('node:path');
const process = require('node:process');
const vscode = require('vscode');

exports.activate = (context) => {
  const folder = process.env.DOCS_AGENT_DRIVER_FOLDER;
  if (folder === undefined) {
    return;
  }
  const secret = randomBytes(32).toString('hex');
  const file = path.join(folder, `${process.pid}.json`);
  const server = createServer((request, response) => void answer(request, response, secret));
  server.listen(0, '127.0.0.1', () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const facts = { port: server.address().port, pid: process.pid, secret, workspace, startedAt: Date.now() };
    writeFileSync(`${file}.new`, JSON.stringify(facts), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  });
  context.subscriptions.push({
    dispose: () => {
      server.close();
      rmSync(file, { force: true });
    },
  });
};

async function answer(request, response, secret) {
  try {
    if (!isSame(request.headers.authorization ?? '', secret)) {
      response.statusCode = 401;
      response.end('"not allowed"');
      return;
    }
    const { code, argument } = JSON.parse(await bodyOf(request));
    // Evaluates the source text of a function. The bundler that built the test may have wrapped names in `__name`.
    // oxlint-disable-next-line typescript/no-implied-eval -- only our own tests send it
    const evaluated = new Function('require', '__name', `return (${code})`)(require, (value) => value);
    response.end(JSON.stringify((await evaluated(vscode, argument)) ?? null));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify(String(error?.stack ?? error)));
  }
}

function isSame(given, secret) {
  return given.length === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret));
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
