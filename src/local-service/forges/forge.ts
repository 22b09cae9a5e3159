import * as z from 'zod/mini';
import { hasManyParts } from '../../base/json';
import { maxLength } from '../../base/lengthChecks';
import type { Logger } from '../../base/logger';
import type { ForgeKind } from '../../protocol/forgeKinds';
import type { BranchPush } from './forgePublisher';
import { withCheck } from './pullRequestText';
import type { HostToken } from './credentials';
import { toForgeFailure, ForgeFailure } from './forgeErrors';
import type { ForgeAnswer, ForgeHttp } from './forgeHttp';
import { sanitize } from '../text';

/** A kind of Git host. To add one, describe it in `FORGE_KINDS`, write a file for it here, and list that in `forges.ts`. */
export interface Forge {
  kind: ForgeKind;
  /**
   * A path that responds without credentials, and how to recognize the response; none for a service with one address.
   */
  probe?: { path: string; isOwn: (answer: ForgeAnswer) => boolean };
  /** The base URL of a host's API, without a trailing slash. */
  apiUrl: (origin: string) => string;
  /** The user name that git sends with a token as the password. */
  login: string;
  /** The path between a repository's URL and the number of a pull request. */
  pullPath: string;
  /** Whether `open` supports work from a fork. */
  opensFromForks?: true;
  /** Whether `comparePage` can compare with a fork. */
  comparesForks?: true;
  /** The page where the user opens the pull request of a branch themselves. */
  comparePage: (at: ComparedBranch) => string;
  /** Opens the pull request of a branch, or finds the open one. Returns its link. Throws ForgeFailure. */
  open: (api: ForgeApi, spec: PullRequestSpec) => Promise<string>;
  /**
   * Pushes in such a way that the host opens the pull request itself. Returns its link, if that is known. Undefined if the
   * branch must be pushed as usual.
   */
  openByPush?: (push: BranchPush) => Promise<{ link: string | undefined } | undefined>;
}

export interface ComparedBranch {
  webUrl: string;
  branch: string;
  /** The target branch; null for the default branch. */
  base: string | null;
  /** The owner of the fork that holds the branch, if `webUrl` is that of another repository. */
  forkOwner: string | undefined;
}

/** One repository's API on one Git host, as one user. */
export interface ForgeApi {
  http: ForgeHttp;
  /** Shown to the user: `github.com`. */
  host: string;
  /** The base URL from `apiUrl`. Every request is sent to its origin. */
  url: string;
  /** Owner and name; on GitLab with all groups. */
  repository: string;
  /** The repository's page. */
  webUrl: string;
  credential: HostToken;
  log: Logger;
  signal: AbortSignal;
}

/** The pull request to open. */
export interface PullRequestSpec {
  branch: string;
  /** Owner and name of the repository that holds the branch, if it is a different one. */
  fork?: string | undefined;
  /** The target branch; null for the default branch. */
  base: string | null;
  title: string;
  body: string;
  /** What the check of the added lines has found; undefined if the description doesn't have it. */
  check?: string | undefined;
}

/** The open pull request of a branch. */
export interface OpenPullRequest {
  link: string;
  description?: string | null | undefined;
  /** Missing where the API can't change the description alone. */
  setDescription?: (description: string) => Promise<unknown>;
}

export type ForgeMethod = 'GET' | 'POST' | 'PATCH' | 'PUT';

/**
 * Sends one request and returns the JSON of its response. Throws ForgeFailure.
 *
 * @param path relative to the base URL of the API
 */
export async function request(
  api: ForgeApi,
  authorization: string,
  method: ForgeMethod,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const url = `${api.url}${path}`;
  if (new URL(url).origin !== new URL(api.url).origin) {
    throw new Error('a request to a host that the token isn’t for');
  }
  const headers = {
    accept: 'application/json',
    'user-agent': 'docs-agent-jobs',
    authorization,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await api.http.send({ method, url, headers, body: text, signal: api.signal });
  if (answer.status >= 300) {
    const said = messagesIn(answer.body, api.credential.token);
    throw toForgeFailure(api.host, api.repository, answer.status, answer.headers, said);
  }
  return parseAnswer(answer.body);
}

/** Answers have a few thousand brackets and commas, without those in texts. */
const MAX_PARTS = 30_000;

/** Throws for an answer that would take long to parse, as it does for one that isn't JSON. */
export function parseAnswer(body: string): unknown {
  if (hasManyParts(body, MAX_PARTS)) {
    throw new Error('the answer has too many parts');
  }
  return JSON.parse(body);
}

/**
 * Finds the open pull request of a branch and brings the check in its description up to date, or opens one. If opening
 * fails, looks again before giving up: someone else may have opened one, or the response was lost.
 *
 * @param requests `create` returns a link; `hasBranch` throws ForgeFailure 404 for a missing branch
 */
export async function findOrOpen(
  { log }: Pick<ForgeApi, 'log'>,
  { base: wanted, check }: Pick<PullRequestSpec, 'base' | 'check'>,
  requests: {
    find: () => Promise<OpenPullRequest | undefined>;
    defaultBranch: () => string | undefined | Promise<string | undefined>;
    hasBranch: (name: string) => Promise<unknown>;
    create: (base: string) => Promise<string>;
  },
): Promise<string> {
  const open = await requests.find();
  if (open !== undefined) {
    await updateCheck(open, check).catch((error: unknown) => {
      log.warn(`couldn’t update the check in the description of ${open.link}`, error);
    });
    return open.link;
  }
  const usual = (await requests.defaultBranch()) ?? wanted ?? 'main';
  let base = wanted ?? usual;
  if (base !== usual) {
    await requests.hasBranch(base).catch((error: unknown) => {
      if (!(error instanceof ForgeFailure) || error.status !== 404) {
        throw error;
      }
      base = usual;
    });
  }
  try {
    return await requests.create(base);
  } catch (error) {
    const found = await requests.find().catch(() => undefined);
    if (found === undefined) {
      throw error;
    }
    return found.link;
  }
}

async function updateCheck(open: OpenPullRequest, check: string | undefined): Promise<void> {
  const description = check === undefined ? undefined : withCheck(open.description ?? '', check);
  if (description !== undefined) {
    await open.setDescription?.(description);
  }
}

/** Returns a link from a response if it is safe to show and open, otherwise the other one. */
export function safeLink(link: unknown, otherwise: string): string {
  if (typeof link !== 'string' || link.length > 2000 || !URL.canParse(link)) {
    return otherwise;
  }
  const url = new URL(link);
  const isPlain = (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
  return isPlain ? url.href : otherwise;
}

/** A path with each part encoded and the slashes kept. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** A name in a response: of a branch, a repository, a person or a state. No real one is longer. */
export const nameSchema = z.string().check(maxLength(1_000));

/** The description of a pull request. The size of a response is limited. */
export const descriptionSchema = z.nullish(z.string());

/** A pull request as GitHub describes it, and Gitea, whose API is modeled on it. */
export const pullSchema = z.object({ number: z.number(), html_url: z.string() });
export const pullsSchema = z.array(
  z.object({
    ...pullSchema.shape,
    body: descriptionSchema,
    state: nameSchema,
    head: z.object({ ref: nameSchema, repo: z.nullish(z.object({ full_name: nameSchema })) }),
  }),
);

const MESSAGE_FIELDS = ['message', 'error', 'error_description', 'errors', 'detail', 'fields'];

/** The host's message, from the fields that hosts use for messages. */
function messagesIn(body: string, secret: string): string {
  let value: unknown;
  try {
    value = parseAnswer(body);
  } catch {
    return '';
  }
  return sanitize([...new Set(texts(value, 0))].join('; '), [secret]);
}

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
  return Object.entries(value).flatMap(([name, each]) => (MESSAGE_FIELDS.includes(name) ? texts(each, depth + 1) : []));
}
