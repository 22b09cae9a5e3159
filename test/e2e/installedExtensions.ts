import { join } from 'node:path';
import { outFolder } from '../support/vscode/paths';
import { chosenRelease } from '../support/vscode/release';

/** The folder with the packaged extension, installed for the chosen release of VS Code. */
export function installedExtensions(): string {
  return join(outFolder, 'e2e', chosenRelease().version, 'extensions');
}
