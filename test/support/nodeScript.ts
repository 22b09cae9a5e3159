import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { temporaryFolder } from './temporaryRepository';

/** Compiles a TypeScript program to one file, so that a process that runs it starts fast. Returns its path. */
export async function buildNodeScript(source: string): Promise<string> {
  const path = join(await temporaryFolder(), `${basename(source, '.ts')}.mjs`);
  await build({
    entryPoints: [source],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Only in late imports that these programs never run.
    external: ['vscode'],
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: 'warning',
  });
  return path;
}
