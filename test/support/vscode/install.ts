import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { installOnce } from './installOnce';
import { cacheFolder, chosenRelease, type Release, RELEASES } from './paths';
import { npm, runChecked } from './run';

/** Increase when the recipe below changes, so that an old install is not used. */
const RECIPE = 2;

/** The oldest Node that supports `node:sqlite` without a flag and that the product supports. */
const OLDEST_NODE = [22, 15] as const;

/** Dependencies of the server that are never loaded in a test or would have to be compiled. */
const UNUSED = [
  '@devcontainers/cli',
  '@github/copilot-sdk',
  '@microsoft/mxc-sdk',
  '@vscode/copilot-api',
  '@vscode/sandbox-runtime',
  '@vscode/sqlite3',
  '@vscode/windows-process-tree',
  '@vscode/windows-registry',
  'kerberos',
  'ssh2',
  'tar',
  'zod',
];

/** Packages with prebuilt binaries that replace those of older releases, which npm would compile or download. */
const WITH_BINARIES = { 'node-pty': '1.2.0-beta.15', '@vscode/ripgrep-universal': '1.18.0' } as const;

/** An installed VS Code server. */
export interface ServerInstall {
  release: Release;
  /** The server's own folder: `out`, `extensions`, `node_modules`. */
  root: string;
  /** The script that Node runs. */
  serverMain: string;
  /** The Node that runs it. */
  node: string;
}

/**
 * Installs the VS Code server from the npm registry alone, without a compiler or install scripts, unless it is already
 * installed. Takes 10 to 30 seconds and 520 MB the first time. Linux only: elsewhere use a desktop VS Code.
 */
export async function ensureServer(): Promise<ServerInstall> {
  if (process.platform !== 'linux') {
    throw new Error('the VS Code server from npm is for Linux; set VSCODE_EXECUTABLE to a desktop VS Code');
  }
  const release = chosenRelease();
  const packed = release.version.replace(/^1/, '4');
  const folder = join(cacheFolder, `server-${packed}-recipe-${RECIPE}`);
  await installOnce(folder, `VS Code ${release.version} (520 MB)`, (into) => installServer(into, packed));
  const root = join(folder, 'package', 'lib', 'vscode');
  return { release, root, serverMain: join(root, 'out', 'server-main.js'), node: await installNode(release.node) };
}

/**
 * Returns the path of a Node that has `node:sqlite`: the running one if it is new enough, else one from npm's platform
 * packages. They contain the binary itself, while the package `node` downloads it in an install script.
 */
export async function ensureNode(): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const newEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return newEnough ? process.execPath : installNode(RELEASES.newest.node);
}

async function installNode(version: string): Promise<string> {
  const name = nodePackage();
  const folder = join(cacheFolder, `node-${version}-${process.platform}-${process.arch}`);
  await installOnce(folder, `Node.js ${version}`, async (into) => {
    await writeFile(join(into, 'package.json'), '{"private":true}\n');
    await npm(['install', `${name}@${version}`], into);
  });
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(folder, 'node_modules', name, 'bin', binary);
}

function nodePackage(): string {
  switch (process.platform) {
    case 'darwin':
      return `node-bin-darwin-${process.arch}`;
    case 'win32':
      return `node-win-${process.arch}`;
    default:
      return `node-linux-${process.arch}`;
  }
}

/** `npm pack` leaves out the 165 packages of code-server's front process, which no test starts. */
async function installServer(into: string, version: string): Promise<void> {
  const packed = await npm(['pack', `code-server@${version}`, '--silent'], into);
  const archive = packed.trim().split('\n').at(-1) ?? '';
  await runChecked('tar', ['xzf', archive, 'package/lib/vscode', 'package/LICENSE', 'package/package.json'], {
    cwd: into,
  });
  await rm(join(into, archive));
  const root = join(into, 'package', 'lib', 'vscode');
  // Its compiler is not in the package. Without a compiler it shows an error in every TypeScript file.
  await rm(join(root, 'extensions', 'typescript-language-features'), { recursive: true });
  await dropUnused(join(root, 'package.json'));
  await npm(['install', '--omit=dev'], root);
  for (const [name, code] of Object.entries(standIns)) {
    await putStandIn(join(root, 'node_modules', name), code);
  }
  await putSearchTool(join(root, 'node_modules'));
}

async function dropUnused(manifestPath: string): Promise<void> {
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as Record<string, unknown> & {
    dependencies: Record<string, string>;
  };
  const dependencies = Object.fromEntries(
    Object.entries({ ...manifest.dependencies, ...WITH_BINARIES }).filter(([name]) => !UNUSED.includes(name)),
  );
  const kept = { ...manifest, dependencies, allowScripts: undefined, overrides: undefined };
  await writeFile(manifestPath, JSON.stringify(kept, null, 2));
}

async function putStandIn(folder: string, code: string): Promise<void> {
  if (!existsSync(folder)) {
    return;
  }
  const { main = 'index.js' } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { main?: string };
  await writeFile(join(folder, extname(main) === '' ? `${main}.js` : main), code);
}

/** Older releases depend on a package for the search tool that would download it in an install script. */
async function putSearchTool(packages: string): Promise<void> {
  const asked = join(packages, '@vscode', 'ripgrep');
  if (!existsSync(asked)) {
    return;
  }
  const tool = join(asked, 'bin', 'rg');
  await mkdir(join(asked, 'bin'), { recursive: true });
  await copyFile(join(packages, '@vscode', 'ripgrep-universal', 'bin', `linux-${process.arch}`, 'rg'), tool);
  await chmod(tool, 0o755);
}

const WATCHDOG = `'use strict';
exports.start = (pid) => {
  const timer = setInterval(() => {
    try { process.kill(pid, 0); } catch (error) { if (error.code === 'ESRCH') process.exit(87); }
  }, 1000);
  timer.unref();
};
exports.exit = (code) => process.exit(code || 0);
`;

/**
 * Plain JavaScript replacements for two native modules of the VS Code server for which npm has no prebuilt binary.
 * Exports are assigned one by one: the server loads the files with `import()`, and Node finds the names in a CommonJS
 * module by static analysis.
 */
export const standIns: Readonly<Record<string, string>> = {
  '@vscode/spdlog': `'use strict';
const fs = require('fs'), path = require('path');
const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];
let initialLevel = 2;
class Logger {
  constructor(file) {
    this.level = initialLevel;
    this.raw = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.fd = fs.openSync(file, 'a');
  }
  write(level, text) {
    if (level < this.level || this.fd === undefined) return;
    const line = this.raw ? text + '\\n' : new Date().toISOString() + ' [' + NAMES[level] + '] ' + text + '\\n';
    try { fs.writeSync(this.fd, line); } catch {}
  }
  trace(text) { this.write(0, text); }
  debug(text) { this.write(1, text); }
  info(text) { this.write(2, text); }
  warn(text) { this.write(3, text); }
  error(text) { this.write(4, text); }
  critical(text) { this.write(5, text); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() { this.raw = true; }
  flush() {}
  drop() {
    if (this.fd === undefined) return;
    try { fs.closeSync(this.fd); } catch {}
    this.fd = undefined;
  }
}
exports.version = 11;
exports.setLevel = (level) => { initialLevel = level; };
exports.setFlushOn = () => {};
exports.shutdown = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger(file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger(file);
`,
  '@vscode/native-watchdog': WATCHDOG,
  // The name in older releases.
  'native-watchdog': WATCHDOG,
};
