import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageExtension } from '../support/vscode/packageExtension';
import { extensionFolder } from '../support/vscode/paths';

interface Manifest {
  contributes: Record<string, unknown>;
}

/**
 * Packages the built extension so that only an explicit call activates it, not its view. Returns the package's path.
 * Activation during startup would overlap with everything else that the window loads, so its time would be too long.
 */
export async function packageOnDemand(folder: string): Promise<string> {
  const stage = join(folder, 'stage');
  await mkdir(stage);
  for (const name of ['dist', 'media', '.vscodeignore', 'package.nls.json', 'README.md']) {
    if (existsSync(join(extensionFolder, name))) {
      await cp(join(extensionFolder, name), join(stage, name), { recursive: true });
    }
  }
  const manifest = JSON.parse(await readFile(join(extensionFolder, 'package.json'), 'utf8')) as Manifest;
  const contributes = { ...manifest.contributes, views: undefined, viewsContainers: undefined };
  const changed = { ...manifest, contributes, activationEvents: [], scripts: undefined };
  await writeFile(join(stage, 'package.json'), JSON.stringify(changed));
  const vsix = join(folder, 'on-demand.vsix');
  await packageExtension(stage, vsix);
  return vsix;
}
