/**
 * The three parts of undici that we use. Its index also sets the process-wide dispatcher where none is set, which belongs
 * to everyone in the extension host, and takes twice as long to load.
 */
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
