import type { PullRequestState } from '../../src/extension/platform/pullRequestStates';
import { JobDescriber, type JobSources } from '../../src/extension/presentation/describeJob';

/** Describes jobs of which nothing is known besides their records, except as given. */
export function jobDescriber({
  pull = () => undefined,
  ...more
}: Partial<JobSources> & { pull?: (name: string) => PullRequestState | undefined } = {}): JobDescriber {
  const onDidChange = () => ({ dispose: () => undefined });
  return new JobDescriber({
    poller: { health: () => undefined, onDidChangeHealth: onDidChange },
    pulls: { get: pull, details: () => undefined, load: async () => undefined, onDidChange },
    previews: { isOffered: () => false, onDidChange },
    seen: { hasNew: () => false, onDidChange },
    counts: { get: () => 0, onDidChange },
    ...more,
  });
}
