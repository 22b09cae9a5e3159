import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkoutRoot } from './paths';
import { runChecked } from './run';

/** Packages the extension in `folder`, which must have been built, as it would be published. Returns its size in bytes. */
export async function packageExtension(folder: string, vsix: string): Promise<number> {
  await mkdir(dirname(vsix), { recursive: true });
  const vsce = join(checkoutRoot, 'node_modules', '@vscode', 'vsce', 'vsce');
  const options = [
    '--no-dependencies',
    '--allow-missing-repository',
    '--no-rewrite-relative-links',
    '--skip-license',
    '--out',
    vsix,
  ];
  await runChecked(process.execPath, [vsce, 'package', ...options], { cwd: folder });
  return (await stat(vsix)).size;
}
