import * as z from 'zod/mini';
import { PushFailure } from '../git/pushBranch';
import type { BranchPush } from './branchPush';
import {
  comparePage,
  encodePath,
  type Forge,
  nameSchema,
  pullSchema,
  pullsSchema,
  safeLink,
  senderWith,
  stateIn,
} from './forge';

const repositorySchema = z.object({ default_branch: nameSchema, full_name: z.optional(nameSchema) });
const versionSchema = z.object({ version: z.string() });

const sender = senderWith('token', '/api/v1/repos/');

/** Few, because their descriptions may be long. */
const PER_PAGE = 20;
/** The branch was just pushed, so its pull request is near the start. */
const MAX_PAGES = 25;

/** Gitea and Forgejo. https://docs.gitea.com/api/ and https://codeberg.org/api/swagger */
export const gitea: Forge = {
  kind: 'gitea',
  probe: {
    path: '/api/v1/version',
    isOwn: ({ status, body }) => {
      try {
        return status === 200 && z.safeParse(versionSchema, JSON.parse(body)).success;
      } catch {
        return false;
      }
    },
  },
  apiUrl: (origin) => origin,
  login: 'oauth2',
  pullPath: '/pulls/',
  pullRef: (number) => `refs/pull/${number}/head`,
  comparesForks: true,
  comparePage,
  stateOf: async (api, number) => stateIn(await sender(api)('GET', `${encodePath(api.repository)}/pulls/${number}`)),
  pulls: async (api, { branch, title, body }) => {
    const send = sender(api);
    const found = z.parse(repositorySchema, await send('GET', encodePath(api.repository)));
    // A remote may spell the name differently, or use a former one.
    const repository = found.full_name ?? api.repository;
    const at = encodePath(repository);
    const linkOf = (pull: unknown): string => {
      const { number, html_url: link } = z.parse(pullSchema, pull);
      return safeLink(link, `${api.webUrl}/pulls/${number}`);
    };
    const setDescription = (number: number) => (description: string) =>
      send('PATCH', `${at}/pulls/${number}`, { body: description });
    return {
      find: async () => {
        for (let page = 1; page <= MAX_PAGES; page++) {
          const query = `state=open&sort=recentupdate&page=${page}&limit=${PER_PAGE}`;
          const pulls = z.parse(pullsSchema, await send('GET', `${at}/pulls?${query}`));
          const open = pulls.find(
            ({ state, head }) =>
              state === 'open' &&
              head.ref === branch &&
              (head.repo?.full_name ?? repository).toLowerCase() === repository.toLowerCase(),
          );
          if (open !== undefined || pulls.length === 0) {
            return open && { link: linkOf(open), description: open.body, setDescription: setDescription(open.number) };
          }
        }
        return undefined;
      },
      defaultBranch: () => found.default_branch,
      hasBranch: (name) => send('GET', `${at}/branches/${encodePath(name)}`),
      create: async (base) => linkOf(await send('POST', `${at}/pulls`, { title, body, head: branch, base })),
    };
  },
  openByPush: async (push) => ((await shouldPushForReview(push)) ? pushForReview(push) : undefined),
};

/**
 * Whether to push the changes for review, without creating a branch: if there is no token or the job already has a pull
 * request here, and the branch does not exist there. So a follow-up adds to the pull request of an earlier turn that was
 * pushed in this way.
 */
async function shouldPushForReview(push: BranchPush): Promise<boolean> {
  const { branch } = push.branch;
  if (push.credential !== undefined && !push.hasPullRequest) {
    return false;
  }
  const ref = `refs/heads/${branch}`;
  return !(await push.references([ref])).has(ref);
}

/**
 * A push to `refs/for/<base>` opens a pull request. With the same topic, it adds commits to that pull request.
 * https://docs.gitea.com/usage/agit and https://forgejo.org/docs/latest/user/agit-support/
 */
async function pushForReview(push: BranchPush): Promise<{ link: string | undefined }> {
  const { branch, remote } = push;
  const known = await push.linkByReference('refs/pull/');
  if (known !== undefined) {
    return { link: known };
  }
  const base = remote.base ?? (await push.references(['HEAD'])).defaultBranch ?? 'main';
  const options = [`topic=${branch.branch}`, `title=${push.title}`];
  try {
    const printed = await push.push({ ref: `refs/for/${base}`, options });
    const link = push.printedLink(printed) ?? (await push.linkByReference('refs/pull/'));
    return { link: link ?? branch.prLink ?? `${push.webUrl}/pulls` };
  } catch (error) {
    const isRefused = error instanceof PushFailure && ['declined', 'noOptions', 'other'].includes(error.problem);
    if (!isRefused || push.hasPullRequest) {
      throw error;
    }
    // This is disabled there, or the base does not exist: push a branch, as for any other host.
    await push.push();
    return { link: undefined };
  }
}
