// esbuild puts modules into a file of their own for each set of entry points that need them, and an import on demand is
// an entry point. So what the application loads when it starts would come in fifty small files, which takes the thread
// of the extensions twice the time of one.
import { build } from 'esbuild';
import { relative, resolve } from 'node:path';

/**
 * Returns a plugin that puts what the application always loads into one file, and what of it the service uses, too, into
 * one more. To this end each module that the application imports on demand also imports the application, which is loaded
 * by then, and the service with whatever it imports on demand imports all that they share.
 */
export async function startTogether(options, application, service) {
  const { metafile } = await build({ ...options, write: false });
  const imported = (start, { onDemand }) => {
    const seen = new Set();
    const visit = (path) => {
      if (!seen.has(path)) {
        seen.add(path);
        const imports = metafile.inputs[path]?.imports ?? [];
        imports.filter(({ kind }) => onDemand || kind !== 'dynamic-import').forEach((each) => visit(each.path));
      }
    };
    visit(start);
    return seen;
  };
  const inService = imported(service, { onDemand: true });
  const inBoth = [...imported(application, { onDemand: false })].filter((path) => path in metafile.inputs);
  const shared = inBoth.filter((path) => inService.has(path));
  // Relative, because the content is hashed into the names of the files.
  const quoted = (path) => JSON.stringify(`./${path.replaceAll('\\', '/')}`);
  return {
    name: 'start together',
    setup(building) {
      building.onResolve({ filter: /^\.|\.ts$/ }, async ({ path, kind, resolveDir, importer }) => {
        const from = relative('.', importer);
        const isOnDemand = kind === 'dynamic-import' && from.startsWith('src');
        if (!isOnDemand && !(kind === 'entry-point' && path === service)) {
          return undefined;
        }
        const found = await building.resolve(path, { resolveDir, kind: 'import-statement' });
        const isOfService = !isOnDemand || inService.has(from.replaceAll('\\', '/'));
        return { path: relative('.', found.path), namespace: isOfService ? 'of-service' : 'of-application' };
      });
      for (const [namespace, first] of [
        ['of-service', shared],
        ['of-application', [application]],
      ]) {
        building.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
          contents: `${first.map((each) => `import ${quoted(each)};\n`).join('')}export * from ${quoted(path)};\n`,
          resolveDir: resolve('.'),
        }));
      }
    },
  };
}
