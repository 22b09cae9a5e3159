import { join } from 'node:path';
import { packageExtension } from '../support/vscode/packageExtension';
import { checkoutRoot } from '../support/vscode/paths';
import { withTemporaryFolder } from '../support/vscode/temporaryFolder';
import { packageEmptyExtension } from './emptyExtension';
import { type Figure, figure } from './figures';
import { measureSize } from './size';
import { measureStartup } from './startup';

/** The maximum time for loading and activation, as a multiple of the empty extension's. */
const MAX_RATIO = 1.5;

/** The size limit of scripts/package.mjs, in KiB. */
const MAX_PACKAGE_KIB = 768;

/** Measures how long the packaged extension takes to start and how large it is. It must be built before. */
export function measureExtension(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  return withTemporaryFolder((folder) => measure(folder, rounds));
}

async function measure(folder: string, rounds: number): Promise<{ figures: Figure[]; about: string }> {
  const packed = await packageExtension(checkoutRoot, join(folder, 'extension.vsix'));
  const empty = await packageEmptyExtension(folder, 'nothing', 'onStartupFinished');
  const size = await measureSize();
  const startup = await measureStartup(folder, rounds);
  const sized = (name: string, bytes: number): Figure => figure({ name, unit: 'KiB', ours: bytes / 1024 });
  return {
    figures: [
      figure({
        name: 'load and activate',
        unit: 'ms',
        ours: startup.product,
        peer: { name: 'an empty extension', measured: startup.empty },
        by: 'best',
        wanted: { of: 'ratio', most: MAX_RATIO },
      }),
      figure({
        name: 'package',
        unit: 'KiB',
        ours: packed / 1024,
        peer: { name: 'an empty extension', measured: empty.bytes / 1024 },
        wanted: { of: 'best', most: MAX_PACKAGE_KIB },
      }),
      sized('loaded on activation', size.entry),
      sized('loaded on demand, with the local service', size.later),
    ],
    about: 'The package is compressed; the rows below it are minified but not compressed.',
  };
}
