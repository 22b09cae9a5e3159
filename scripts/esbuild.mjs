// Builds `dist`, from which the extension is packaged: its entry, the application behind it, the local service, and the page of a job.
// The npm packages (the service for a team, the check) are built by npmPackage.mjs. With --watch it rebuilds on every change,
// without minification and with linked source maps. Otherwise the bundles do not reference their maps.
import { context } from 'esbuild';
import { rm } from 'node:fs/promises';
import { bundleOptions, moduleOptions, NODE } from './bundleOptions.mjs';
import { startTogether } from './startTogether.mjs';
import { writeSupplyChain } from './supplyChain.mjs';

const watch = process.argv.includes('--watch');

const common = bundleOptions(watch);

/**
 * The entry is one CommonJS file, which the host loads fastest. It imports the application, an ES module, on demand.
 */
const externalApplication = {
  name: 'external application',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/application$/ }, () => ({ path: './application.mjs', external: true })),
};

const extension = { entryPoints: ['src/extension/extension.ts'], format: 'cjs', outExtension: { '.js': '.cjs' } };
/** Built together, so that what both need is in the package once. */
const [application, service] = ['src/extension/application.ts', 'src/local-service/main.ts'];
const programs = {
  ...moduleOptions(common),
  entryPoints: [
    { in: application, out: 'application' },
    { in: service, out: 'service' },
  ],
};
const pages = [
  { in: 'src/extension/features/job-page/page/page.tsx', out: 'jobPage' },
  { in: 'src/extension/features/job-page/page/style/page.css', out: 'jobPage' },
];

const builds = [
  { ...common, ...NODE, ...extension, external: ['vscode'], plugins: [externalApplication] },
  { ...programs, plugins: [await startTogether(programs, application, service)] },
  { ...common, entryPoints: pages, platform: 'browser', target: 'es2022', format: 'esm' },
];

await rm('dist', { recursive: true, force: true });
const contexts = await Promise.all(builds.map(context));
const results = await Promise.all(contexts.map((each) => each.rebuild()));
if (watch) {
  // Starts watching only now, so that the first "[watch] build finished" means that every bundle exists.
  await Promise.all(contexts.map((each) => each.watch()));
} else {
  await Promise.all(contexts.map((each) => each.dispose()));
  await writeSupplyChain(results.map(({ metafile }) => metafile));
}
