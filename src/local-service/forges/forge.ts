import * as z from 'zod/mini';
import { maxLength } from '../../base/lengthChecks';
import type { Logger } from '../../base/logger';
import type { ForgeKind } from '../../protocol/forgeKinds';
import type { PullRequestState } from '../../protocol/surroundings';
import type { BranchPush } from './branchPush';
import { withCheck } from './pullRequestText';
import type { HostToken } from './credentials';
import { toForgeFailure, ForgeFailure } from './forgeErrors';
import { sanitize } from '../text';
import { systemClock } from '../../base/async';
import { FORGE_REQUEST_MS, MAX_FORGE_BODY_BYTES } from '../../base/limits';
import { isConfidential, type NetworkSettings } from '../../base/network';
import { isTransient, retry } from '../../base/retry';
import { type HttpAnswer, type HttpRequest, Transport } from '../../client/transport';
import { coded, type CodedText } from '../../protocol/codedText';
import { diagnoseNetworkError, type ServiceError } from '../../protocol/errors';

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
  /** The reference of a pull request whose commits may be in no branch. */
  pullRef?: (number: string) => string;
  /** Whether `open` supports work from a fork. */
  opensFromForks?: true;
  /** Whether `comparePage` can compare with a fork. */
  comparesForks?: true;
  /** The page where the user opens the pull request of a branch themselves. */
  comparePage: (at: ComparedBranch) => string;
  /** The requests about the pull request of a branch, which throw ForgeFailure. Throws it too. */
  pulls: (api: ForgeApi, spec: PullRequestSpec) => Promise<PullRequests>;
  /** Asks what has become of a pull request of the repository. Throws ForgeFailure. */
  stateOf: (api: ForgeApi, number: string) => Promise<PullRequestState>;
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

export interface PullRequests {
  find: () => Promise<OpenPullRequest | undefined>;
  defaultBranch: () => string | undefined | Promise<string | undefined>;
  /** Throws ForgeFailure 404 for a missing branch. */
  hasBranch: (name: string) => Promise<unknown>;
  /** Returns a link. */
  create: (base: string) => Promise<string>;
}

export type ForgeMethod = 'GET' | 'POST' | 'PATCH' | 'PUT';

/** Sends requests with the token below a path of the host's API. */
export const senderWith =
  (scheme: string, prefix = '') =>
  (api: ForgeApi) =>
  (method: ForgeMethod, path: string, content?: unknown): Promise<unknown> =>
    request(api, `${scheme} ${api.credential.token}`, method, prefix + path, content);

/** The page of GitHub, Gitea, and Forgejo for a new pull request. */
export function comparePage({ webUrl, branch, base, forkOwner }: ComparedBranch): string {
  const head = `${forkOwner === undefined ? '' : `${encodeURIComponent(forkOwner)}:`}${encodePath(branch)}`;
  return `${webUrl}/compare/${base === null ? '' : `${encodePath(base)}...`}${head}`;
}

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
  return JSON.parse(answer.body);
}

/**
 * Finds the open pull request of a branch and brings the check in its description up to date, or opens one. If opening
 * fails, looks again before giving up: someone else may have opened one, or the response was lost. Returns its link.
 * Throws ForgeFailure.
 */
export async function findOrOpen(forge: Pick<Forge, 'pulls'>, api: ForgeApi, spec: PullRequestSpec): Promise<string> {
  const requests = await forge.pulls(api, spec);
  const { base: wanted, check } = spec;
  const open = await requests.find();
  if (open !== undefined) {
    await updateCheck(open, check).catch((error: unknown) => {
      api.log.warn(`couldn’t update the check in the description of ${open.link}`, error);
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

/** The state of a pull request, as GitHub and Gitea describe it: each has one of the last two fields. */
const stateSchema = z.object({
  state: nameSchema,
  merged: z.optional(z.boolean()),
  merged_at: z.nullish(nameSchema),
});

export function stateIn(pull: unknown): PullRequestState {
  const { state, merged = false, merged_at: mergedAt } = z.parse(stateSchema, pull);
  return merged || (mergedAt ?? '') !== '' ? 'merged' : state === 'open' ? 'open' : 'closed';
}

const MESSAGE_FIELDS = ['message', 'error', 'error_description', 'errors', 'detail', 'fields'];

/** The host's message, from the fields that hosts use for messages. */
function messagesIn(body: string, secret: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
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

export type ForgeRequest = HttpRequest & { signal: AbortSignal };

export interface ForgeAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

const MAX_CONNECTIONS = 4;
const MAX_REDIRECTS = 3;
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 300;

/**
 * HTTP client for Git hosts. Uses the proxy that the environment names, if any. Only a failed GET is retried.
 * Redirects are followed on the same origin only, so that no token is sent to another host.
 */
export class ForgeHttp {
  private readonly transport: Transport;

  constructor(environment: NodeJS.ProcessEnv, ms = FORGE_REQUEST_MS) {
    const network = networkOf(environment);
    const timeouts = { connectMs: ms, headersMs: ms, bodyMs: ms, totalMs: ms };
    this.transport = new Transport(timeouts, () => network, MAX_CONNECTIONS, MAX_FORGE_BODY_BYTES);
  }

  /** Throws ForgeFailure if no complete response arrives, or the signal's reason. Any status counts as a response. */
  async send(request: ForgeRequest): Promise<ForgeAnswer> {
    const url = new URL(request.url);
    if (!isConfidential(url)) {
      throw new ForgeFailure(coded('onlyHttps', { host: url.host }), undefined);
    }
    try {
      let answer = await this.sendWithRetries(request);
      let next = followed(request, answer);
      for (let redirects = 0; next !== undefined && redirects < MAX_REDIRECTS; redirects++) {
        answer = await this.sendWithRetries(next);
        next = followed(next, answer);
      }
      return { ...answer, headers: flat(answer.headers) };
    } catch (error) {
      request.signal.throwIfAborted();
      throw new ForgeFailure(textOf(error as ServiceError, url.host), undefined);
    }
  }

  /** Aborts pending requests. */
  close(): Promise<void> {
    return this.transport.dispose();
  }

  private sendWithRetries(request: ForgeRequest): Promise<HttpAnswer> {
    const attempt = async (isLast: boolean): Promise<HttpAnswer> => {
      const answer = await this.transport.send(request);
      if (!isLast && [502, 503, 504].includes(answer.status)) {
        throw new Busy();
      }
      return answer;
    };
    const isPermanent = (error: unknown): boolean =>
      !(error instanceof Busy) && (!isTransient(error) || error.code === 'PROXY_SETTING');
    return retry(attempt, {
      attempts: request.method === 'GET' ? MAX_ATTEMPTS : 1,
      wait: (error, failures) => (isPermanent(error) ? undefined : PAUSE_MS * failures),
      clock: systemClock,
      signal: request.signal,
    });
  }
}

/** The host asks to try again later. */
class Busy extends Error {}

/** The proxy that the environment names, read as other programs read it. */
export function networkOf(environment: NodeJS.ProcessEnv): NetworkSettings {
  const named = (name: string): string => environment[name] ?? environment[name.toUpperCase()] ?? '';
  const httpsProxy = named('https_proxy');
  return {
    proxy: httpsProxy === '' ? named('http_proxy') : httpsProxy,
    noProxy: named('no_proxy').split(/[,\s]/),
    systemCertificates: true,
  };
}

/** The request that a redirect asks for; undefined if there is none, or if it must not be followed. */
function followed(request: ForgeRequest, { status, headers: { location } }: HttpAnswer): ForgeRequest | undefined {
  const isKept = status === 307 || status === 308;
  const isMoved = request.method === 'GET' && (status === 301 || status === 302);
  if (location === undefined || !(isKept || isMoved) || !URL.canParse(location, request.url)) {
    return undefined;
  }
  const url = new URL(location, request.url);
  return url.origin === new URL(request.url).origin ? { ...request, url: url.href } : undefined;
}

function flat(headers: HttpAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function textOf({ kind, code = '', cause }: ServiceError, host: string): CodedText {
  if (code === 'PROXY_SETTING') {
    return coded('proxyNotUsable', { host });
  }
  if (kind === 'timeout') {
    return coded('hostSilent', { host });
  }
  const { at, problem } = diagnoseNetworkError(code);
  if (at === 'service' && ['authority', 'host', 'date'].includes(problem)) {
    // After a semicolon, Node says how to run itself.
    const [words = ''] = sanitize(cause instanceof Error ? cause.message : code).split(';');
    const text = coded('certificateNotVerified', { host, said: coded('colonSaid', { words: `${words}.` }) });
    return problem === 'authority' ? coded('both', { first: text, second: coded('privateAuthority') }) : text;
  }
  const said = /^[A-Z0-9_]+$/.test(code) ? coded('codeInParentheses', { code }) : '.';
  return coded('hostNotReached', { host, said });
}
