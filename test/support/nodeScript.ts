import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** A TypeScript program as one file, so that a process that runs it is up in no time. */
export interface NodeScript {
  path: string;
  remove(): Promise<void>;
}

export async function buildNodeScript(source: string): Promise<NodeScript> {
  const folder = await mkdtemp(join(tmpdir(), 'script-'));
  const path = join(folder, `${basename(source, '.ts')}.mjs`);
  await build({
    entryPoints: [source],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
