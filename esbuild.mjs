// Builds both bundles: the extension (split, so that what is used late is loaded late) and the local service.
import { build } from 'esbuild';
import { rm } from 'node:fs/promises';

/** CommonJS libraries inside an ECMAScript module still call `require` for Node's own modules. */
const requireBanner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

const common = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.15',
  minify: true,
  sourcemap: false,
  legalComments: 'none',
  banner: { js: requireBanner },
  logLevel: 'warning',
  metafile: true,
};

export async function buildAll() {
  await rm('dist', { recursive: true, force: true });
  const [extension, service] = await Promise.all([
    build({
      ...common,
      entryPoints: ['src/extension/extension.ts'],
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      external: ['vscode'],
      outdir: 'dist',
    }),
    // `vscode` is not external here: a stray import of it breaks the build.
    build({
      ...common,
      entryPoints: { service: 'src/service/main.ts' },
      outdir: 'dist',
      outExtension: { '.js': '.mjs' },
    }),
  ]);
  return { extension: extension.metafile, service: service.metafile };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  await buildAll();
}
