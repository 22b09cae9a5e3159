import type { PullRequestState } from '../../src/protocol/surroundings';
import { JobDescriber, type JobSources } from '../../src/extension/presentation/describeJob';
import { JobPicker, type JobPickerOptions } from '../../src/extension/presentation/jobPicker';

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

/** A picker while no job is open and nothing is known about pull requests, except as given. */
export function jobPicker(store: JobPickerOptions['store'], more: Partial<JobPickerOptions> = {}): JobPicker {
  return new JobPicker({ store, describer: jobDescriber(), activeJob: () => undefined, ...more });
}
