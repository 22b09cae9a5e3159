/**
 * From the library's index: only that gives an agent of a proxy its `connect`. It sets the dispatcher of this whole
 * process, which is our own, unlike that of the editor's extensions.
 */
export { EnvHttpProxyAgent, request } from 'undici';
