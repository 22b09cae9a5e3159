import * as z from 'zod/mini';
import { apiSend, type ForgeApi, nameSchema, safeLink, type Wish } from './forgeApi';
import { forgeFailure } from './forgeFailure';
import { openOnce } from './openOnce';

const repositorySchema = z.object({ mainbranch: z.nullish(z.object({ name: nameSchema })) });
const pullSchema = z.object({
  id: z.number(),
  links: z.object({ html: z.object({ href: z.string() }) }),
});
const pullsSchema = z.object({
  values: z.array(
    z.object({
      ...pullSchema.shape,
      state: nameSchema,
      source: z.object({ branch: z.object({ name: nameSchema }) }),
    }),
  ),
});

/**
 * Opens a pull request on Bitbucket Cloud, or finds the open one of the branch. Throws ForgeFailure.
 * https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/
 */
export async function openOnBitbucket(api: ForgeApi, wish: Wish): Promise<string> {
  const base = `${api.url}/repositories/${api.repository.split('/').map(encodeURIComponent).join('/')}`;
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = {
      authorization: authorization(api),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return JSON.parse((await apiSend(api, { method, url: `${base}${path}`, headers, body: text })).body);
  };
  const linkOf = (pull: unknown): string => {
    const { id, links } = z.parse(pullSchema, pull);
    return safeLink(links.html.href, `${api.webUrl}/pull-requests/${id}`);
  };
  return openOnce({
    find: async () => {
      const query = encodeURIComponent(`source.branch.name = "${wish.branch}" AND state = "OPEN"`);
      const { values } = z.parse(pullsSchema, await send('GET', `/pullrequests?q=${query}`));
      const open = values.find(({ state, source }) => state === 'OPEN' && source.branch.name === wish.branch);
      return open && linkOf(open);
    },
    base: async () => {
      const usual = z.parse(repositorySchema, await send('GET', '')).mainbranch?.name ?? wish.base ?? 'main';
      if (wish.base === null || wish.base === usual) {
        return usual;
      }
      try {
        await send('GET', `/refs/branches/${encodeURIComponent(wish.base)}`);
        return wish.base;
      } catch (error) {
        if (forgeFailure(error)?.status === 404) {
          return usual;
        }
        throw error;
      }
    },
    create: async (destination) =>
      linkOf(
        await send('POST', '/pullrequests', {
          title: wish.title,
          description: wish.body,
          source: { branch: { name: wish.branch } },
          destination: { branch: { name: destination } },
        }),
      ),
  });
}

/** An API token goes with its account, a token of a repository or workspace alone. */
function authorization({ credential: { token, username } }: ForgeApi): string {
  const isAlone = username === undefined || username === '' || username === 'x-token-auth';
  return isAlone ? `Bearer ${token}` : `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
}
