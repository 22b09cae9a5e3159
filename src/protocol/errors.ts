import type { CodedText } from './codedText';

/**
 * What went wrong with a request, each kind one thing that the user can do:
 *
 * - `unauthorized`: enter a new key (401)
 * - `forbidden`: ask for the right scope, plan or network (402, 403, 451)
 * - `notFound`: check project and job id (404, 410)
 * - `rejected`: change the prompt (400, 409, 413, 422)
 * - `limit`: wait (429)
 * - `unreachable`: look at network, proxy, address, or wait for the service (5xx)
 * - `timeout`: try later (also 408, 504)
 * - `notUnderstood`: the answer is not that of this API (redirects, HTML, a body that is no job, 405, 415 and the like)
 * - `aborted`: nothing; the user or the editor stopped it
 */
export type ServiceErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'rejected'
  | 'limit'
  | 'unreachable'
  | 'timeout'
  | 'notUnderstood'
  | 'aborted';

/**
 * What is known of the request's fate at the service: `none` when not one byte of it left this machine, or the local
 * service says that it read none; `refused` when the service answered and did nothing; `unknown` when it may have acted.
 */
export type Effect = 'none' | 'refused' | 'unknown';

export interface ServiceErrorOptions {
  effect: Effect;
  /** HTTP status, where there was an answer. */
  status?: number | undefined;
  /** The service's own words; foreign text, to be escaped where it is shown. */
  detail?: string | undefined;
  /** The same by its code, where the service says so. */
  coded?: CodedText | undefined;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs?: number | undefined;
  /** A system or library code such as ECONNREFUSED. */
  code?: string | undefined;
  cause?: unknown;
}

/** The one error that the client throws. `message` is for the log; what a user reads is made from `kind`. */
export class ServiceError extends Error {
  readonly effect: Effect;
  readonly status: number | undefined;
  readonly detail: string;
  readonly coded: CodedText | undefined;
  readonly retryAfterMs: number | undefined;
  readonly code: string | undefined;

  constructor(
    readonly kind: ServiceErrorKind,
    options: ServiceErrorOptions,
  ) {
    const facts = [options.status, options.code, options.detail].filter((fact) => fact !== undefined && fact !== '');
    super([kind, ...facts].join(', '), { cause: options.cause });
    this.name = 'ServiceError';
    this.effect = options.effect;
    this.status = options.status;
    this.detail = options.detail ?? '';
    this.coded = options.coded;
    this.retryAfterMs = options.retryAfterMs;
    this.code = options.code;
  }
}

/** What went wrong before a connection stood, each one thing that a person can look at. */
export type NetworkProblem =
  /** The name was not found. */
  | 'name'
  /** Nobody listens there, or no way leads there. */
  | 'refused'
  | 'time'
  /** The certificate comes from nobody whom this machine trusts. */
  | 'authority'
  /** The certificate is made out to another host. */
  | 'host'
  /** The certificate has ended, or has not begun. */
  | 'date'
  /** No secure connection for another reason. */
  | 'secure'
  /** The proxy wants a login. */
  | 'login'
  /** The proxy will not lead there. */
  | 'forbidden'
  /** What is set is no address of a proxy that we can speak to. */
  | 'setting'
  /** The connection ended, or something else. */
  | 'lost';

export interface NetworkTrouble {
  /** On which part of the way. */
  at: 'service' | 'proxy';
  problem: NetworkProblem;
  /** The proxy's answer, where that is the trouble. */
  status?: string;
}

const PROXY = 'PROXY_';

/** Codes of Node (https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes) and of our client. */
const PROBLEMS: readonly (readonly [RegExp, NetworkProblem])[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'name'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)$/, 'refused'],
  [/TIMEOUT$|^ETIMEDOUT$/, 'time'],
  [
    /SELF_SIGNED|^UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_(UNTRUSTED|REJECTED|SIGNATURE)|^INVALID_(CA|PURPOSE)/,
    'authority',
  ],
  [/^ERR_TLS_CERT_ALTNAME|^HOSTNAME_MISMATCH$/, 'host'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'date'],
  [/^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$)/, 'secure'],
];

/** What the code of a request that was not sent means; `PROXY_` in front of one names the proxy. */
export function networkTrouble(code: string | undefined): NetworkTrouble {
  const atProxy = code?.startsWith(PROXY) === true;
  const at = atProxy ? 'proxy' : 'service';
  const own = (atProxy ? code.slice(PROXY.length) : code) ?? '';
  const status = atProxy ? /^STATUS_(\d+)$/.exec(own)?.[1] : undefined;
  if (status !== undefined) {
    return { at, problem: 'forbidden', status };
  }
  if (atProxy && (own === 'LOGIN' || own === 'SETTING')) {
    return { at, problem: own === 'LOGIN' ? 'login' : 'setting' };
  }
  return { at, problem: PROBLEMS.find(([codes]) => codes.test(own))?.[1] ?? 'lost' };
}

/**
 * Set to `1` on a 503 or 408 of the local service that it gives at its door, before a request was handled: a
 * prompt that was in it may be sent again. The client believes it of the local service only.
 */
export const NOT_HANDLED_HEADER = 'X-Docs-Agent-Not-Handled';
