/** What the extension loads at its first request, as one late chunk. */
export { AgentClient } from './agentClient';
export { type PullRequestAnswer, readPullRequest } from './githubPulls';
export { JobEventsClient } from './jobEventsClient';
export { LocalServiceClient, type LocalTarget } from './localServiceClient';
export type { NetworkSettings } from '../shared/network/network';
export type { Target } from './target';
export { DEFAULT_TIMEOUTS, Transport } from './transport';
