// Test-only companion: records the timers, connections, watchers and processes that the extension creates from now on,
// and reports to other code in the host which of them still exist.
const { createHook } = require('node:async_hooks');

const OWN = /docs-agent\.docs-agent-jobs-/;

/** Resources that can wake the process, by Node's names for them. */
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
        // The editor sets timers of its own during calls from the extension. Connections are made through its proxy
        // support.
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

/** The stack of the caller, without Node’s own files and this one. */
function stackLines() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const lines = String(new Error().stack).split('\n').slice(1);
  Error.stackTraceLimit = limit;
  return lines.filter((line) => !line.includes('node:') && !line.includes(module.filename));
}
