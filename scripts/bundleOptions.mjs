// What the builds have in common, see esbuild.mjs and npmPackage.mjs.

export const NODE = { platform: 'node', target: 'node22.15' };

export function bundleOptions(watch) {
  return {
    bundle: true,
    minify: !watch,
    sourcemap: watch ? 'linked' : 'external',
    legalComments: 'none',
    charset: 'utf8',
    logLevel: watch ? 'info' : 'warning',
    metafile: true,
    outdir: 'dist',
  };
}

/** Dynamic imports become chunks. CommonJS libraries inside these modules still call `require`. */
export function moduleOptions(common) {
  return {
    ...common,
    ...NODE,
    format: 'esm',
    splitting: true,
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    external: ['vscode'],
    // The SDK would bring a library of 150 kB for what the server doesn't use.
    alias: { '@modelcontextprotocol/server/_shims': './src/local-service/mcp/validatorStub.ts' },
  };
}
