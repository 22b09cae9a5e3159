import { join } from 'node:path';
import { packageExtension } from '../support/vscode/packageExtension';
import { checkoutRoot } from '../support/vscode/paths';
import { withTemporaryFolder } from '../support/vscode/temporaryFolder';
import { packageEmptyExtension } from './emptyExtension';
import { measureSize } from './size';
import { measureStartup } from './startup';

/** The package may not grow beyond this without a decision, in KiB. */
const PACKAGE_BUDGET = 1024;

/** How long the packaged extension takes to start and how large it is, as a Markdown table; built before. */
export function measureExtension(rounds: number): Promise<string> {
  return withTemporaryFolder((folder) => measure(folder, rounds));
}

async function measure(folder: string, rounds: number): Promise<string> {
  const vsix = join(folder, 'extension.vsix');
  const packed = await packageExtension(checkoutRoot, vsix);
  const empty = await packageEmptyExtension(folder, 'nothing', 'onStartupFinished');
  const size = await measureSize();
  const startup = await measureStartup(folder, rounds);
  const timeRow = (name: string, of: 'best' | 'median'): string => {
    const [ours, nothing] = [startup.product[of], startup.empty[of]];
    return row(name, `${ours.toFixed(1)} ms`, `${nothing.toFixed(1)} ms`, ratioOf(ours, nothing));
  };
  const sizeRow = (name: string, bytes: number, nothing?: number): string =>
    row(
      name,
      kib(bytes),
      nothing === undefined ? '' : kib(nothing),
      nothing === undefined ? '' : ratioOf(bytes, nothing),
    );
  const lines = [
    row('measured', 'extension', 'empty extension', 'ratio'),
    row('---', '--:', '--:', '--:'),
    timeRow(`load + activate, best of ${startup.rounds}`, 'best'),
    timeRow(`load + activate, median of ${startup.rounds}`, 'median'),
    sizeRow('package', packed, empty.bytes),
    sizeRow('loaded to activate', size.entry),
    sizeRow('loaded later', size.chunks),
    sizeRow('local service', size.service),
  ];
  return `${lines.join('\n')}\n\nThe package takes ${percent(packed)} of its ${PACKAGE_BUDGET} KiB.\n`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

function ratioOf(a: number, b: number): string {
  return (a / b).toFixed(1);
}

function percent(bytes: number): string {
  return `${((100 * bytes) / 1024 / PACKAGE_BUDGET).toFixed(0)} %`;
}
