import { JobPicker, type JobPickerOptions } from '../../src/extension/presentation/jobPicker';

/** A picker while no job is open and nothing is known about pull requests, except as given. */
export function jobPicker(store: JobPickerOptions['store'], more: Partial<JobPickerOptions> = {}): JobPicker {
  const pulls = { of: () => undefined, load: async () => undefined };
  return new JobPicker({ store, pulls, activeJob: () => undefined, ...more });
}
