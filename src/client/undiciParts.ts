/**
 * The three parts of undici that we use. Its index would also set the process-wide dispatcher if none is set, which the
 * whole extension host shares, and takes twice as long to load.
 */
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
