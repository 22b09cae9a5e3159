import * as z from 'zod/mini';
import { apiSend, type ForgeApi, nameSchema, safeLink, type Wish } from './forgeApi';
import { forgeFailure } from './forgeFailure';
import { openOnce } from './openOnce';

const projectSchema = z.object({ id: z.number(), default_branch: z.nullish(nameSchema) });
const requestSchema = z.object({ iid: z.number(), web_url: z.string() });
const requestsSchema = z.array(
  z.object({
    ...requestSchema.shape,
    state: nameSchema,
    source_branch: nameSchema,
    source_project_id: z.optional(z.number()),
  }),
);

/**
 * Opens a merge request on GitLab, or finds the open one of the branch. Throws ForgeFailure.
 * https://docs.gitlab.com/api/merge_requests/
 */
export async function openOnGitLab(api: ForgeApi, wish: Wish): Promise<string> {
  const base = `${new URL(api.url).origin}/api/v4/projects`;
  // Personal, project and OAuth tokens are all taken as bearers (RFC 6750).
  const authorization = `Bearer ${api.credential.token}`;
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return JSON.parse((await apiSend(api, { method, url: `${base}${path}`, headers, body: text })).body);
  };
  const project = z.parse(projectSchema, await send('GET', `/${encodeURIComponent(api.repository)}`));
  const linkOf = (request: unknown): string => {
    const { iid, web_url: link } = z.parse(requestSchema, request);
    return safeLink(link, `${api.webUrl}/-/merge_requests/${iid}`);
  };
  return openOnce({
    find: async () => {
      const filter = new URLSearchParams({ state: 'opened', source_branch: wish.branch, per_page: '20' });
      const open = z
        .parse(requestsSchema, await send('GET', `/${project.id}/merge_requests?${filter.toString()}`))
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
        await send('GET', `/${project.id}/repository/branches/${encodeURIComponent(wish.base)}`);
        return wish.base;
      } catch (error) {
        if (forgeFailure(error)?.status === 404) {
          return usual;
        }
        throw error;
      }
    },
    create: async (target) =>
      linkOf(
        await send('POST', `/${project.id}/merge_requests`, {
          source_branch: wish.branch,
          target_branch: target,
          title: wish.title,
          description: wish.body,
        }),
      ),
  });
}
