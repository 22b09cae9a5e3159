import { JobPicker, type JobPickerOptions } from '../../src/extension/presentation/jobPicker';
import { jobDescriber } from './jobDescriber';

/** A picker while no job is open and nothing is known about pull requests, except as given. */
export function jobPicker(store: JobPickerOptions['store'], more: Partial<JobPickerOptions> = {}): JobPicker {
  return new JobPicker({ store, describer: jobDescriber(), activeJob: () => undefined, ...more });
}
