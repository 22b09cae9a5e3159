import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const TRANSPORT = pathToFileURL(resolve('src/client/transport.ts')).href;
const SYMBOL = `Symbol.for('undici.globalDispatcher.1')`;

/** Runs a module in a process of its own, in which nothing has touched `fetch` or undici, and returns what it printed. */
function inFreshProcess(code: string): unknown {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const SEND = `
  const { Transport } = await import(${JSON.stringify(TRANSPORT)});
  const transport = new Transport();
  const url = 'http://127.0.0.1:1/';
  await transport.send({ method: 'GET', url, headers: {} }).catch(() => undefined);
  await transport.dispose();
`;

describe('the process-wide dispatcher', () => {
  it('stays the one that was set', () => {
    const code = `const own = { dispatch() { throw new Error('not ours'); } };
      globalThis[${SYMBOL}] = own;
      ${SEND}
      console.log(JSON.stringify(globalThis[${SYMBOL}] === own));`;
    assert.equal(inFreshProcess(code), true);
  });

  it('is Node’s own where none was set, and goes on serving fetch', () => {
    const code = `const before = globalThis[${SYMBOL}] === undefined;
      ${SEND}
      const { Agent } = await import(${JSON.stringify(pathToFileURL(resolve('node_modules/undici/index.js')).href)});
      const set = globalThis[${SYMBOL}];
      const fetched = await fetch('data:,well').then((answer) => answer.text());
      console.log(JSON.stringify({ before, ours: set instanceof Agent, set: set?.constructor.name, fetched }));`;
    assert.deepEqual(inFreshProcess(code), { before: true, ours: false, set: 'Agent', fetched: 'well' });
  });
});
