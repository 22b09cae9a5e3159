import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { installOnce } from './installOnce';
import { cacheFolder } from './paths';
import { runChecked } from './run';

const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface Executable {
  executablePath: string;
  env?: Record<string, string>;
}

/** Which browser: any, or the packaged one, which renders identically on every machine. */
export type BrowserChoice = 'any' | 'packaged';

/**
 * Starts a headless Chromium: the one that CHROMIUM names, else the system's, else the one in an npm package, which
 * includes its own libraries and fonts. The caller closes it; it also exits with this process. Signals are left to the
 * caller, who may have more to clean up.
 *
 * @param more arguments for Chromium
 */
export async function launchBrowser(more: readonly string[] = [], choice: BrowserChoice = 'any'): Promise<Browser> {
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({
    ...(choice === 'packaged' ? await packagedBrowser() : await findBrowser()),
    ...signals,
    headless: true,
    args: [...ARGUMENTS, ...more],
  });
}

async function findBrowser(): Promise<Executable> {
  const named = process.env['CHROMIUM'] ?? SYSTEM_BROWSERS.find((path) => existsSync(path));
  return named === undefined ? packagedBrowser() : { executablePath: named };
}

/**
 * The package unpacks into the temporary folder and changes the environment of the process that loads it. Both happen
 * in a separate process, and the result is kept.
 */
async function packagedBrowser(): Promise<Executable> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const folder = join(cacheFolder, `chromium-${packagedVersion(entry)}`);
  await installOnce(folder, 'a browser', async (into) => {
    const script = `import chromium from ${JSON.stringify(pathToFileURL(entry).href)}; await chromium.executablePath();`;
    const env = { ...process.env, TMPDIR: into, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x', NODE_OPTIONS: '' };
    await runChecked(process.execPath, ['--input-type=module', '-e', script], { env });
    await writeFile(join(into, 'fonts', 'fonts.conf'), fontConfiguration(folder));
  });
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...definedEnvironment(),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  };
}

/**
 * The package's own file refers to folders of the machine that it was built for, so without this no text would be
 * rendered.
 */
function fontConfiguration(folder: string): string {
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig><dir prefix="relative">.</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`,
    '',
  ].join('\n');
}

function packagedVersion(entry: string): string {
  const root = entry.slice(0, entry.lastIndexOf('/build/'));
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

function definedEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
