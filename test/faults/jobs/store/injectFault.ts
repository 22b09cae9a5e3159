import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** The fault to inject into one file operation. */
export type Fault = 'kill before' | 'kill after' | 'ENOSPC' | 'EIO' | 'EROFS';

const CALLS = ['open', 'mkdir', 'readdir', 'readFile', 'rename', 'rm', 'stat', 'utimes', 'writeFile'] as const;
const HANDLE_CALLS = ['writeFile', 'sync', 'close'] as const;

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Counts every file operation of this process and injects a fault into one of them. Returns the number of operations.
 */
export function injectFaultAt(operation: number, blow: Fault): () => number {
  let count = 0;
  const struck =
    (call: Call): Call =>
    async (...args) => {
      const isIt = ++count === operation;
      if (isIt && blow !== 'kill after') {
        triggerFault(blow);
      }
      const result = await call(...args);
      if (isIt) {
        triggerFault(blow);
      }
      return result;
    };
  const promises = fs.promises as unknown as Record<string, Call>;
  for (const name of CALLS) {
    const call = promises[name]?.bind(fs.promises);
    if (call !== undefined) {
      promises[name] = struck(name === 'open' ? async (...args) => withFaults(await call(...args), struck) : call);
    }
  }
  syncBuiltinESMExports();
  return () => count;
}

function withFaults(opened: unknown, struck: (call: Call) => Call): unknown {
  const handle = opened as FileHandle & Record<string, Call>;
  for (const name of HANDLE_CALLS) {
    Object.defineProperty(handle, name, { value: struck((handle[name] as Call).bind(handle)) });
  }
  return handle;
}

function triggerFault(blow: Fault): void {
  if (blow === 'kill before' || blow === 'kill after') {
    process.kill(process.pid, 'SIGKILL');
    return;
  }
  throw Object.assign(new Error(`${blow}: injected`), { code: blow });
}
