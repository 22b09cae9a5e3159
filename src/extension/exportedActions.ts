import { isBlank } from '../base/text';
import type { ServiceLocation } from '../jobs/events';
import { followUpObstacle } from '../jobs/jobStatus';
import type { SendTime } from './platform/sendTime';
import { type Job, toApiJob } from './presentation/apiJob';
import type { JobPicker } from './presentation/jobPicker';
import type { Projects } from './sending/projects';
import type { SendGuard } from './sending/sendPrompt';
import type { Sender } from './sending/sender';

/** What other extensions can call through the exported API. Each action rejects only when nothing was saved. */
export interface ExportedActions {
  createJob(prompt: string, project: string | undefined): Promise<Job>;
  sendFollowUp(jobId: string, prompt: string, when?: SendTime): Promise<Job>;
}

interface Parts {
  projects: Projects;
  sender: Sender;
  picker: JobPicker;
  guard: SendGuard;
}

export function exportedActions({ projects, sender, picker, guard }: Parts): ExportedActions {
  return {
    createJob: async (prompt, project) => {
      refuseEmpty(prompt);
      const location = demand(await projects.choose(project));
      guard.remember(prompt);
      const { finished } = await sender.create(location, prompt);
      return toApiJob(await finished);
    },
    sendFollowUp: async (jobId, prompt, when) => {
      refuseEmpty(prompt);
      const job = picker.byName(jobId);
      if (job === undefined || followUpObstacle(job) !== undefined) {
        throw new Error(`Job ${jobId} isn’t in the list.`);
      }
      guard.remember(prompt);
      const { finished } = await sender.followUp(job, prompt, when);
      return toApiJob(await finished);
    },
  };
}

function refuseEmpty(prompt: string): void {
  if (isBlank(prompt)) {
    throw new Error('The prompt is empty.');
  }
}

function demand(location: ServiceLocation | undefined): ServiceLocation {
  if (location === undefined) {
    throw new Error('No project was selected, so nothing was sent.');
  }
  return location;
}
