import type { TrackedJob } from '../../../jobs/trackedJob';
import type { Disposable } from '../../../shared/util/disposable';
import type { Changes, Story } from './model';

/** Who knows what the agent of a job does, and which files it changed. */
export interface StorySource {
  /** Tells the story as it stands and whenever there is more of it, until disposed; undefined while there is none. */
  follow(job: TrackedJob, onStory: (story: Story | undefined) => void): Disposable;
  /** What the job changed; undefined where that is not known. */
  changes(job: TrackedJob): Promise<Changes | undefined>;
  /** Shows what the job did to one file, which was among its changes. */
  openFile(job: TrackedJob, path: string): Promise<void>;
}
