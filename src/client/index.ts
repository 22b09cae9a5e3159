/** Loaded by the extension with its first request, as a lazy chunk. */
export { AgentClient } from './agentClient';
export {
  type GithubThread,
  type PullRequestAnswer,
  type PullRequestDetails,
  readChecks,
  readPullRequest,
  readReviewThreads,
} from './github';
export { JobEventsClient } from './events';
export { type Preview, type PreviewStatus, readPreviewStatus, startPreview } from './previews';
export { LocalServiceClient, type LocalTarget } from './localServiceClient';
export type { NetworkSettings } from '../base/network';
export type { Target } from './agentClient';
export { DEFAULT_TIMEOUTS, Transport } from './transport';
