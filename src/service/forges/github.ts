import { Octokit } from '@octokit/core';
import * as z from 'zod/mini';
import { apiFetch, type ForgeApi, nameSchema, pullSchema, pullsSchema, safeLink, type Wish } from './forgeApi';
import { forgeFailure } from './forgeFailure';
import { openOnce } from './openOnce';

const repositorySchema = z.object({
  name: nameSchema,
  owner: z.object({ login: nameSchema }),
  default_branch: nameSchema,
});

/**
 * Opens a pull request on GitHub or GitHub Enterprise, or finds the open one of the branch. Throws ForgeFailure.
 * https://docs.github.com/en/rest/pulls/pulls
 */
export async function openOnGitHub(api: ForgeApi, wish: Wish): Promise<string> {
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const octokit = new Octokit({
    auth: api.credential.token,
    baseUrl: api.url,
    log: silent,
    request: { fetch: apiFetch(api), signal: api.signal },
  });
  const [asked = '', askedName = ''] = api.repository.split('/');
  const found = await octokit.request('GET /repos/{owner}/{repo}', { owner: asked, repo: askedName });
  // A repository that was renamed answers under its old name, but lists pull requests by the new one only.
  const repository = repositorySchema.parse(found.data);
  const at = { owner: repository.owner.login, repo: repository.name };
  const [forkOwner, forkName = ''] = wish.fork?.split('/') ?? [];
  const linkOf = (pull: unknown): string => {
    const { number, html_url: link } = z.parse(pullSchema, pull);
    return safeLink(link, `${api.webUrl}/pull/${number}`);
  };
  return openOnce({
    find: async () => {
      const head = `${forkOwner ?? at.owner}:${wish.branch}`;
      const answer = await octokit.request('GET /repos/{owner}/{repo}/pulls', { ...at, head, state: 'open' });
      const own = (wish.fork ?? `${at.owner}/${at.repo}`).toLowerCase();
      const open = pullsSchema
        .parse(answer.data)
        .find((pull) => pull.state === 'open' && pull.head.ref === wish.branch && isOf(own, pull.head.repo?.full_name));
      return open && linkOf(open);
    },
    base: async () => {
      if (wish.base === null || wish.base === repository.default_branch) {
        return repository.default_branch;
      }
      try {
        await octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', { ...at, branch: wish.base });
        return wish.base;
      } catch (error) {
        if (forgeFailure(error)?.status === 404) {
          return repository.default_branch;
        }
        throw error;
      }
    },
    create: async (base) => {
      const { title, body, branch } = wish;
      const head = forkOwner === undefined ? branch : `${forkOwner}:${branch}`;
      // Within one organization its name alone says which fork it is.
      const within = forkOwner?.toLowerCase() === at.owner.toLowerCase() ? { head_repo: forkName } : {};
      const request = { ...at, title, body, head, base, ...within };
      return linkOf((await octokit.request('POST /repos/{owner}/{repo}/pulls', request)).data);
    },
  });
}

function isOf(own: string, fullName: string | undefined): boolean {
  return fullName === undefined || fullName.toLowerCase() === own;
}

function nothing(): void {
  // The library's warnings are for its developers.
}
