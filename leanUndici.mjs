// Keeps out of the bundle what no request of ours reaches in undici, which has no smaller entry. What stands in for a file
// refuses loudly; the build fails when a file is no longer where it was, and the client's tests run over the same files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { asModule, withUsedValuesOnly } from './leanSource.mjs';

/** By the file's place in the package: what is read in its stead, as CommonJS. */
const STAND_INS = {
  // Connections offer HTTP/1.1 only.
  'lib/dispatcher/client-h2.js': () => `module.exports = () => { ${refusal('HTTP/2')} };`,
  // For forms and blobs as bodies; ours are texts.
  'lib/web/fetch/body.js': () => `exports.extractBody = () => { ${refusal('a form as a body')} };`,
  // The same parser twice: the one without SIMD runs on every processor, and answers of some kilobytes need no more.
  'lib/llhttp/llhttp_simd-wasm.js': () => `module.exports = require('./llhttp-wasm.js');`,
  'lib/llhttp/llhttp-wasm.js': () => READ_PARSER,
  'lib/llhttp/constants.js': usedConstants,
  // They would tell every other extension of our requests, with their headers.
  'lib/core/diagnostics.js': () => 'module.exports = { channels: {} };',
};

/** Where the parser lies in the build, beside the chunk that reads it: in a text it would take a third more. */
const PARSER = 'chunks/llhttp.br';

const READ_PARSER = `
  const { readFileSync } = require('node:fs');
  const { brotliDecompressSync } = require('node:zlib');
  const file = './${basename(PARSER)}';
  module.exports = brotliDecompressSync(readFileSync(require.resolve(file)));
`;

/** For esbuild. */
export const leanUndici = {
  name: 'lean undici',
  setup({ initialOptions, onLoad, onEnd }) {
    const met = new Map();
    onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]lib[\\/]/ }, ({ path }) => {
      const place = placeOf(path);
      met.set(place, path);
      // What stands in is required in the midst of functions, as it is.
      const module = place === undefined ? asModule(path, read) : undefined;
      return { contents: module === undefined ? read(path) : withUsedValuesOnly(module), loader: 'js' };
    });
    onEnd(({ outputFiles, metafile }) => {
      const lost = Object.keys(STAND_INS).filter((place) => !met.has(place));
      if (lost.length > 0) {
        return {
          errors: lost.map((place) => ({ text: `undici does not read ${place} any more: see leanUndici.mjs` })),
        };
      }
      const path = join(initialOptions.outdir, PARSER);
      const contents = brotliCompressSync(createRequire(import.meta.url)(met.get('lib/llhttp/llhttp-wasm.js')));
      outputFiles.push({ path: resolve(path), contents });
      metafile.outputs[path.replaceAll('\\', '/')] = { imports: [], exports: [], inputs: {}, bytes: contents.length };
      return {};
    });
  },
};

/** What is read for a file of undici, where no channel of diagnostics has anyone who listens. */
function read(path) {
  const place = placeOf(path);
  const text = place === undefined ? readFileSync(path, 'utf8') : STAND_INS[place](path);
  return text.replaceAll(/\bchannels\.\w+\.hasSubscribers\b/g, 'false');
}

function placeOf(path) {
  const place = path.replaceAll('\\', '/').split('/node_modules/undici/').at(-1);
  return Object.hasOwn(STAND_INS, place) ? place : undefined;
}

function refusal(what) {
  return `throw new Error('${what} is left out of this build of undici');`;
}

/** Of the tables of the parser those that the client reads. */
function usedConstants(path) {
  const client = readFileSync(join(path, '..', '..', 'dispatcher', 'client-h1.js'), 'utf8');
  const names = new Set([...client.matchAll(/\bconstants\.([A-Z_]+)/g)].map(([, name]) => name));
  const constants = createRequire(import.meta.url)(path);
  const used = [...names].map((name) => [name, constants[name]]);
  if (used.length === 0 || used.some(([, table]) => table === undefined)) {
    throw new Error('undici reads the tables of its parser in another way: see leanUndici.mjs');
  }
  return `module.exports = ${JSON.stringify(Object.fromEntries(used))};`;
}
