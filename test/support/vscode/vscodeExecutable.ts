import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { checkoutRoot } from './paths';
import { chosenRelease, RELEASES } from './release';

/** The editor that runs a test suite. */
export interface VsCodeExecutable {
  path: string;
  kind: 'desktop' | 'server';
}

/**
 * A desktop VS Code where one can be had: the one that VSCODE_EXECUTABLE names, or, where there is a display, one that
 * `@vscode/test-electron` downloads, of the release that was chosen. Otherwise, on Linux, the stand-in that runs the
 * suite in a VS Code server.
 */
export async function vscodeExecutable(): Promise<VsCodeExecutable> {
  const named = process.env['VSCODE_EXECUTABLE'];
  if (named !== undefined) {
    return { path: named, kind: 'desktop' };
  }
  const downloaded = hasDisplay() ? await download() : undefined;
  if (downloaded !== undefined) {
    return { path: downloaded, kind: 'desktop' };
  }
  if (process.platform !== 'linux') {
    throw new Error('VS Code could not be downloaded; set VSCODE_EXECUTABLE to the path of an installed one');
  }
  return { path: join(checkoutRoot, 'test', 'support', 'vscode', 'codeShim.mjs'), kind: 'server' };
}

/** True where a window can be shown to somebody. */
export function hasDisplay(): boolean {
  const display = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'] ?? '';
  return process.platform !== 'linux' || display !== '';
}

async function download(): Promise<string | undefined> {
  const release = chosenRelease();
  // What is newest here is what the npm registry has; the editor itself may be newer.
  const version = release === RELEASES.newest ? 'stable' : release.version;
  try {
    return await downloadAndUnzipVSCode({ version, cachePath: join(checkoutRoot, '.cache', 'vscode-desktop') });
  } catch (error) {
    process.stdout.write(`No VS Code to download (${String(error)}).\n`);
    return undefined;
  }
}
