// Packages the built extension and installs it for the windows of the end-to-end tests, in the chosen release of VS Code.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import '../support/vscode/exitWithParent.mjs';
import { packageExtension } from '../support/vscode/run';
import { extensionFolder, installedExtensions } from '../support/vscode/paths';
import { installInto } from '../support/vscode/server';
import { ensureServer } from '../support/vscode/install';

const extensions = installedExtensions();
const vsix = join(extensions, '..', 'extension.vsix');
await rm(extensions, { recursive: true, force: true });
const [bytes] = await Promise.all([packageExtension(extensionFolder, vsix), ensureServer()]);
process.stdout.write(`Packaged the extension: ${Math.ceil(bytes / 1024)} KiB\n`);
await installInto(extensions, vsix);
