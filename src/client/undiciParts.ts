/** A CommonJS library has no named exports when it is imported late; through this module it has. */
export { Agent, buildConnector, request } from 'undici';
