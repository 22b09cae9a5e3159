// Test-only companion: notes which timers, connections, watchers and processes the extension makes from here on, and tells
// other code of the host which of them are still there.
const { createHook } = require('node:async_hooks');

const OWN = /docs-agent\.docs-agent-jobs-/;

/** What wakes the process by itself, by the name that Node gives it. */
const TIMERS = ['Timeout', 'Immediate'];
const HANDLES = ['TCPWRAP', 'PIPEWRAP', 'PROCESSWRAP', 'FSEVENTWRAP', 'STATWATCHER', 'WORKER'];

exports.activate = () => {
  const alive = new Map();
  let made = 0;
  const hook = createHook({
    init: (id, type) => {
      const isTimer = TIMERS.includes(type);
      if (isTimer || HANDLES.includes(type)) {
        const stack = stackLines();
        // The editor sets timers of its own while it is called; a connection is made through its proxy support.
        if (isTimer ? OWN.test(stack[0] ?? '') : stack.some((line) => OWN.test(line))) {
          made += 1;
          alive.set(id, { type, stack: stack.slice(0, 4).join('\n') });
        }
      }
    },
    destroy: (id) => void alive.delete(id),
  });
  hook.enable();
  globalThis.docsAgentResources = () => ({ made, alive: [...alive.values()] });
};

/** Who is calling, without Node’s own files and this one. */
function stackLines() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const lines = String(new Error().stack).split('\n').slice(1);
  Error.stackTraceLimit = limit;
  return lines.filter((line) => !line.includes('node:') && !line.includes(module.filename));
}
