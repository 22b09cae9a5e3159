import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';
import { findOrOpen, type Forge, type ForgeApi, type PullRequestSpec } from '../../src/local-service/forges/forge';
import { FORGES } from '../../src/local-service/forges/forges';
import type { PullRequestState } from '../../src/protocol/surroundings';
import { type ScriptedAnswer, ScriptedServer, type SeenRequest } from './scriptedServer';

/** A route of a Git host's API, as documented. */
interface Route {
  method: string;
  /** With the groups that the answer needs. */
  path: RegExp;
  /** The documented names of query parameters. */
  query?: readonly string[];
  /** Schema of the body, with every field that is sent. */
  body?: z.ZodMiniType;
  answer: (forge: CaptureForge, groups: readonly string[], body: unknown, query: URLSearchParams) => ScriptedAnswer;
}

/** A pull request, with the fields that all Git hosts have in common. */
export interface CapturedPull {
  number: number;
  branch: string;
  base: string;
  title: string;
  body: string;
  state: PullRequestState;
}

export interface CaptureStyle {
  routes: readonly Route[];
  /** Returns whether the request carries the token as documented. */
  isAuthorized: (authorization: string | undefined) => boolean;
}

/** A Git host that checks each request against its documentation, and stores pull requests. */
export class CaptureForge {
  readonly pulls: CapturedPull[] = [];
  readonly branches = new Set(['main']);
  /** Requests that do not match the documentation. */
  readonly faults: string[] = [];

  private constructor(
    readonly server: ScriptedServer,
    private readonly style: CaptureStyle,
  ) {
    server.choose = (seen) => this.answer(seen);
  }

  static async start(style: CaptureStyle): Promise<CaptureForge> {
    return new CaptureForge(await ScriptedServer.start(), style);
  }

  add(pull: Omit<CapturedPull, 'number' | 'state'>): CapturedPull | undefined {
    if (
      this.pulls.some(({ branch, base, state }) => state === 'open' && branch === pull.branch && base === pull.base)
    ) {
      return undefined;
    }
    const added = { ...pull, number: this.pulls.length + 1, state: 'open' as const };
    this.pulls.push(added);
    return added;
  }

  private answer(seen: SeenRequest): ScriptedAnswer {
    const { pathname, searchParams } = new URL(seen.path, 'http://x');
    for (const route of this.style.routes) {
      const match = seen.method === route.method ? route.path.exec(pathname) : null;
      if (match === null) {
        continue;
      }
      if (!this.style.isAuthorized(seen.headers.authorization)) {
        return { status: 401, body: { message: '401 Unauthorized' } };
      }
      const unknown = [...searchParams.keys()].filter((name) => route.query?.includes(name) !== true);
      this.note(unknown.length > 0, `${seen.method} ${pathname}: query ${unknown.join(', ')}`);
      const body: unknown = seen.body === '' ? undefined : JSON.parse(seen.body);
      const problem = route.body && z.safeParse(route.body, body).error;
      this.note(problem !== undefined, `${seen.method} ${pathname}: body ${String(problem?.message)}`);
      this.note(body !== undefined && seen.headers['content-type']?.startsWith('application/json') !== true, 'no JSON');
      return route.answer(this, match.slice(1).map(decodeURIComponent), body, searchParams);
    }
    this.note(true, `${seen.method} ${pathname} is not documented`);
    return { status: 404, body: { message: '404 Not Found' } };
  }

  private note(isFault: boolean, what: string): void {
    if (isFault) {
      this.faults.push(what);
    }
  }
}

const refused = (status: number, message: string): ScriptedAnswer => ({ status, body: { message } });

/** Shows one pull request. */
function showPull(
  pulls: readonly CapturedPull[],
  number: string | undefined,
  show: (pull: CapturedPull) => object,
): ScriptedAnswer {
  const pull = pulls.find((each) => each.number === Number(number));
  return pull === undefined ? refused(404, 'Not Found') : { body: show(pull) };
}

/** Changes the description of a pull request. */
function describe(
  pulls: readonly CapturedPull[],
  number: string | undefined,
  { description, body = description }: Record<string, string>,
  show: (pull: CapturedPull) => object,
): ScriptedAnswer {
  const pull = pulls.find((each) => each.number === Number(number));
  if (pull === undefined || body === undefined) {
    return refused(404, 'Not Found');
  }
  pull.body = body;
  return { body: show(pull) };
}

const gitLabRequest = (pull: CapturedPull) => ({
  ...{
    id: 100 + pull.number,
    iid: pull.number,
    state: pull.state === 'open' ? 'opened' : pull.state,
    title: pull.title,
  },
  ...{ source_branch: pull.branch, target_branch: pull.base, source_project_id: 42, target_project_id: 42 },
  description: pull.body,
  web_url: `https://gitlab.example.org/robin/sub/lighthouse/-/merge_requests/${pull.number}`,
});

/** https://docs.gitlab.com/api/projects/, https://docs.gitlab.com/api/merge_requests/, https://docs.gitlab.com/api/branches/ */
export const gitLab: CaptureStyle = {
  isAuthorized: (authorization) => authorization === 'Bearer captured-token',
  routes: [
    {
      method: 'GET',
      path: /^\/api\/v4\/projects\/(robin%2Fsub%2Flighthouse)$/,
      answer: () => ({ body: { id: 42, default_branch: 'main', path_with_namespace: 'robin/sub/lighthouse' } }),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/projects\/42\/merge_requests$/,
      query: ['state', 'source_branch', 'target_branch', 'per_page', 'page'],
      answer: ({ pulls }, _groups, _body, query) => ({
        body: pulls
          .filter(
            (pull) =>
              pull.branch === query.get('source_branch') && (query.get('state') !== 'opened' || pull.state === 'open'),
          )
          .map(gitLabRequest),
      }),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/projects\/42\/repository\/branches\/([^/]+)$/,
      answer: ({ branches }, [name = '']) =>
        branches.has(name) ? { body: { name } } : refused(404, '404 Branch Not Found'),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/projects\/robin%2Fsub%2Flighthouse\/merge_requests\/(\d+)$/,
      answer: ({ pulls }, [iid]) => showPull(pulls, iid, gitLabRequest),
    },
    {
      method: 'PUT',
      path: /^\/api\/v4\/projects\/42\/merge_requests\/(\d+)$/,
      body: z.strictObject({ description: z.string().check(z.maxLength(1_048_576)) }),
      answer: ({ pulls }, [iid], body) => describe(pulls, iid, body as Record<string, string>, gitLabRequest),
    },
    {
      method: 'POST',
      path: /^\/api\/v4\/projects\/42\/merge_requests$/,
      body: z.strictObject({
        ...{ source_branch: z.string(), target_branch: z.string(), title: z.string().check(z.maxLength(255)) },
        description: z.string().check(z.maxLength(1_048_576)),
      }),
      answer: (forge, _groups, body) => {
        const { source_branch: branch, target_branch: base, title, description } = body as Record<string, string>;
        const pull = forge.add({ branch: branch!, base: base!, title: title!, body: description! });
        return pull
          ? { status: 201, body: gitLabRequest(pull) }
          : {
              status: 409,
              body: { message: ['Another open merge request already exists for this source branch: !1'] },
            };
      },
    },
  ],
};

const giteaPull = (pull: CapturedPull) => ({
  ...{
    id: 100 + pull.number,
    number: pull.number,
    state: pull.state === 'open' ? 'open' : 'closed',
    title: pull.title,
  },
  merged: pull.state === 'merged',
  head: { ref: pull.branch, label: pull.branch, repo: { full_name: 'robin/lighthouse' } },
  base: { ref: pull.base },
  body: pull.body,
  html_url: `https://gitea.example.org/robin/lighthouse/pulls/${pull.number}`,
});

/** https://docs.gitea.com/api/ (swagger.v1.json of 1.23), the same in Forgejo */
export const gitea: CaptureStyle = {
  isAuthorized: (authorization) => /^(Bearer|token) captured-token$/.test(authorization ?? ''),
  routes: [
    {
      method: 'GET',
      path: /^\/api\/v1\/repos\/robin\/lighthouse$/,
      answer: () => ({ body: { id: 42, default_branch: 'main', full_name: 'robin/lighthouse' } }),
    },
    {
      method: 'GET',
      path: /^\/api\/v1\/repos\/robin\/lighthouse\/pulls$/,
      query: ['base_branch', 'state', 'sort', 'milestone', 'labels', 'poster', 'page', 'limit'],
      answer: ({ pulls }, _groups, _body, query) => {
        const [page, limit] = [Number(query.get('page') ?? 1), Math.min(50, Number(query.get('limit') ?? 30))];
        const found = pulls.filter((pull) => query.get('state') !== 'open' || pull.state === 'open');
        return { body: found.slice((page - 1) * limit, page * limit).map(giteaPull) };
      },
    },
    {
      method: 'GET',
      path: /^\/api\/v1\/repos\/robin\/lighthouse\/branches\/(.+)$/,
      answer: ({ branches }, [name = '']) =>
        branches.has(name) ? { body: { name } } : refused(404, 'The target couldn’t be found.'),
    },
    {
      method: 'GET',
      path: /^\/api\/v1\/repos\/robin\/lighthouse\/pulls\/(\d+)$/,
      answer: ({ pulls }, [number]) => showPull(pulls, number, giteaPull),
    },
    {
      method: 'PATCH',
      path: /^\/api\/v1\/repos\/robin\/lighthouse\/pulls\/(\d+)$/,
      body: z.strictObject({ body: z.string() }),
      answer: ({ pulls }, [number], body) => describe(pulls, number, body as Record<string, string>, giteaPull),
    },
    {
      method: 'POST',
      path: /^\/api\/v1\/repos\/robin\/lighthouse\/pulls$/,
      body: z.strictObject({ head: z.string(), base: z.string(), title: z.string(), body: z.string() }),
      answer: (forge, _groups, sent) => {
        const { head, base, title, body } = sent as Record<string, string>;
        const pull = forge.add({ branch: head!, base: base!, title: title!, body: body! });
        return pull
          ? { status: 201, body: giteaPull(pull) }
          : refused(409, 'pull request already exists for these targets [id: 1, issue_id: 1, head_repo_id: 42]');
      },
    },
  ],
};

const BITBUCKET_STATES = { open: 'OPEN', merged: 'MERGED', closed: 'DECLINED' };

const bitbucketPull = (pull: CapturedPull) => ({
  ...{ type: 'pullrequest', id: pull.number, state: BITBUCKET_STATES[pull.state], title: pull.title },
  source: { branch: { name: pull.branch } },
  destination: { branch: { name: pull.base } },
  description: pull.body,
  links: { html: { href: `https://bitbucket.org/robin/lighthouse/pull-requests/${pull.number}` } },
});

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/ */
export const bitbucket: CaptureStyle = {
  isAuthorized: (authorization) =>
    authorization === 'Bearer captured-token' ||
    authorization === `Basic ${Buffer.from('robin@example.org:captured-token').toString('base64')}`,
  routes: [
    {
      method: 'GET',
      path: /^\/2\.0\/repositories\/robin\/lighthouse$/,
      answer: () => ({ body: { type: 'repository', mainbranch: { type: 'branch', name: 'main' } } }),
    },
    {
      method: 'GET',
      path: /^\/2\.0\/repositories\/robin\/lighthouse\/pullrequests$/,
      query: ['state', 'q', 'sort', 'page', 'pagelen'],
      answer: ({ pulls }, _groups, _body, query) => {
        const wanted = /^source\.branch\.name = "([^"]+)" AND state = "OPEN"$/.exec(query.get('q') ?? '')?.[1];
        return {
          body: {
            pagelen: 10,
            values: pulls.filter((each) => each.state === 'open' && each.branch === wanted).map(bitbucketPull),
          },
        };
      },
    },
    {
      method: 'GET',
      path: /^\/2\.0\/repositories\/robin\/lighthouse\/pullrequests\/(\d+)$/,
      answer: ({ pulls }, [id]) => showPull(pulls, id, bitbucketPull),
    },
    {
      method: 'GET',
      path: /^\/2\.0\/repositories\/robin\/lighthouse\/refs\/branches\/(.+)$/,
      answer: ({ branches }, [name = '']) =>
        branches.has(name)
          ? { body: { type: 'branch', name } }
          : { status: 404, body: { type: 'error', error: { message: 'No such branch' } } },
    },
    {
      method: 'POST',
      path: /^\/2\.0\/repositories\/robin\/lighthouse\/pullrequests$/,
      body: z.strictObject({
        ...{ title: z.string(), description: z.string() },
        source: z.strictObject({ branch: z.strictObject({ name: z.string() }) }),
        destination: z.strictObject({ branch: z.strictObject({ name: z.string() }) }),
      }),
      answer: (forge, _groups, sent) => {
        const body = sent as Record<'source' | 'destination', { branch: { name: string } }> & Record<string, string>;
        const { title = '', description = '' } = body;
        const [branch, base] = [body.source.branch.name, body.destination.branch.name];
        const pull = forge.add({ branch, base, title, body: description });
        return pull
          ? { status: 201, body: bitbucketPull(pull) }
          : { status: 400, body: { type: 'error', error: { message: 'There is already a pull request.' } } };
      },
    },
  ],
};

export function forgeOf(kind: Forge['kind']): Forge {
  const forge = FORGES.find((each) => each.kind === kind);
  if (forge === undefined) {
    throw new Error(`there is no forge ${kind}`);
  }
  return forge;
}

/** @param warned collects what is logged */
export function openPullRequest(
  kind: Forge['kind'],
  api: Omit<ForgeApi, 'log'>,
  spec: PullRequestSpec,
  warned: string[] = [],
): Promise<string> {
  const warn = (text: string): void => void warned.push(text);
  return findOrOpen(forgeOf(kind), { ...api, log: { info: warn, warn, error: warn } }, spec);
}

export function stateOfPull(
  kind: Forge['kind'],
  api: Omit<ForgeApi, 'log'>,
  number: string,
): Promise<PullRequestState> {
  const say = (): void => undefined;
  return forgeOf(kind).stateOf({ ...api, log: { info: say, warn: say, error: say } }, number);
}

/** A pull request as it was opened. */
export interface OpenedPull {
  repository: string;
  head: string;
}

/**
 * The part of Gitea's API that opens pull requests, on a loopback port. It accepts a second request for the same
 * branch, unlike the real one, so that tests detect duplicate pull requests.
 */
export class LenientGitea {
  readonly pulls: OpenedPull[] = [];
  private readonly server = createServer((incoming, response) => void this.answer(incoming, response));

  /** @param webOrigin the origin of its web pages */
  constructor(private readonly webOrigin: string) {}

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', this.webOrigin);
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const [, repository = '', rest = ''] = /^\/api\/v1\/repos\/([^/]+\/[^/]+)(.*)$/.exec(url.pathname) ?? [];
    if (url.pathname === '/api/v1/version') {
      send(200, { version: '1.22.0' });
    } else if (repository !== '' && rest === '') {
      send(200, { default_branch: 'main' });
    } else if (rest === '/pulls' && incoming.method === 'GET') {
      const all = this.pulls.map((pull, index) => this.describe(pull, index));
      const own = all.filter((_, index) => this.pulls[index]?.repository === repository);
      const [page, limit] = [Number(url.searchParams.get('page') ?? 1), Number(url.searchParams.get('limit') ?? 50)];
      send(200, own.toReversed().slice((page - 1) * limit, page * limit));
    } else if (rest === '/pulls' && incoming.method === 'POST') {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) {
        text += String(chunk);
      }
      const { head } = JSON.parse(text) as { head: string };
      const count = this.pulls.push({ repository, head });
      send(201, this.describe({ repository, head }, count - 1));
    } else {
      send(404, {});
    }
  }

  private describe({ repository, head }: OpenedPull, index: number) {
    const link = `${this.webOrigin}/${repository}/pulls/${index + 1}`;
    return { number: index + 1, html_url: link, state: 'open', head: { ref: head, repo: { full_name: repository } } };
  }
}
