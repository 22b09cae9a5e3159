/** What the extension loads at its first request, as one late chunk. */
export { AgentClient, type Target } from './agentClient';
export { LocalServiceClient, type LocalTarget } from './localServiceClient';
export type { NetworkSettings } from './network';
export { DEFAULT_TIMEOUTS, Transport } from './transport';
