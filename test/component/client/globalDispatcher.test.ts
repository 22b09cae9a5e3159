import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const TRANSPORT = pathToFileURL(resolve('src/client/transport.ts')).href;
const SYMBOL = `Symbol.for('undici.globalDispatcher.1')`;

/** Runs a module in a new process that has not used `fetch` or undici, and returns its parsed output. */
function inFreshProcess(code: string): unknown {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const SEND = `
  const { Transport } = await import(${JSON.stringify(TRANSPORT)});
  const network = { proxy: '', noProxy: [], systemCertificates: true };
  const transport = new Transport(undefined, () => network);
  const url = 'https://nonexistent.invalid/';
  const send = () => transport.send({ method: 'GET', url, headers: {} }).catch(() => undefined);
  await send();
  network.proxy = 'http://127.0.0.1:1';
  await send();
  await transport.dispose();
`;

describe('global dispatcher', () => {
  it('is not replaced when one is set', () => {
    const code = `const own = { dispatch() { throw new Error('not ours'); } };
      globalThis[${SYMBOL}] = own;
      ${SEND}
      console.log(JSON.stringify(globalThis[${SYMBOL}] === own));`;
    assert.equal(inFreshProcess(code), true);
  });

  it('stays unset when none is set, so that Node installs its own for fetch', () => {
    const code = `const before = globalThis[${SYMBOL}] === undefined;
      ${SEND}
      const after = globalThis[${SYMBOL}] === undefined;
      const fetched = await fetch('data:,well').then((answer) => answer.text());
      console.log(JSON.stringify({ before, after, fetched }));`;
    assert.deepEqual(inFreshProcess(code), { before: true, after: true, fetched: 'well' });
  });
});
