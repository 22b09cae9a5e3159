// `--import` this, and the client takes undici from the build in `dist`. What is still read from the package itself is
// told at the end.
import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const chunks = join(import.meta.dirname, '..', '..', 'dist', 'chunks');
const built = readdirSync(chunks).filter((name) => name === 'undiciParts.mjs');
let taken = 0;

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== './undiciParts') {
      return nextResolve(specifier, context);
    }
    taken++;
    return { url: pathToFileURL(join(chunks, built[0])).href, shortCircuit: true };
  },
});

process.on('exit', () =>
  console.log(`undici taken from ${built.length} file of the build ${taken > 0 ? '' : 'not '}once`),
);
