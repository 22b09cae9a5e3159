// Builds what is shipped: the extension's entry, the application behind it (split, so that what is used late is loaded
// late), the page of a job, the local service, and the script of its review page.
import { build } from 'esbuild';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkBuild } from './budgets.mjs';
import { leanLibraries } from './leanLibraries.mjs';
import { leanUndici } from './leanUndici.mjs';
import { shortNames } from './shortNames.mjs';
import { writeSupplyChain } from './supplyChain.mjs';

/** CommonJS libraries inside an ECMAScript module still call `require` for Node's own modules. */
const REQUIRE = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** Writes the files of a build that is split. Only what still calls `require` brings the line for it, of some hundred files. */
const splitFiles = {
  name: 'files of a split build',
  setup: ({ initialOptions, onEnd }) => {
    initialOptions.write = false;
    onEnd(async ({ outputFiles = [], metafile }) => {
      for (const { path, contents } of shortNames(outputFiles, metafile)) {
        const callsRequire = typeof contents === 'string' && /\brequire\b/.test(contents);
        await write(path, callsRequire ? `${REQUIRE}\n${contents}` : contents, metafile);
      }
    });
  },
};

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22.15',
  minify: true,
  sourcemap: false,
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
  metafile: true,
  outdir: 'dist',
};

const modules = { ...common, format: 'esm' };

/** The entry imports the application late, as the file beside it. */
const besideEntry = {
  name: 'application beside the entry',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/application$/ }, () => ({ path: './application.mjs', external: true })),
};

/** Each file of the entry would ask for the editor's interface, and for an `import *` copy it member by member, at every start. */
const editorAsItIs = {
  name: 'the editor as it is',
  setup: ({ initialOptions, onEnd }) => {
    initialOptions.write = false;
    onEnd(async ({ outputFiles, metafile }) => {
      // A build that failed has told why.
      if (outputFiles === undefined) {
        return {};
      }
      const [{ path, text }] = outputFiles;
      const first = '"use strict";';
      const whole = text.replaceAll(/\b[\w$]+\(require\("vscode"\),1\)/g, 'editor');
      if (whole === text || whole.includes('require("vscode")') || !whole.startsWith(first)) {
        return { errors: [{ text: 'the entry takes the editor in another way: see esbuild.mjs' }] };
      }
      await write(path, `${first}const editor=require("vscode");${whole.slice(first.length)}`, metafile);
    });
  },
};

/** Of all German texts the service needs its own, whose keys end in `/service`. */
const ownGerman = {
  name: 'German texts of the service',
  setup: ({ onLoad }) =>
    onLoad({ filter: /bundle\.l10n\.de\.json$/ }, async ({ path }) => {
      const texts = Object.entries(JSON.parse(await readFile(path, 'utf8')));
      return {
        contents: JSON.stringify(Object.fromEntries(texts.filter(([key]) => key.endsWith('/service')))),
        loader: 'json',
      };
    }),
};

async function write(path, contents, metafile) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
  metafile.outputs[relative('.', path).replaceAll('\\', '/')].bytes = Buffer.byteLength(contents);
}

/** Builds into `dist` and returns esbuild's metafile of each build. */
export async function buildAll() {
  await rm('dist', { recursive: true, force: true });
  const [entry, application, reader, jobPage, service, page] = await Promise.all([
    // CommonJS in one file: every start of the editor waits for this, and the host loads it in half the time.
    build({
      ...common,
      entryPoints: ['src/extension/extension.ts'],
      format: 'cjs',
      external: ['vscode'],
      outExtension: { '.js': '.cjs' },
      plugins: [besideEntry, editorAsItIs],
    }),
    build({
      ...modules,
      entryPoints: ['src/extension/application.ts'],
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      outExtension: { '.js': '.mjs' },
      external: ['vscode'],
      plugins: [leanLibraries, leanUndici, splitFiles],
    }),
    // A thread of its own has this one file to load.
    build({ ...modules, entryPoints: ['src/storage/recordReader.ts'], outExtension: { '.js': '.mjs' } }),
    // The page of a job and its style, for the browser in which the editor shows it.
    build({
      ...common,
      entryPoints: [
        { in: 'src/extension/views/jobPage/page/page.tsx', out: 'jobPage' },
        { in: 'src/extension/views/jobPage/page/style/page.css', out: 'jobPage' },
      ],
      platform: 'browser',
      target: 'es2022',
      format: 'esm',
    }),
    // `vscode` is not external here: a stray import of it breaks the build.
    build({
      ...modules,
      entryPoints: { service: 'src/service/main.ts' },
      splitting: true,
      chunkNames: 'service/[name]-[hash]',
      outExtension: { '.js': '.mjs' },
      plugins: [ownGerman, splitFiles],
    }),
    // The script of the review page runs in a browser.
    build({
      ...common,
      entryPoints: { reviewPage: 'src/service/review/page/page.ts' },
      platform: 'browser',
      target: 'es2022',
      format: 'esm',
    }),
  ]);
  return {
    entry: entry.metafile,
    application: application.metafile,
    reader: reader.metafile,
    jobPage: jobPage.metafile,
    service: service.metafile,
    page: page.metafile,
  };
}

const [, program] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(await realpath(program)).href) {
  await writeSupplyChain(Object.values(await buildAll()));
  await checkBuild();
}
