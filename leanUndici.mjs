// Keeps out of the bundle what no request of ours reaches in undici, which has no smaller entry. What stands in for a file
// refuses loudly; the build fails when a file is no longer where it was, and the client's tests run over the same files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

/** By the file's place in the package: what is read in its stead, as CommonJS. */
const STAND_INS = {
  // Connections offer HTTP/1.1 only.
  'lib/dispatcher/client-h2.js': () => `module.exports = () => { ${refusal('HTTP/2')} };`,
  // For forms and blobs as bodies; ours are texts.
  'lib/web/fetch/body.js': () => `exports.extractBody = () => { ${refusal('a form as a body')} };`,
  // The same parser twice: the one without SIMD runs on every processor, and answers of some kilobytes need no more.
  'lib/llhttp/llhttp_simd-wasm.js': () => `module.exports = require('./llhttp-wasm.js');`,
  'lib/llhttp/llhttp-wasm.js': squeezedParser,
  'lib/llhttp/constants.js': usedConstants,
};

/** What is read instead of a file of undici; undefined where the file itself is. */
export function standInFor(path) {
  const place = placeOf(path);
  return place === undefined ? undefined : STAND_INS[place](path);
}

/** For esbuild. */
export const leanUndici = {
  name: 'lean undici',
  setup({ onLoad, onEnd }) {
    const met = new Set();
    onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]lib[\\/]/ }, ({ path }) => {
      met.add(placeOf(path));
      const contents = standInFor(path);
      return contents === undefined ? undefined : { contents, loader: 'js' };
    });
    onEnd(() => {
      const lost = Object.keys(STAND_INS).filter((place) => !met.has(place));
      return { errors: lost.map((place) => ({ text: `undici does not read ${place} any more: see leanUndici.mjs` })) };
    });
  },
};

function placeOf(path) {
  const place = path.replaceAll('\\', '/').split('/node_modules/undici/').at(-1);
  return Object.hasOwn(STAND_INS, place) ? place : undefined;
}

function refusal(what) {
  return `throw new Error('${what} is left out of this build of undici');`;
}

/** The parser as undici brings it, but deflated: as plain base64 it is half of all that is left. */
function squeezedParser(path) {
  const parser = createRequire(import.meta.url)(path);
  const packed = deflateRawSync(parser, { level: 9 }).toString('base64');
  return `module.exports = require('node:zlib').inflateRawSync(Buffer.from('${packed}', 'base64'));`;
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
