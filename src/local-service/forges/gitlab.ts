import * as z from 'zod/mini';
import { PushFailure } from '../git/pushBranch';
import { descriptionSchema, type Forge, nameSchema, safeLink, senderWith, type ForgeAnswer } from './forge';

const projectSchema = z.object({ id: z.number(), default_branch: z.nullish(nameSchema) });
const requestSchema = z.object({ iid: z.number(), web_url: z.string() });
const requestsSchema = z.array(
  z.object({
    ...requestSchema.shape,
    description: descriptionSchema,
    state: nameSchema,
    source_branch: nameSchema,
    source_project_id: z.optional(z.number()),
  }),
);

const stateSchema = z.object({ state: nameSchema });

/** Personal, project and OAuth tokens are all accepted as bearer tokens (RFC 6750). */
const sender = senderWith('Bearer', '/api/v4/projects');

/** GitLab. https://docs.gitlab.com/api/merge_requests/ */
export const gitlab: Forge = {
  kind: 'gitlab',
  probe: { path: '/api/v4/version', isOwn: isGitLab },
  apiUrl: (origin) => origin,
  login: 'oauth2',
  pullPath: '/-/merge_requests/',
  comparePage: ({ webUrl, branch, base }) => {
    const target = base === null ? '' : `&merge_request%5Btarget_branch%5D=${encodeURIComponent(base)}`;
    return `${webUrl}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}${target}`;
  },
  stateOf: async (api, number) => {
    const found = await sender(api)('GET', `/${encodeURIComponent(api.repository)}/merge_requests/${number}`);
    const { state } = z.parse(stateSchema, found);
    // It is `locked` while it is being merged.
    return state === 'merged' || state === 'closed' ? state : 'open';
  },
  pulls: async (api, { branch, title, body }) => {
    const send = sender(api);
    const project = z.parse(projectSchema, await send('GET', `/${encodeURIComponent(api.repository)}`));
    const linkOf = (found: unknown): string => {
      const { iid, web_url: link } = z.parse(requestSchema, found);
      return safeLink(link, `${api.webUrl}/-/merge_requests/${iid}`);
    };
    return {
      find: async () => {
        const filter = new URLSearchParams({ state: 'opened', source_branch: branch, per_page: '20' });
        const open = z
          .parse(requestsSchema, await send('GET', `/${project.id}/merge_requests?${filter.toString()}`))
          .find(
            (each) =>
              each.state === 'opened' &&
              each.source_branch === branch &&
              (each.source_project_id ?? project.id) === project.id,
          );
        const setDescription = (iid: number) => (description: string) =>
          send('PUT', `/${project.id}/merge_requests/${iid}`, { description });
        return open && { link: linkOf(open), description: open.description, setDescription: setDescription(open.iid) };
      },
      defaultBranch: () => project.default_branch ?? undefined,
      hasBranch: (name) => send('GET', `/${project.id}/repository/branches/${encodeURIComponent(name)}`),
      create: async (target) => {
        const content = { source_branch: branch, target_branch: target, title, description: body };
        return linkOf(await send('POST', `/${project.id}/merge_requests`, content));
      },
    };
  },
  /**
   * GitLab opens the merge request itself if the push options ask for it. A push that changes nothing prints no link, so
   * after an interrupted push the merge request is found by its reference.
   * https://docs.gitlab.com/topics/git/commit/#push-options
   */
  openByPush: async (push) => {
    const { remote, credential } = push;
    if (credential?.source === 'given') {
      return undefined;
    }
    const target = remote.base === null ? [] : [`merge_request.target=${remote.base}`];
    // On an open merge request, these would overwrite what someone has changed there.
    const details = push.hasPullRequest ? [] : [...target, `merge_request.title=${push.title}`];
    const options = ['merge_request.create', ...details];
    const printed = await push.push({ options }).catch((error: unknown) => {
      if (error instanceof PushFailure && error.problem === 'noOptions') {
        return push.push();
      }
      throw error;
    });
    // A credential from a helper may be valid for pushes only, so the API is tried last.
    return { link: push.printedLink(printed) ?? (await push.linkByReference('refs/merge-requests/')) };
  },
};

/** Its version is shown only to users who are signed in, so it responds 401 in its own form. */
function isGitLab({ status, headers, body }: ForgeAnswer): boolean {
  if (status === 401 && 'x-gitlab-meta' in headers) {
    return true;
  }
  try {
    const { message, revision } = JSON.parse(body) as Record<string, unknown>;
    return (status === 401 && message === '401 Unauthorized') || (status === 200 && typeof revision === 'string');
  } catch {
    return false;
  }
}
