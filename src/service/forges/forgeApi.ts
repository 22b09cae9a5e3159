import * as z from 'zod/mini';
import { failureOf } from './forgeFailure';
import type { ForgeAnswer, ForgeHttp } from './forgeHttp';
import type { HostToken } from './tokenStore';
import { plainWords } from './plainWords';

/** One repository's API on one code host, as one user. */
export interface ForgeApi {
  http: ForgeHttp;
  /** For the user: `github.com`. */
  host: string;
  /** Before the paths of the API, without a slash at its end; every request goes to its origin. */
  url: string;
  /** Owner and name; on GitLab with each group. */
  repository: string;
  /** For the links of the web pages. */
  webUrl: string;
  credential: HostToken;
  signal: AbortSignal;
}

/** The pull request that is wanted. */
export interface Wish {
  branch: string;
  /** Owner and name of the repository that holds the branch, where it is another one: a fork. Known to GitHub alone. */
  fork?: string | undefined;
  /** Into which branch; null for the default branch. */
  base: string | null;
  title: string;
  body: string;
}

type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for libraries that want one. An answer of 300 and more is thrown as a ForgeFailure in words, whatever the
 * library would make of it.
 */
export function apiFetch(api: ForgeApi): FetchLike {
  return async (input, init = {}) => {
    const url = typeof input === 'string' ? input : 'url' in input ? input.url : input.href;
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const answer = await apiSend(api, {
      method: (init.method ?? 'GET').toUpperCase(),
      url,
      headers,
      body: typeof init.body === 'string' ? init.body : undefined,
    });
    return new Response(answer.status === 204 ? null : answer.body, {
      status: answer.status,
      headers: { 'content-type': answer.headers['content-type'] ?? 'application/json' },
    });
  };
}

/** Sends one request. Throws ForgeFailure. */
export async function apiSend(
  api: ForgeApi,
  request: { method: string; url: string; headers: Record<string, string>; body?: string | undefined },
): Promise<ForgeAnswer> {
  if (new URL(request.url).origin !== new URL(api.url).origin) {
    throw new Error('a request to another host than the token is for');
  }
  const headers = { accept: 'application/json', ...request.headers, 'user-agent': 'docs-agent-jobs' };
  const answer = await api.http.send({ ...request, headers, signal: api.signal });
  if (answer.status >= 300) {
    throw failureOf(
      api.host,
      api.repository,
      answer.status,
      answer.headers,
      wordsIn(answer.body, api.credential.token),
    );
  }
  return answer;
}

/** What the host says in the fields that hosts use for it. */
function wordsIn(body: string, secret: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return '';
  }
  return plainWords([...new Set(texts(value, 0))].join('; '), [secret]);
}

const WORDED = ['message', 'error', 'error_description', 'errors', 'detail', 'fields'];

function texts(value: unknown, depth: number): string[] {
  if (typeof value === 'string') {
    return [value];
  }
  if (typeof value !== 'object' || value === null || depth > 3) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.slice(0, 5).flatMap((each) => texts(each, depth + 1));
  }
  return Object.entries(value).flatMap(([name, each]) => (WORDED.includes(name) ? texts(each, depth + 1) : []));
}

/** A link from an answer, if it is one that may be shown and opened; else one that was made from the number. */
export function safeLink(link: unknown, otherwise: string): string {
  if (typeof link !== 'string' || link.length > 2000 || !URL.canParse(link)) {
    return otherwise;
  }
  const url = new URL(link);
  const isPlain = (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
  return isPlain ? url.href : otherwise;
}

/** A name in an answer: of a branch, a repository, a person or a state. None that a host gives is longer. */
export const nameSchema = z.string().check(z.maxLength(1_000));

/** A pull request as GitHub tells it, and Gitea, whose API is made after it. */
export const pullSchema = z.object({ number: z.number(), html_url: z.string() });
/** A list of them. */
export const pullsSchema = z.array(
  z.object({
    ...pullSchema.shape,
    state: nameSchema,
    head: z.object({ ref: nameSchema, repo: z.nullish(z.object({ full_name: nameSchema })) }),
  }),
);
