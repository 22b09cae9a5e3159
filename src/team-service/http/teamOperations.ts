import type { DescribedService } from '../../local-service/http/openApi';
import { OPERATIONS } from '../../local-service/http/operations';

/**
 * The operations of a team's service. An API process has no clone of a repository, so it can neither read nor merge
 * what a job changed: the pull request is there for that.
 */
const IDS = ['createJob', 'retrieveJob', 'sendMessage', 'listJobs', 'followJob', 'cancelJob', 'archiveJob'];

export const TEAM_SERVICE: DescribedService = {
  title: 'Agent job service of a team',
  description: 'Version 2 of the agent job API, with the additions of this service.',
  operations: OPERATIONS.filter(({ id }) => IDS.includes(id)),
};
