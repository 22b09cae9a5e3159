import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageExtension } from '../support/vscode/packageExtension';

/** A packaged extension that does nothing, as a baseline. */
export interface EmptyExtension {
  id: string;
  vsix: string;
  /** Size of the package, in bytes. */
  bytes: number;
}

/**
 * Packages one below `folder`. `activationEvent` determines when VS Code loads it, `contributes` what it adds to a
 * window.
 */
export async function packageEmptyExtension(
  folder: string,
  name: string,
  activationEvent: string,
  contributes = {},
): Promise<EmptyExtension> {
  const source = join(folder, name);
  await mkdir(source, { recursive: true });
  const manifest = {
    name,
    publisher: 'docs-agent-bench',
    version: '0.0.1',
    engines: { vscode: '^1.101.0' },
    main: './extension.js',
    activationEvents: [activationEvent],
    contributes,
  };
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'README.md'), 'Does nothing.\n');
  await writeFile(join(source, 'extension.js'), "require('vscode');\nexports.activate = () => {};\n");
  const vsix = join(folder, `${name}.vsix`);
  return { id: `docs-agent-bench.${name}`, vsix, bytes: await packageExtension(source, vsix) };
}
