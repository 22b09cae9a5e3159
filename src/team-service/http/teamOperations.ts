import type { DescribedService } from '../../local-service/http/openApi';
import { OPERATIONS } from '../../local-service/http/operations';

/**
 * What a team's service has. An API process has no clone of a repository, so that it can't read what a job changed or
 * merge it: that is in the pull request.
 */
const IDS = ['createJob', 'retrieveJob', 'sendMessage', 'listJobs', 'followJob', 'cancelJob', 'archiveJob'];

export const TEAM_SERVICE: DescribedService = {
  title: 'Agent job service of a team',
  description: 'Version 2 of the agent job API, with the additions of this service.',
  operations: OPERATIONS.filter(({ id }) => IDS.includes(id)),
};
