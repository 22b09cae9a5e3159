import { Branches, MergeRequests, Projects } from '@gitbeaker/rest';
import * as z from 'zod/mini';
import { apiSend, type ForgeApi, safeLink, type Wish } from './forgeApi';
import { forgeFailure } from './forgeFailure';
import { openOnce } from './openOnce';

const projectSchema = z.object({ id: z.number(), default_branch: z.nullish(z.string()) });
const requestSchema = z.object({ iid: z.number(), web_url: z.string() });
const requestsSchema = z.array(
  z.object({
    ...requestSchema.shape,
    state: z.string(),
    source_branch: z.string(),
    source_project_id: z.optional(z.number()),
  }),
);

/**
 * Opens a merge request on GitLab, or finds the open one of the branch. Throws ForgeFailure.
 * https://docs.gitlab.com/api/merge_requests/
 */
export async function openOnGitLab(api: ForgeApi, wish: Wish): Promise<string> {
  const options = {
    host: new URL(api.url).origin,
    // Personal, project and OAuth tokens are all taken as bearers (RFC 6750).
    oauthToken: api.credential.token,
    requesterFn: requesterOf(api),
  };
  const project = z.parse(projectSchema, await new Projects(options).show(api.repository));
  const requests = new MergeRequests(options);
  const linkOf = (request: unknown): string => {
    const { iid, web_url: link } = z.parse(requestSchema, request);
    return safeLink(link, `${api.webUrl}/-/merge_requests/${iid}`);
  };
  return openOnce({
    find: async () => {
      const filter = {
        projectId: project.id,
        state: 'opened',
        sourceBranch: wish.branch,
        perPage: 20,
        maxPages: 1,
      } as const;
      const open = requestsSchema
        .parse(await requests.all(filter))
        .find(
          (each) =>
            each.state === 'opened' &&
            each.source_branch === wish.branch &&
            (each.source_project_id ?? project.id) === project.id,
        );
      return open && linkOf(open);
    },
    base: async () => {
      const usual = project.default_branch ?? wish.base ?? 'main';
      if (wish.base === null || wish.base === usual) {
        return usual;
      }
      try {
        await new Branches(options).show(project.id, wish.base);
        return wish.base;
      } catch (error) {
        if (forgeFailure(error)?.status === 404) {
          return usual;
        }
        throw error;
      }
    },
    create: async (base) =>
      linkOf(await requests.create(project.id, wish.branch, base, wish.title, { description: wish.body })),
  });
}

type Requester = NonNullable<NonNullable<ConstructorParameters<typeof Projects>[0]>['requesterFn']>;

interface Asked {
  searchParams?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/**
 * What sends for the library. Its own would repeat a POST up to ten times, follow redirects with the token and take
 * `fetch`.
 */
function requesterOf(api: ForgeApi): Requester {
  const requester = (service: { url: string; authHeaders: Record<string, () => Promise<string>> }) => {
    const send = async (method: string, endpoint: string, { searchParams = {}, body }: Asked = {}) => {
      const url = new URL(endpoint, `${service.url.replace(/\/+$/, '')}/`);
      for (const [name, value] of Object.entries(searchParams)) {
        if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
          url.searchParams.set(snakeCase(name), String(value));
        }
      }
      const authorization = (await service.authHeaders['authorization']?.()) ?? '';
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      const fields = body && Object.fromEntries(Object.entries(body).map(([name, value]) => [snakeCase(name), value]));
      const answer = await apiSend(api, { method, url: url.href, headers, body: fields && JSON.stringify(fields) });
      return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) as unknown };
    };
    const refuse = () => Promise.reject(new Error('not used'));
    return {
      get: (endpoint: string, asked?: Asked) => send('GET', endpoint, asked),
      post: (endpoint: string, asked?: Asked) => send('POST', endpoint, asked),
      ...{ put: refuse, patch: refuse, delete: refuse },
    };
  };
  // Its type promises that the body is what the caller says; here it is looked at afterwards.
  return requester as unknown as Requester;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
