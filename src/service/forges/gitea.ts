import { giteaApi } from 'gitea-js';
import * as z from 'zod/mini';
import { apiFetch, type ForgeApi, nameSchema, pullSchema, pullsSchema, safeLink, type Wish } from './forgeApi';
import { forgeFailure } from './forgeFailure';
import { openOnce } from './openOnce';

const repositorySchema = z.object({ default_branch: nameSchema, full_name: z.optional(nameSchema) });

const PER_PAGE = 50;
/** The branch was pushed just now, so a request of it stands near the beginning. */
const MAX_PAGES = 10;

/**
 * Opens a pull request on Gitea or Forgejo, or finds the open one of the branch. Throws ForgeFailure.
 * https://docs.gitea.com/api/ and https://codeberg.org/api/swagger
 */
export async function openOnGitea(api: ForgeApi, wish: Wish): Promise<string> {
  const { repos } = giteaApi(api.url, {
    token: api.credential.token,
    customFetch: apiFetch(api),
  });
  const [asked = '', askedName = ''] = api.repository.split('/');
  const found = z.parse(repositorySchema, (await repos.repoGet(asked, askedName)).data);
  // A remote may spell the name in another way, or have one that the repository had before.
  const repository = found.full_name ?? api.repository;
  const [owner = '', name = ''] = repository.split('/');
  const linkOf = (pull: unknown): string => {
    const { number, html_url: link } = z.parse(pullSchema, pull);
    return safeLink(link, `${api.webUrl}/pulls/${number}`);
  };
  return openOnce({
    find: async () => {
      for (let page = 1; page <= MAX_PAGES; page++) {
        const query = { state: 'open', sort: 'recentupdate', page, limit: PER_PAGE } as const;
        const pulls = pullsSchema.parse((await repos.repoListPullRequests(owner, name, query)).data);
        const open = pulls.find(
          ({ state, head }) =>
            state === 'open' &&
            head.ref === wish.branch &&
            (head.repo?.full_name ?? repository).toLowerCase() === repository.toLowerCase(),
        );
        if (open !== undefined) {
          return linkOf(open);
        }
        if (pulls.length === 0) {
          return undefined;
        }
      }
      return undefined;
    },
    base: async () => {
      const usual = found.default_branch;
      if (wish.base === null || wish.base === usual) {
        return usual;
      }
      try {
        await repos.repoGetBranch(owner, name, wish.base);
        return wish.base;
      } catch (error) {
        if (forgeFailure(error)?.status === 404) {
          return usual;
        }
        throw error;
      }
    },
    create: async (base) => {
      const { title, body, branch: head } = wish;
      return linkOf((await repos.repoCreatePullRequest(owner, name, { title, body, head, base })).data);
    },
  });
}
