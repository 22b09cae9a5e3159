import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processStartTime } from '../../../src/base/process';
import { serviceStateSchema } from '../../../src/protocol/localService';
import { WAIT_LIMIT } from '../scale';
import { ExtensionHosts } from './extensionHosts';
import { ensureServer, type ServerInstall } from './install';
import { checkoutRoot } from './paths';
import { runChecked, withTemporaryFolder } from './run';

/** The built-in extensions that the product or its tests need. With all of them, a host starts two seconds slower. */
const FEW_BUILT_INS = ['git', 'git-base', 'json', 'markdown-basics', 'theme-defaults', 'theme-seti'];

const UNTRUSTED = { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.emptyWindow': false };

export interface ServerOptions {
  /** User settings, in addition to those of every test window. */
  settings?: Readonly<Record<string, unknown>>;
  /** Packages to install before the start. */
  vsix?: readonly string[];
  /** A folder with installed extensions; a new one when absent. */
  extensions?: string;
  /** Lets the page request extensions under development and test suites; hides notifications and rejects dialogs. */
  suiteMode?: boolean;
  /** Folders of test-only extensions, which are loaded as built-ins. */
  companions?: readonly string[];
  /** All built-in extensions instead of the few that tests need, and without the tests' driver. */
  allBuiltIns?: boolean;
  /** Origins that `openExternal` opens without asking. */
  trustedOrigins?: readonly string[];
  /** Environment of the server and its extension hosts, in addition to that of this process. */
  env?: Readonly<Record<string, string>>;
  /** Folders are not trusted, and the user is not asked to trust them. */
  workspaceTrust?: boolean;
  /** Required from every client. */
  connectionToken?: string;
}

/** A running VS Code server with its own profile in a temporary folder. */
export class VsCodeServer {
  private readonly onExit = (): void => rmSync(this.folder, { recursive: true, force: true });

  private constructor(
    /** Contains everything that the server writes; removed by `stop`. */
    readonly folder: string,
    /** On 127.0.0.1. */
    readonly port: number,
    /** The extension hosts of the windows that are open on this server. */
    readonly hosts: ExtensionHosts,
    private readonly group: ProcessGroup,
    private readonly output: string[],
  ) {
    process.on('exit', this.onExit);
  }

  /** Starts a server on a free port. Throws with the server's output if it fails to start. */
  static async start(options: ServerOptions = {}): Promise<VsCodeServer> {
    const install = await ensureServer();
    const folder = await mkdtemp(join(tmpdir(), 'docs-agent-vscode-'));
    try {
      const places = await prepare(folder, install, options);
      const output: string[] = [];
      const group = new ProcessGroup(install.node, serverArguments(install, places, options), {
        env: serverEnvironment(places, options),
      });
      const port = await listeningPort(group, output).catch(async (error: unknown) => {
        await group.stop();
        throw error;
      });
      return new VsCodeServer(folder, port, new ExtensionHosts(places.driver), group, output);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The machine settings of the server, which the owner of the machine can write. */
  get machineSettingsFile(): string {
    return join(this.folder, 'data', 'data', 'Machine', 'settings.json');
  }

  /** The user's settings file, as the server reads and writes it. */
  get settingsFile(): string {
    return join(this.folder, 'data', 'data', 'User', 'settings.json');
  }

  /** The global storage folder of the extension with that id (`publisher.name`). */
  globalStorage(extensionId: string): string {
    return join(this.folder, 'data', 'data', 'User', 'globalStorage', extensionId);
  }

  /** Everything that the server has written so far. */
  log(): string {
    return this.output.join('');
  }

  /** Calls `listener` with each new output of the server. */
  onOutput(listener: (text: string) => void): void {
    this.group.child.stdout?.on('data', listener);
    this.group.child.stderr?.on('data', listener);
  }

  /** Stops the server with its hosts and any local service that they started, and removes its folder. */
  async stop(): Promise<void> {
    await this.group.stop();
    await endLocalServices(this.globalStorage(''));
    process.off('exit', this.onExit);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
  }
}

interface Folders {
  data: string;
  extensions: string;
  driver: string;
  temporary: string;
}

interface Places extends Folders {
  builtIns: string;
}

async function prepare(folder: string, install: ServerInstall, options: ServerOptions): Promise<Places> {
  const places: Places = {
    data: join(folder, 'data'),
    extensions: options.extensions ?? join(folder, 'extensions'),
    builtIns: join(folder, 'builtIns'),
    driver: join(folder, 'driver'),
    temporary: join(folder, 'tmp'),
  };
  const userFolder = join(places.data, 'data', 'User');
  for (const path of [userFolder, places.extensions, places.driver, places.temporary]) {
    await mkdir(path, { recursive: true });
  }
  await writeFile(
    join(userFolder, 'settings.json'),
    JSON.stringify(
      { ...serverSettings, ...(options.workspaceTrust === true ? UNTRUSTED : {}), ...options.settings },
      null,
      2,
    ),
  );
  await linkBuiltIns(places.builtIns, install, options);
  for (const vsix of options.vsix ?? []) {
    await installPackage(install, vsix, places);
  }
  return places;
}

/** Installs a package into a folder of extensions, for servers that share it. */
export async function installInto(extensions: string, vsix: string): Promise<void> {
  const install = await ensureServer();
  await withTemporaryFolder((data) =>
    installPackage(install, vsix, { data, extensions, driver: data, temporary: data }),
  );
}

async function installPackage(install: ServerInstall, vsix: string, places: Folders): Promise<void> {
  const args = [install.serverMain, '--accept-server-license-terms', ...folderArguments(places)];
  await runChecked(install.node, [...args, '--install-extension', vsix, '--force'], {
    env: serverEnvironment(places),
  });
}

/** Companions are loaded as built-ins, so that the package under test stays unchanged. */
async function linkBuiltIns(folder: string, install: ServerInstall, options: ServerOptions): Promise<void> {
  const { allBuiltIns = false, companions = [] } = options;
  const from = join(install.root, 'extensions');
  await mkdir(folder);
  for (const name of allBuiltIns ? await readdir(from) : FEW_BUILT_INS) {
    await symlink(join(from, name), join(folder, name));
  }
  if (!allBuiltIns) {
    const driver = join(checkoutRoot, 'test', 'support', 'vscode', 'driverExtension');
    await cp(driver, join(folder, 'driver'), { recursive: true });
  }
  for (const companion of companions) {
    await cp(companion, join(folder, basename(companion)), { recursive: true });
  }
}

function serverArguments(install: ServerInstall, places: Places, options: ServerOptions): string[] {
  return [
    install.serverMain,
    ...['--host', '127.0.0.1', '--port', '0'],
    ...(options.connectionToken === undefined
      ? ['--without-connection-token']
      : ['--connection-token', options.connectionToken]),
    '--accept-server-license-terms',
    '--disable-telemetry',
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
    '--disable-getting-started-override',

    ...['--reconnection-grace-time', '1'],
    ...folderArguments(places),
    ...['--builtin-extensions-dir', places.builtIns],
    ...(options.suiteMode === true ? ['--enable-smoke-test-driver'] : []),
    ...(options.trustedOrigins ?? []).flatMap((origin) => ['--link-protection-trusted-domains', origin]),
  ];
}

function folderArguments(places: Folders): string[] {
  return ['--server-data-dir', places.data, '--extensions-dir', places.extensions];
}

/** The environment of this process, without the variables of a surrounding editor or test runner. */
function serverEnvironment(places: Folders, options: ServerOptions = {}): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|npm_)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return {
    ...Object.fromEntries(own),
    TMPDIR: places.temporary,
    // No gallery, so that nothing is requested from the network.
    EXTENSIONS_GALLERY: '{}',
    DOCS_AGENT_DRIVER_FOLDER: places.driver,
    // As if it was started from a terminal: the environment of a login shell is not asked for.
    VSCODE_CLI: '1',
    ...options.env,
  };
}

async function listeningPort(group: ProcessGroup, output: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the VS Code server ${why}\n${output.join('')}`));
    const timer = setTimeout(() => fail('did not start in time'), WAIT_LIMIT);
    const read = (text: string): void => {
      output.push(text);
      const port = /Extension host agent listening on (\d+)/.exec(output.join(''))?.[1];
      if (port !== undefined) {
        clearTimeout(timer);
        resolve(Number(port));
      }
    };
    group.child.stdout?.setEncoding('utf8').on('data', read);
    group.child.stderr?.setEncoding('utf8').on('data', read);
    group.child.once('error', reject);
    group.child.once('exit', (code) => fail(`ended with ${String(code)}`));
  });
}

/** User settings of every test window: no network, none of VS Code's own agents, no animations. */
export const serverSettings: Readonly<Record<string, unknown>> = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'extensions.webWorker': false,
  'git.openRepositoryInParentFolders': 'never',
  'remote.autoForwardPorts': false,
  // Otherwise all processes of the machine are searched for listening ports, again and again.
  'remote.autoForwardPortsSource': 'output',
  'remote.restoreForwardedPorts': false,
  'telemetry.telemetryLevel': 'off',
  'window.confirmBeforeClose': 'never',
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** How long a process may take to exit by itself, in milliseconds. */
const GRACE = 5_000;

/**
 * A program and everything that it starts, as one process group, so that nothing is left when it is stopped or this
 * process exits.
 */
export class ProcessGroup {
  readonly child: ChildProcess;
  private readonly onExit = (): void => this.signal('SIGKILL');

  constructor(file: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd?: string }) {
    this.child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    process.on('exit', this.onExit);
  }

  /** Ends the group: with SIGTERM first, then with SIGKILL. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
      this.signal('SIGTERM');
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GRACE).unref())]);
    }
    this.signal('SIGKILL');
    process.off('exit', this.onExit);
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.child.pid === undefined) {
      return;
    }
    try {
      process.kill(-this.child.pid, signal);
    } catch {
      // No process of the group is left.
    }
  }
}

/**
 * Ends the local services whose state files are below `folder`. They are designed to outlive a window, so they would
 * also outlive an aborted test. Like the extension, this compares the start time before it ends a process.
 */
export async function endLocalServices(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('state.json')).map((name) => join(folder, name));
  await Promise.all(files.map(endService));
}

async function endService(stateFile: string): Promise<void> {
  const state = serviceStateSchema.safeParse(await readJson(stateFile));
  if (!state.success) {
    return;
  }
  const { pid, startTime } = state.data;
  const runs = async (): Promise<boolean> => (await processStartTime(pid)) === startTime;
  if (await runs()) {
    process.kill(pid, 'SIGTERM');
  }
  for (const end = Date.now() + GRACE; Date.now() < end && (await runs());) {
    await delay(50);
  }
  if (await runs()) {
    process.kill(pid, 'SIGKILL');
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** User settings with which the extension runs its local service with the scripted agent: no account, no network. */
export function scriptedServiceSettings(): Record<string, unknown> {
  const agent = join(checkoutRoot, 'test', 'support', 'scriptedAgent.mjs');
  return { 'docsAgent.service': 'local', 'docsAgent.local.agentCommand': [process.execPath, agent] };
}
