import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { checkoutRoot, chosenRelease, RELEASES } from './paths';

/** The editor that runs a test suite. */
export interface VsCodeExecutable {
  path: string;
  kind: 'desktop' | 'server';
}

/**
 * A desktop VS Code if available: the one that VSCODE_EXECUTABLE names or, if there is a display, one that
 * `@vscode/test-electron` downloads, in the chosen release. Otherwise, on Linux, the shim that runs the suite in a VS
 * Code server.
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

/** True if there is a display. */
export function hasDisplay(): boolean {
  const display = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'] ?? '';
  return process.platform !== 'linux' || display !== '';
}

async function download(): Promise<string | undefined> {
  const release = chosenRelease();
  // The newest release in the npm registry; the editor itself may be newer.
  const version = release === RELEASES.newest ? 'stable' : release.version;
  try {
    return await downloadAndUnzipVSCode({ version, cachePath: join(checkoutRoot, '.cache', 'vscode-desktop') });
  } catch (error) {
    process.stdout.write(`No VS Code to download (${String(error)}).\n`);
    return undefined;
  }
}
