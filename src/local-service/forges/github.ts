import * as z from 'zod/mini';
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

const repositorySchema = z.object({
  name: nameSchema,
  owner: z.object({ login: nameSchema }),
  default_branch: nameSchema,
});

const sender = senderWith('Bearer');

/** GitHub and GitHub Enterprise. https://docs.github.com/en/rest/pulls/pulls */
export const github: Forge = {
  kind: 'github',
  probe: {
    path: '/api/v3',
    isOwn: ({ headers }) => headers['x-github-media-type'] !== undefined || 'x-github-enterprise-version' in headers,
  },
  apiUrl: (origin) => {
    const { host } = new URL(origin);
    return host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `${origin}/api/v3`;
  },
  login: 'x-access-token',
  pullPath: '/pull/',
  comparesForks: true,
  opensFromForks: true,
  comparePage: (at) => `${comparePage(at)}?expand=1`,
  stateOf: async (api, number) =>
    stateIn(await sender(api)('GET', `/repos/${encodePath(api.repository)}/pulls/${number}`)),
  pulls: async (api, { branch, fork, title, body }) => {
    const send = sender(api);
    // A renamed repository responds under its old name, but lists pull requests by the new one only.
    const found = z.parse(repositorySchema, await send('GET', `/repos/${encodePath(api.repository)}`));
    const owner = found.owner.login;
    const own = `${owner}/${found.name}`;
    const at = `/repos/${encodePath(own)}`;
    const [forkOwner, forkName = ''] = fork?.split('/') ?? [];
    const linkOf = (pull: unknown): string => {
      const { number, html_url: link } = z.parse(pullSchema, pull);
      return safeLink(link, `${api.webUrl}/pull/${number}`);
    };
    const setDescription = (number: number) => (description: string) =>
      send('PATCH', `${at}/pulls/${number}`, { body: description });
    return {
      find: async () => {
        const query = new URLSearchParams({ head: `${forkOwner ?? owner}:${branch}`, state: 'open' });
        const from = (fork ?? own).toLowerCase();
        const open = z
          .parse(pullsSchema, await send('GET', `${at}/pulls?${query.toString()}`))
          .find(
            ({ state, head }) =>
              state === 'open' && head.ref === branch && (head.repo?.full_name ?? from).toLowerCase() === from,
          );
        return open && { link: linkOf(open), description: open.body, setDescription: setDescription(open.number) };
      },
      defaultBranch: () => found.default_branch,
      hasBranch: (name) => send('GET', `${at}/branches/${encodeURIComponent(name)}`),
      create: async (base) => {
        const head = forkOwner === undefined ? branch : `${forkOwner}:${branch}`;
        // Within one organization, the owner does not identify the fork.
        const within = forkOwner?.toLowerCase() === owner.toLowerCase() ? { head_repo: forkName } : {};
        return linkOf(await send('POST', `${at}/pulls`, { title, body, head, base, ...within }));
      },
    };
  },
};
