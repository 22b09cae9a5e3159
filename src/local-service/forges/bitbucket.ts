import * as z from 'zod/mini';
import { encodePath, type Forge, type ForgeApi, nameSchema, request, safeLink } from './forge';

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

const stateSchema = z.object({ state: nameSchema });

const sender = (api: ForgeApi) => {
  const { token, username = '' } = api.credential;
  // An API token is sent with its account, a token of a repository or workspace without one.
  const isAlone = username === '' || username === 'x-token-auth';
  const basic = Buffer.from(`${username}:${token}`).toString('base64');
  const authorization = isAlone ? `Bearer ${token}` : `Basic ${basic}`;
  return (method: 'GET' | 'POST', path: string, content?: unknown): Promise<unknown> =>
    request(api, authorization, method, `/repositories/${encodePath(api.repository)}${path}`, content);
};

/** Bitbucket Cloud. https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/ */
export const bitbucket: Forge = {
  kind: 'bitbucket',
  apiUrl: () => 'https://api.bitbucket.org/2.0',
  login: 'x-token-auth',
  pullPath: '/pull-requests/',
  comparePage: ({ webUrl, branch, base }) => {
    const target = base === null ? '' : `&dest=${encodeURIComponent(base)}`;
    return `${webUrl}/pull-requests/new?source=${encodeURIComponent(branch)}${target}`;
  },
  stateOf: async (api, number) => {
    const { state } = z.parse(stateSchema, await sender(api)('GET', `/pullrequests/${number}`));
    // Otherwise, it is `DECLINED` or `SUPERSEDED`.
    return state === 'MERGED' ? 'merged' : state === 'OPEN' ? 'open' : 'closed';
  },
  pulls: async (api, { branch, title, body }) => {
    const send = sender(api);
    const linkOf = (pull: unknown): string => {
      const { id, links } = z.parse(pullSchema, pull);
      return safeLink(links.html.href, `${api.webUrl}/pull-requests/${id}`);
    };
    return {
      find: async () => {
        const query = encodeURIComponent(`source.branch.name = "${branch}" AND state = "OPEN"`);
        const { values } = z.parse(pullsSchema, await send('GET', `/pullrequests?q=${query}`));
        const open = values.find(({ state, source }) => state === 'OPEN' && source.branch.name === branch);
        // Its description stays as it was: an update that sends nothing else removes the reviewers.
        return open && { link: linkOf(open) };
      },
      defaultBranch: async () => z.parse(repositorySchema, await send('GET', '')).mainbranch?.name,
      hasBranch: (name) => send('GET', `/refs/branches/${encodeURIComponent(name)}`),
      create: async (target) =>
        linkOf(
          await send('POST', '/pullrequests', {
            title,
            description: body,
            source: { branch: { name: branch } },
            destination: { branch: { name: target } },
          }),
        ),
    };
  },
};
