import { deepStrictEqual, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { checkoutRoot } from '../../support/vscode/paths';

/** The build outputs that are read when one of them is loaded, excluding dynamic imports. */
function outputsWith(metafile: Metafile, output: string): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const file = metafile.outputs[name];
    if (file !== undefined && !seen.has(name)) {
      seen.add(name);
      file.imports.filter(({ kind }) => kind === 'import-statement').forEach(({ path }) => visit(path));
    }
  };
  visit(output);
  return [...seen];
}

/** The sources and libraries in them. */
function loadedWith(metafile: Metafile, output: string): string[] {
  return outputsWith(metafile, output).flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
}

async function bundle(entry: string, splitting: boolean): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: splitting ? 'esm' : 'cjs',
    splitting,
    external: ['vscode', './application'],
    outdir: 'out/bundle-test',
    write: false,
    metafile: true,
  });
  return metafile;
}

describe('loaded modules', () => {
  it('are a handful of small files at activation', async () => {
    const files = loadedWith(await bundle('src/extension/extension.ts', false), 'out/bundle-test/extension.js');
    deepStrictEqual(files.toSorted(), [
      'src/base/disposable.ts',
      'src/extension/extension.ts',
      'src/extension/features/chat-tools/registerTools.ts',
      'src/extension/ids.ts',
      'src/extension/registerCommands.ts',
    ]);
  });

  it('are in a few files when the extension starts, each source in one file only, and none in the service', async () => {
    const [application, service] = ['src/extension/application.ts', 'src/local-service/main.ts'];
    const programs = { entryPoints: [application, service], external: ['vscode'] };
    const options = { ...programs, bundle: true, splitting: true, format: 'esm' } as const;
    const more = { platform: 'node', outdir: 'out/bundle-test', metafile: true } as const;
    const script = pathToFileURL(join(checkoutRoot, 'scripts', 'startTogether.mjs')).href;
    const { startTogether } = (await import(script)) as {
      startTogether: (options: BuildOptions, ...programs: string[]) => Promise<Plugin>;
    };
    const plugins = [await startTogether({ ...options, ...more }, application, service)];
    const { metafile } = await build({ ...options, ...more, write: false, plugins });
    const atStart = outputsWith(metafile, 'out/bundle-test/extension/application.js');
    ok(atStart.length <= 4, atStart.join());
    const sources = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    deepStrictEqual(sources.length, new Set(sources).size);
    const isOfEditor = (name: string): boolean => /^src\/(extension|jobs)\//.test(name);
    ok(loadedWith(metafile, 'out/bundle-test/extension/application.js').some(isOfEditor));
    deepStrictEqual(loadedWith(metafile, 'out/bundle-test/local-service/main.js').filter(isOfEditor), []);
  });

  it('exclude the rest of the service and all libraries except the one for schemas in the supervisor', async () => {
    const metafile = await bundle('src/local-service/main.ts', true);
    const supervisor = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
      entryPoint?.endsWith('supervisor.ts'),
    );
    const files = loadedWith(metafile, supervisor?.[0] ?? '');
    ok(files.includes('src/local-service/agents/supervisor.ts'));
    deepStrictEqual(
      files.filter(
        (name) =>
          /src\/local-service\/(http|store|git|forges|review)\//.test(name) || /node_modules\/(?!zod\/)/.test(name),
      ),
      [],
    );
  });

  it('exclude the libraries for agents, other agents’ requests, and Git hosts when the service starts', async () => {
    const metafile = await bundle('src/local-service/main.ts', true);
    const serve = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('serve.ts'));
    const files = loadedWith(metafile, serve?.[0] ?? '');
    ok(files.some((name) => name.includes('node_modules/hono/')));
    deepStrictEqual(
      files.filter((name) => /node_modules\/(undici|@agentclientprotocol|@modelcontextprotocol)\//.test(name)),
      [],
    );
  });

  it('include those of the documentation check, except its words, only in the process of the check', async () => {
    const { outputs } = await bundle('src/local-service/main.ts', true);
    const of = (name: string): string[] => {
      const output = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(name));
      return loadedWith({ inputs: {}, outputs }, output?.[0] ?? '').filter((file) =>
        /src\/checks\/(?!describe\.ts)|node_modules\/markdown-it\//.test(file),
      );
    };
    ok(of('check/check.ts').length > 20);
    deepStrictEqual([...of('serve.ts'), ...of('supervisor.ts'), ...of('local-service/main.ts')], []);
  });

  it('exclude libraries for HTTP, schemas and YAML when the extension starts', async () => {
    const metafile = await bundle('src/extension/application.ts', true);
    const files = loadedWith(metafile, 'out/bundle-test/application.js');
    ok(files.length > 20, 'the application itself');
    deepStrictEqual(
      files.filter((name) => /node_modules\/(undici|zod|js-yaml)\//.test(name)),
      [],
    );
    const all = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    ok(all.some((name) => name.includes('node_modules/undici/')) && all.some((name) => name.includes('zod/')));
    // The library’s index and its `fetch` set a process-wide dispatcher when loaded.
    deepStrictEqual(
      all.filter((name) => /undici\/(index|lib\/global|lib\/web\/fetch\/index)\.js$/.test(name)),
      [],
    );
  });
});
