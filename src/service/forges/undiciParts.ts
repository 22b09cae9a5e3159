/** The parts of undici that we use: its index is loaded twice as long. */
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { default as request } from 'undici/lib/api/api-request.js';
