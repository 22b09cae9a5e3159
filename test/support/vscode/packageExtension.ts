import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutRoot } from './paths';
import { runChecked } from './run';

/** Packages the built extension in `folder` as for publishing. Returns the size of the package in bytes. */
export async function packageExtension(folder: string, vsix: string): Promise<number> {
  await runChecked(process.execPath, [join(checkoutRoot, 'scripts', 'package.mjs'), folder, vsix]);
  return (await stat(vsix)).size;
}
