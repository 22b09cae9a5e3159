import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { checkoutRoot, extensionFolder } from '../support/vscode/paths';
import { packageExtension } from '../support/vscode/run';
import { endLocalServices, VsCodeServer } from '../support/vscode/server';
import { hasDisplay, vscodeExecutable } from '../support/vscode/vscodeExecutable';
import { proxiedAddress, workbenchUrl } from '../support/vscode/workbench';
import { type DemoSite, openingExtension, WHEN_ENDED } from './demoSite';

/** Serves VS Code with the extension to a browser on a loopback address, until `signal` is aborted. */
export async function runBrowserDemo(site: DemoSite, signal: AbortSignal): Promise<void> {
  const vsix = join(site.profile, 'extension.vsix');
  await packageExtension(extensionFolder, vsix);
  const connectionToken = randomBytes(32).toString('hex');
  const server = await VsCodeServer.start({
    settings: site.settings,
    vsix: [vsix],
    allBuiltIns: true,
    companions: [openingExtension],
    connectionToken,
  });
  try {
    const proxy = await startFrontProxy(server.port, connectionToken);
    const url = workbenchUrl(proxy.port, { folder: site.repository, connectionToken });
    process.stdout.write(
      [
        '',
        'No desktop VS Code was found, so VS Code runs as a server. Open this URL in a browser on this machine:',
        '',
        `  ${url}`,
        '',
        'The URL contains a secret: anyone who opens it can do everything you can. Press Ctrl+C to quit.',
        WHEN_ENDED,
        '',
      ].join('\n'),
    );
    if (!signal.aborted) {
      await once(signal, 'abort');
    }
    proxy.close();
  } finally {
    await server.stop();
  }
}

/** The address at which a browser reaches the VS Code server, and a way to stop it. */
export interface FrontProxy {
  port: number;
  close(): void;
}

/**
 * Forwards everything to the VS Code server on `target`, except what that server leaves to code-server's front process:
 * the key with which a browser encrypts the secrets of extensions, and the route to loopback addresses. Without the key
 * a secret lives only as long as the page. The key is given only to clients that know the connection token.
 */
export async function startFrontProxy(target: number, connectionToken: string): Promise<FrontProxy> {
  const key = randomBytes(32);
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'POST' && incoming.url?.endsWith('/mint-key') === true) {
      const allowed = incoming.headers.cookie?.includes(connectionToken) === true;
      outgoing.writeHead(allowed ? 200 : 403, { 'content-type': 'application/octet-stream' });
      outgoing.end(allowed ? key : undefined);
    } else if (proxiedAddress(incoming.url ?? '') !== undefined) {
      outgoing.writeHead(302, { location: proxiedAddress(incoming.url ?? '') });
      outgoing.end();
    } else {
      passOn(incoming, outgoing, target);
    }
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
    passOnSocket(incoming, socket, head, target),
  );
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return { port: await listen(server), close: () => closeAll(server, sockets) };
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: number): void {
  const { method, url: path, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.once('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/**
 * The head of an upgrade request has already been read, so it is written again before the two sockets are connected.
 */
function passOnSocket(incoming: IncomingMessage, socket: Duplex, head: Buffer, target: number): void {
  const onward = connect(target, '127.0.0.1', () => {
    const lines = [`${incoming.method ?? 'GET'} ${incoming.url ?? '/'} HTTP/1.1`];
    for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
      lines.push(incoming.rawHeaders.slice(index, index + 2).join(': '));
    }
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  onward.once('error', () => socket.destroy());
  socket.once('error', () => onward.destroy());
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): void {
  server.close();
  for (const socket of sockets) {
    socket.destroy();
  }
}

/** Returns the desktop VS Code to show the extension in; undefined if there is none, or no display. */
export async function findDesktop(): Promise<string | undefined> {
  if (!hasDisplay()) {
    return undefined;
  }
  const installed = process.env['VSCODE_EXECUTABLE'] ?? codeOnPath();
  if (installed !== undefined) {
    return installed;
  }
  const found = await vscodeExecutable().catch(() => undefined);
  return found?.kind === 'desktop' ? found.path : undefined;
}

/** Shows the extension in a window with its own profile; resolves once that window has been closed. */
export async function runDesktopDemo(code: string, site: DemoSite, signal: AbortSignal): Promise<void> {
  const user = join(site.profile, 'data', 'User');
  await mkdir(user, { recursive: true });
  await writeFile(join(user, 'settings.json'), JSON.stringify(site.settings, null, 2));
  const args = [
    ...['--wait', '--new-window', '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
    ...['--user-data-dir', join(site.profile, 'data'), '--extensions-dir', join(site.profile, 'extensions')],
    `--extensionDevelopmentPath=${checkoutRoot}`,
    `--extensionDevelopmentPath=${openingExtension}`,
    ...(process.platform === 'linux' ? ['--password-store=basic'] : []),
    site.repository,
  ];
  const foreign = /^(VSCODE_|ELECTRON_)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  // On Windows `code` is a `.cmd` file, which only a shell can start.
  const child = spawn(code, args, { env, stdio: 'inherit', shell: code.endsWith('.cmd'), signal });
  process.stdout.write('VS Code opens with a separate profile. Close its window or press Ctrl+C to quit.\n');
  process.stdout.write(`${WHEN_ENDED}\n`);
  await closed(child, signal);
  await endLocalServices(site.profile);
}

async function closed(child: ChildProcess, signal: AbortSignal): Promise<void> {
  await once(child, 'exit').catch((error: unknown) => {
    if (!signal.aborted) {
      throw error;
    }
  });
}

function codeOnPath(): string | undefined {
  const names = process.platform === 'win32' ? ['code.cmd'] : ['code'];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}
