import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { endLocalServices } from '../support/vscode/endLocalServices';
import { checkoutRoot } from '../support/vscode/paths';
import { hasDisplay, vscodeExecutable } from '../support/vscode/vscodeExecutable';
import { type DemoSite, openingExtension, WHEN_ENDED } from './demoSite';

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
