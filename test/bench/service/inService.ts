import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureNode } from '../../support/vscode/install';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked } from '../../support/vscode/run';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import type { Figure } from '../figures';

/** Runs a benchmark of the local service in its own process, because the service's store needs `node:sqlite`. */
export function inService(name: string): (rounds: number) => Promise<{ figures: Figure[] }> {
  return (rounds) =>
    withTemporaryFolder(async (folder) => {
      const result = join(folder, 'figures.json');
      const script = ['--import', 'tsx', 'test/bench/service/main.ts', name, String(rounds), result];
      await runChecked(await ensureNode(), script, { cwd: checkoutRoot });
      return { figures: JSON.parse(await readFile(result, 'utf8')) as Figure[] };
    });
}
