// `npm run bench`: prints what the extension and the local service cost, each against a floor or a peer that is measured
// in the same run, as Markdown tables. Names as arguments measure only these: extension, tree, changes, requests, jobs, restart,
// stored, memory. `--rounds N` sets of how many rounds the best and the median are taken.
import { parseArgs } from 'node:util';
import { checkoutRoot } from '../support/vscode/paths';
import { ensureNode } from '../support/vscode/install';
import { runChecked } from '../support/vscode/run';
import { measureExtension } from './extension';
import { measureChanges } from './prompt/changes';
import { measureTree } from './tree/tree';

const EXTENSION = ['extension', 'tree', 'changes'];
const SERVICE = ['requests', 'jobs', 'restart', 'stored', 'memory'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '7' } },
});
const unknown = positionals.filter((name) => ![...EXTENSION, ...SERVICE].includes(name));
if (unknown.length > 0) {
  throw new Error(`there is no benchmark ${unknown.join(', ')}; there are ${[...EXTENSION, ...SERVICE].join(', ')}`);
}
const chosen = (name: string): boolean => positionals.length === 0 || positionals.includes(name);

await runChecked(process.execPath, ['esbuild.mjs'], { cwd: checkoutRoot });
if (chosen('extension')) {
  process.stdout.write(await measureExtension(Number(values.rounds)));
}
if (chosen('tree')) {
  process.stdout.write(`\n${await measureTree(Number(values.rounds))}`);
}
if (chosen('changes')) {
  process.stdout.write(`\n${await measureChanges(Number(values.rounds))}`);
}
const service = SERVICE.filter(chosen);
if (service.length > 0) {
  // They read the service's own store, which needs `node:sqlite`.
  const script = ['--import', 'tsx', 'test/bench/service/main.ts', '--rounds', values.rounds, ...service];
  process.stdout.write(`\n${await runChecked(await ensureNode(), script, { cwd: checkoutRoot })}`);
}
